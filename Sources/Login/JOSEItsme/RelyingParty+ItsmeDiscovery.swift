internal import JOSE
internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport

extension RelyingParty {
    private static var discoveryPath: String { "/user_discovery_sessions" }

    /// Begins to search for the user, with the profile `ProviderProfile.itsmeBackChannel(hint:)`.
    ///
    /// - Returns: The search, with the first QR code.
    /// - Throws: `configurationError` with another profile, and the errors of the request.
    public func beginItsmeUserDiscovery() async throws(RelyingPartyError) -> ItsmeUserDiscovery {
        guard case .discoveredUser? = profile.backChannel?.beginning else {
            throw RelyingPartyError(.configurationError, in: .request)
        }
        let provider = try await directory.provider(nil, until: nil)
        let began = clock.now
        let response = try await discover(Self.discoveryPath, at: provider)
        guard response.status == 200 else { throw discoveryRefusal(response) }
        do throws(RelyingPartyError.Reason) {
            let answer = try JSONAnswer(response)
            let id = try answer.required("user_discovery_session_id")
            guard id.utf8.count <= 128, id.isAlphanumeric(or: "_-") else {
                throw .invalidParameter("user_discovery_session_id")
            }
            guard try Itsme.foundUser(answer) == nil else { throw .invalidParameter("status") }
            let interval = max(.seconds(1), answer.duration("interval") ?? .seconds(5))
            return ItsmeUserDiscovery(
                image: try Itsme.image(answer), expires: began + Itsme.discoveryLimit, sessionID: id,
                pace: BackChannelPace(interval: min(interval, Itsme.discoveryLimit), after: clock.now))
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }

    /// Asks itsme whether the user has scanned the QR code.
    ///
    /// - Parameter discovery: The search. Its image and the time of its next poll are updated.
    /// - Returns: The user; nil while nobody has scanned the code. Before ``ItsmeUserDiscovery/nextPoll`` the result is
    ///   nil, and no request is sent.
    /// - Throws: `expired` if the search has expired, `replayed` if it has ended, and the error of the request. After
    ///   an error with the action `retry`, the same search may be polled again: the pause doubles up to 60 seconds
    ///   while itsme fails, and `Retry-After` is obeyed.
    public func poll(_ discovery: inout ItsmeUserDiscovery) async throws(RelyingPartyError) -> ItsmeDiscoveredUser? {
        guard !discovery.hasEnded else { throw RelyingPartyError(.replayed, in: .pushedRequest) }
        guard clock.now < discovery.expires else {
            discovery.hasEnded = true
            throw RelyingPartyError(.expired, in: .pushedRequest)
        }
        guard clock.now >= discovery.nextPoll else { return nil }
        let provider = try await directory.provider(nil, until: nil)
        let response: TransportResponse
        do throws(RelyingPartyError) {
            response = try await discover(Self.discoveryPath + "/" + discovery.sessionID, at: provider)
        } catch {
            switch error.reason {
            // A response that is not HTTP is a fault of the network.
            case .unreachable, .malformed:
                discovery.pace.failed(at: clock.now)
                throw RelyingPartyError(error.reason, in: .pushedRequest, action: .retry)
            default:
                discovery.pace.answered(at: clock.now)
                throw error
            }
        }
        switch response.status {
        case 200: discovery.pace.answered(at: clock.now)
        case 429:
            discovery.pace.answered(at: clock.now, slowDown: true, retryAfter: response.retryAfter)
            return nil
        case _ where response.isOutage:
            discovery.pace.failed(at: clock.now, retryAfter: response.retryAfter)
            throw RelyingPartyError(.unexpectedStatus(response.status), in: .pushedRequest)
        default:
            discovery.hasEnded = true
            throw ended(response)
        }
        do throws(RelyingPartyError.Reason) {
            let answer = try JSONAnswer(response)
            if let user = try Itsme.foundUser(answer) {
                discovery.hasEnded = true
                return user
            }
            discovery.image = try Itsme.image(answer)
            return nil
        } catch {
            discovery.hasEnded = true
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }

    /// Returns the error of a response that ends a search.
    private func ended(_ response: TransportResponse) -> RelyingPartyError {
        let code = providerError(response)?.code.description
        // The documents have status 400 for a search that has expired, and no error codes beside it. A new search fails
        // too if the client is not accepted.
        guard response.status == 400, code.map({ Itsme.clientFaults.contains($0) }) != true else {
            return discoveryRefusal(response).usedUp
        }
        return RelyingPartyError(.expired, in: .pushedRequest)
    }

    /// Returns the error of a response to a request of a search. The documents have no error code beside status 401,
    /// which says that the client is not accepted.
    private func discoveryRefusal(_ response: TransportResponse) -> RelyingPartyError {
        guard response.status == 401, providerError(response) == nil, let code = ProviderErrorCode("invalid_client")
        else { return refusal(response, .pushedRequest, .pushedRequest) }
        return profile.errors.error(code, nil, .pushedRequest, .pushedRequest)
    }

    private func discover(_ path: String, at provider: Provider) async throws(RelyingPartyError) -> TransportResponse {
        // The audience of the assertion is that of the next step, as itsme's documents have it.
        var rules = profile.client
        rules.assertionAudience = .issuerPath(Itsme.authenticationPath)
        return try await post(
            [("client_id", client.id)], to: provider.issuer + path, of: provider, step: .pushedRequest, until: nil,
            rules: rules)
    }
}

extension Itsme {
    /// The time after which itsme no longer finds the user.
    static let discoveryLimit = Duration.seconds(600)

    /// The error codes of a client that itsme does not accept.
    static let clientFaults: Set<String> = ["invalid_client", "invalid_client_id", "unauthorized_client"]

    /// Returns the user of an answer; nil if nobody has been found yet.
    static func foundUser(_ answer: JSONAnswer) throws(RelyingPartyError.Reason) -> ItsmeDiscoveredUser? {
        switch try answer.required("status") {
        case "PENDING_USER_DISCOVERY": return nil
        case "USER_DISCOVERED":
            let token = try answer.required("user_identifier_token")
            guard token.utf8.count <= 8_192 else { throw .invalidParameter("user_identifier_token") }
            return ItsmeDiscoveredUser(token: token)
        default: throw .invalidParameter("status")
        }
    }

    /// Returns the image of the QR code, which the documents show as a member of the answer and as one of
    /// `user_discovery_token`.
    static func image(_ answer: JSONAnswer) throws(RelyingPartyError.Reason) -> [UInt8] {
        let nested = answer.value("user_discovery_token")?.object(in: answer.bytes.span)?
            .first { $0.name(in: answer.bytes.span) == "qr_code" }?.value.string(in: answer.bytes.span)
        guard let text = nested ?? answer.string("qr_code") else { throw .missingParameter("qr_code") }
        guard let image = Base64.decode(Array(text.utf8)), !image.isEmpty else { throw .invalidParameter("qr_code") }
        return image
    }
}
