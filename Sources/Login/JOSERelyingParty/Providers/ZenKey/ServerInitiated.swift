internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

/// A login that the service begins, without a browser: the user is asked on their telephone. Of `zenkey.late`, for services that have
/// registered keys.
public struct ServerInitiatedRequest: Sendable {
    /// Longest time for the answer, in seconds: 48 hours.
    public static let longestLifetime = 172_800

    /// Whose user it is.
    public var network: MobileNetwork
    /// `sub` of a user who has logged in before.
    public var subject: String
    /// Where the carrier posts the answer: https, as it is registered.
    public var notificationURI: String
    /// What is asked for besides `openid`.
    public var scopes: [ZenKeyScope] = []
    /// `a1`, `a2`, `a3`.
    public var acrValues: [String] = []
    /// 8 to 16 letters, digits and hyphens.
    public var correlationID: String?
    /// Seconds within which the user must answer.
    public var lifetime = 3600

    /// The rest is set on the value.
    public init(network: MobileNetwork, subject: String, notificationURI: String) {
        self.network = network
        self.subject = subject
        self.notificationURI = notificationURI
    }
}

extension ServerInitiatedRequest: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the user.
    public var description: String { "ServerInitiatedRequest" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A login that has begun on the user's telephone.
public struct ServerInitiatedLogin: Sendable {
    /// `auth_req_id`.
    public let requestID: String
    /// As the carrier repeats it, or gives one.
    public let correlationID: String?
    /// Seconds since 1970 after which no answer is taken.
    public let expires: Double
}

extension RelyingParty {
    static var asyncKind: String { "zenkey-async" }
    /// What the carrier called a request, beside the request itself: it is known only once the carrier has answered, and the notification may
    /// be faster.
    static var asyncNameKind: String { "zenkey-async-name" }

    /// Asks the user's carrier to ask the user; the answer comes to `notificationURI`, for `completeServerInitiated`.
    public func beginServerInitiated(
        _ request: ServerInitiatedRequest
    ) async throws(RelyingPartyError) -> ServerInitiatedLogin {
        guard let carriers = directory as? CarrierDirectory, profile.name == "zenkey.late" else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        let secret: String
        var transaction: LoginTransaction
        do throws(RelyingPartyFailure) {
            try check(request)
            secret = try Secret.fresh()
            transaction = try serverTransaction(request, secret: secret)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        guard case .carrier(let carrier) = try await carriers.discovery.ask(CarrierQuery(network: request.network)),
            let endpoint = carrier.serverInitiatedEndpoint
        else { throw RelyingPartyError(.discoveryMismatch, in: .discovery) }
        transaction.issuer = carrier.issuer
        let object: String
        do throws(RelyingPartyFailure) {
            object = try self.object(request, transaction, secret: secret)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        try await keep(transaction.json, Self.asyncKind, secret)
        do throws(RelyingPartyError) {
            let answer = try await ask(endpoint, object)
            let started: ServerInitiatedLogin
            do throws(RelyingPartyFailure) {
                started = try read(answer, request)
            } catch {
                throw RelyingPartyError(error, in: .tokenResponse)
            }
            try await name(started, secret)
            return started
        } catch {
            // Of a login that did not begin nothing is kept, as far as the store can be asked.
            if let key = try? StoreKey(kind: Self.asyncKind, value: secret) { _ = try? await store.take(key) }
            throw error
        }
    }

    /// For as long as any carrier may take: how long this one does is not known yet.
    private func keep(_ value: [UInt8], _ kind: String, _ secret: String) async throws(RelyingPartyError) {
        guard try await insert(value, kind, secret) else { throw RelyingPartyError(.internalFault, in: .store) }
    }

    private func insert(_ value: [UInt8], _ kind: String, _ secret: String) async throws(RelyingPartyError) -> Bool {
        do throws(StoreError) {
            return try await store.insert(
                value, for: StoreKey(kind: kind, value: secret),
                lifetime: Double(ServerInitiatedRequest.longestLifetime))
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Of the answer and the notification, whichever comes first leaves `auth_req_id`, and the other compares it.
    private func name(_ started: ServerInitiatedLogin, _ secret: String) async throws(RelyingPartyError) {
        let name = AsyncName(requestID: started.requestID, expires: started.expires)
        guard try await !insert(name.json, Self.asyncNameKind, secret) else { return }
        guard let other = try await takeName(secret), other.isSame(as: started.requestID) else {
            throw RelyingPartyError(.invalidParameter("auth_req_id"), in: .tokenResponse)
        }
    }

    func takeName(_ secret: String) async throws(RelyingPartyError) -> AsyncName? {
        do throws(StoreError) {
            return try await store.take(StoreKey(kind: Self.asyncNameKind, value: secret)).flatMap { AsyncName($0) }
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Whether the notification is of the request that the carrier named, and in time.
    func checkName(
        _ requestID: String, _ known: AsyncName?, _ secret: String, _ transaction: LoginTransaction
    ) async throws(RelyingPartyError) {
        var known = known
        if known == nil {
            let own = AsyncName(requestID: requestID, expires: transaction.created)
            guard try await !insert(own.json, Self.asyncNameKind, secret) else { return }
            known = try await takeName(secret)
        }
        guard let known, known.isSame(as: requestID) else {
            throw RelyingPartyError(.invalidParameter("auth_req_id"), in: .callback)
        }
        guard clock.seconds < known.expires else { throw RelyingPartyError(.expired, in: .callback) }
    }

    private func check(_ request: ServerInitiatedRequest) throws(RelyingPartyFailure) {
        guard !request.subject.isEmpty else { throw .missingParameter("login_hint") }
        guard let url = WebURL(request.notificationURI), url.scheme == .https, !url.hasFragment, !url.hasUserInformation
        else { throw .invalidParameter("notification_uri") }
        guard request.acrValues.allSatisfy({ ZenKey.rank($0) != nil }) else { throw .invalidParameter("acr_values") }
        if let correlationID = request.correlationID, !ZenKey.isCorrelationID(correlationID) {
            throw .invalidParameter("correlation_id")
        }
        guard (1...ServerInitiatedRequest.longestLifetime).contains(request.lifetime) else {
            throw .invalidParameter("expires_in")
        }
    }

    private func serverTransaction(
        _ request: ServerInitiatedRequest, secret: String
    ) throws(RelyingPartyFailure) -> LoginTransaction {
        var transaction = LoginTransaction(
            profile: profile.name, clientID: client.id, issuer: place.issuer, state: try Secret.fresh(),
            nonce: try Secret.fresh(), redirectURI: request.notificationURI, responseMode: .formPost,
            bindingHash: try Secret.hash(secret), created: clock.seconds)
        transaction.provider = request.network.digits
        transaction.scopes = LoginRequest.zenKey(request.scopes).scopes
        transaction.acrValues = request.acrValues
        transaction.expectedSubject = request.subject
        return transaction
    }

    /// Signed under RS256 with a registered key, never encrypted.
    private func object(
        _ request: ServerInitiatedRequest, _ transaction: LoginTransaction, secret: String
    ) throws(RelyingPartyFailure) -> String {
        let key = try client.signingKey(profile.client)
        var policy = ClaimPolicy(issuer: .exactly(client.id), audience: .exactly(transaction.issuer))
        policy.subject = client.id
        policy.clock = clock
        var claims: ClaimSet = [
            "login_hint": .string(request.subject), "scope": .string(transaction.scopes.joined(separator: " ")),
            "state": .string(transaction.state), "nonce": .string(transaction.nonce),
            "redirect_uri": .string(client.redirectURIs.first ?? ""),
            "notification_uri": .string(request.notificationURI),
            "client_notification_token": .string(secret), "expires_in": .integer(Int64(request.lifetime)),
        ]
        if !request.acrValues.isEmpty { claims["acr_values"] = .string(request.acrValues.joined(separator: " ")) }
        claims["correlation_id"] = request.correlationID.map { .string($0) }
        do throws(TokenError) {
            return try TokenIssuer(
                .signed(SignaturePolicy(algorithms: [.rs256]), claims: policy), signingKey: .privateKey(key),
                lifetime: 300
            ).issue(claims)
        } catch {
            throw RelyingPartyFailure(error, isNested: false)
        }
    }

    private func ask(_ endpoint: String, _ object: String) async throws(RelyingPartyError) -> HTTPResponse {
        var request = HTTPRequest(url: endpoint)
        request.method = .post
        request.headers = [
            HTTPField("Content-Type", "application/x-www-form-urlencoded"), HTTPField("Accept", "application/json"),
        ]
        request.body = Array(
            FormText.write([("client_id", client.id), ("response_type", "async_token"), ("request", object)]).utf8)
        let response = try await send(request, .tokenResponse)
        guard response.status == 200 else { throw refusal(response, .token, .tokenResponse) }
        return response
    }

    private func read(
        _ response: HTTPResponse, _ request: ServerInitiatedRequest
    ) throws(RelyingPartyFailure) -> ServerInitiatedLogin {
        guard response.isJSON else { throw .contentTypeMismatch }
        guard let answer = CarrierJSON(response.body) else { throw .malformed }
        guard let requestID = answer.string("auth_req_id"), !requestID.isEmpty else {
            throw .missingParameter("auth_req_id")
        }
        var seconds = Int64(request.lifetime)
        if answer.contains("expires_in") {
            // Some carriers write it as text.
            guard let given = answer.integer("expires_in") ?? answer.string("expires_in").flatMap({ digits($0) }),
                given > 0
            else { throw .invalidParameter("expires_in") }
            seconds = min(given, Int64(ServerInitiatedRequest.longestLifetime))
        }
        return ServerInitiatedLogin(
            requestID: requestID, correlationID: answer.string("correlation_id"),
            expires: clock.seconds + Double(seconds))
    }
}
