import JOSE
import JOSEKeySets
import JOSESettings
import JOSESupport
import JOSETokens

/// The policy for the requests to a path and to everything below it.
final class GatewayPolicy: Sendable {
    /// The threads on which tokens of the policy are verified.
    enum Cost: Sendable {
        /// The thread of the loop that read the request.
        case inLoop
        /// The thread of the loop, together with the other requests that arrived at the same time.
        case batched
        /// Threads of their own, because a token needs decryption.
        case decryption
    }

    let name: String
    /// The path as the configuration has it, and its normal form.
    let prefix: [UInt8]
    let normal: [UInt8]
    /// The verifier; nil for a path that needs no token.
    let verifier: TokenVerifier?
    let batch: BatchVerifier?
    /// The verifier of tokens that are decrypted together; nil where they are not.
    let coalescing: CoalescingVerifier?
    let sources: [IssuerKeyState]
    /// Whether a token may wait for new keys.
    let awaitsKeys: Bool
    let cost: Cost
    let scopes: [String]
    let cookie: [UInt8]?
    let proofs: GatewayProofs?
    /// The claim of each configured field, in their order; nil where this policy leaves the field empty.
    let claims: [String?]
    let challenges: GatewayChallenges

    init(
        name: String, normal: [UInt8], verifier: TokenVerifier? = nil, issuers: [ConfiguredIssuer] = [],
        scopes: [String] = [], cookie: String? = nil, proofs: GatewayProofs? = nil, claims: [String?], realm: String
    ) {
        self.name = name
        prefix = Array(name.utf8)
        self.normal = normal
        self.verifier = verifier
        batch = verifier.map { BatchVerifier($0, workers: 1) }
        let isVectorized = issuers.contains(where: \.isVectorized)
        coalescing = isVectorized ? verifier.map { CoalescingVerifier($0, processors: Process.cores) } : nil
        sources = issuers.map(\.source)
        awaitsKeys = sources.contains { $0.remote != nil }
        let isEncrypted = issuers.contains(where: \.isEncrypted), gathers = issuers.contains(where: \.gathers)
        cost = isEncrypted ? .decryption : gathers ? .batched : .inLoop
        self.scopes = scopes
        self.cookie = cookie.map { Array($0.utf8) }
        self.proofs = proofs
        self.claims = claims
        challenges = GatewayChallenges(realm: realm, scopes: scopes, proofs: proofs)
    }

    /// Finds the token of a request.
    func credentials(of request: GatewayRequest) throws(GatewayRejection) -> GatewayCredentials {
        if let field = request.authorization.map({ AuthorizationField($0) }),
            field.scheme == "bearer" || field.scheme == "dpop"
        {
            let isBound = field.scheme == "dpop"
            guard let token = field.token else { throw .badRequest("authorization_malformed") }
            if isBound, proofs == nil { throw .token("dpop_not_accepted") }
            if !isBound, proofs?.isRequired ?? false { throw .token("dpop_required") }
            return GatewayCredentials(token: token, isBound: isBound)
        }
        guard let cookie, let header = request.cookie,
            let token = try GatewayCookie.value(of: cookie, in: header)
        else { throw .missing }
        if proofs?.isRequired ?? false { throw .token("dpop_required") }
        return GatewayCredentials(token: token, isBound: false)
    }

    /// Whether a result is decided at once: new keys do not change it, and no proof belongs to the token.
    func isFinal(
        _ result: Result<VerifiedToken, TokenError>, _ credentials: GatewayCredentials,
        _ configuration: GatewayConfiguration
    ) -> Bool {
        switch result {
        case .success: !credentials.isBound
        case .failure(let error):
            !awaitsKeys || configuration.settings.wait == .zero || !(verifier?.mayWait(after: error) ?? false)
        }
    }

    /// Decides on a request whose token was verified, or was not. A token that is bound to a key is not accepted
    /// without a proof (RFC 9449, 7.2).
    func decide(
        _ result: Result<VerifiedToken, TokenError>, _ request: GatewayRequest,
        _ configuration: GatewayConfiguration
    ) -> GatewayDecision {
        switch result {
        case .success(let token):
            let rejection: GatewayRejection? = token.claims.contains("cnf") ? .token("token_bound") : nil
            return decide(token.claims, rejection, request, configuration)
        case .failure(let error): return .failure(GatewayRejection(ofToken: error))
        }
    }

    /// Returns what the response passes on of a token, unless its binding or its scopes are rejected.
    func decide(
        _ token: Claims, _ binding: GatewayRejection?, _ request: GatewayRequest,
        _ configuration: GatewayConfiguration
    ) -> GatewayDecision {
        if let binding { return .failure(binding) }
        guard hasScopes(token) else { return .failure(.scope) }
        switch request.sender {
        case .service: return .success(token.payload)
        case .gateway:
            guard let values = values(token, maximumBytes: configuration.settings.headerBytes) else {
                return .failure(.forbidden("claims_too_large"))
            }
            return .success(values)
        }
    }

    /// Returns what the response passes on where the path needs no token: no claims.
    func outputWithoutToken(for sender: GatewayRequest.Sender) -> [UInt8] {
        switch sender {
        case .service: Array("{}".utf8)
        case .gateway: [UInt8](repeating: 0, count: claims.count)
        }
    }

    /// Returns the values of all fields, each with a NUL at its end, or nil if they are larger than `maximumBytes`.
    private func values(_ token: Claims, maximumBytes: Int) -> [UInt8]? {
        var values: [UInt8] = []
        values.reserveCapacity(128)
        for claim in claims {
            if let claim { HeaderValue.append(claim, of: token, to: &values) }
            values.append(0)
        }
        return values.count > maximumBytes + claims.count ? nil : values
    }

    /// Whether the token has all required scopes, in `scope` (RFC 8693, 4.2) or in `scp`, as Okta and Microsoft Entra
    /// ID write it.
    private func hasScopes(_ claims: Claims) -> Bool {
        guard !scopes.isEmpty else { return true }
        let granted = (claims.scopes() ?? []) + (claims.scopes("scp") ?? [])
        return scopes.allSatisfy { scope in granted.contains { bytesEqual($0, scope) } }
    }
}
