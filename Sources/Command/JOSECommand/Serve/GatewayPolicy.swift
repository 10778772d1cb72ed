import JOSE
import JOSEBytes
import JOSEKeySets
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
        /// Threads of their own, because a proof is verified with a key that is used once. Where the store of used proofs is awaited, the
        /// proofs are verified in tasks.
        case proof
    }

    let name: String
    /// The path as the configuration has it, and its normal form.
    let prefix: [UInt8]
    let normal: [UInt8]
    /// The verifier; nil for a path that needs no token.
    let verifier: TokenVerifier?
    let batch: BatchVerifier?
    let sources: [GatewayKeys.Source]
    let cost: Cost
    let scopes: [String]
    let cookie: [UInt8]?
    let proofs: GatewayProofs?
    /// The claim of each configured field, in their order; nil where this policy leaves the field empty.
    let claims: [String?]
    /// The number of tokens that a thread takes at least, where there are as many: decryptions for several tokens at once gain by it.
    let leastTogether: Int
    private let challenges: GatewayChallenges
    /// The largest number of bytes of `WWW-Authenticate`.
    var challengeBytes: Int { challenges.mostBytes }

    init(
        name: String, normal: [UInt8], verifier: TokenVerifier?, sources: [GatewayKeys.Source], isEncrypted: Bool,
        isVectorized: Bool, gathers: Bool, scopes: [String], cookie: String?, proofs: GatewayProofs?, claims: [String?],
        realm: String
    ) {
        self.name = name
        prefix = Array(name.utf8)
        self.normal = normal
        self.verifier = verifier
        batch = verifier.map { BatchVerifier($0, workers: 1) }
        self.sources = sources
        cost = proofs != nil ? .proof : isEncrypted ? .decryption : gathers ? .batched : .inLoop
        self.scopes = scopes
        self.cookie = cookie.map { Array($0.utf8) }
        self.proofs = proofs
        self.claims = claims
        leastTogether = isVectorized ? 4 : 1
        challenges = GatewayChallenges(realm: realm, scopes: scopes, proofs: proofs)
    }

    /// Finds the token of a request.
    func credentials(of request: GatewayRequest) -> Result<GatewayCredentials, GatewayRejection> {
        if let field = request.authorization.map({ AuthorizationField($0) }),
            field.scheme == "bearer" || field.scheme == "dpop"
        {
            let isBound = field.scheme == "dpop"
            guard let token = field.token else { return .failure(.badRequest("authorization_malformed")) }
            if isBound, proofs == nil { return .failure(.token("dpop_not_accepted")) }
            if !isBound, proofs?.isRequired ?? false { return .failure(.token("dpop_required")) }
            return .success(GatewayCredentials(token: token, isBound: isBound))
        }
        if let cookie, let header = request.cookie {
            switch GatewayCookie.value(of: cookie, in: header) {
            case .one(let token):
                if proofs?.isRequired ?? false { return .failure(.token("dpop_required")) }
                return .success(GatewayCredentials(token: token, isBound: false))
            case .several: return .failure(.badRequest("cookie_repeated"))
            case .none: break
            }
        }
        return .failure(.missing)
    }

    /// Decides on a request whose token was verified, or was not.
    func answer(
        _ result: Result<VerifiedToken, TokenError>, _ credentials: GatewayCredentials, _ request: GatewayRequest,
        headerBytes: Int
    ) -> GatewayAnswer {
        switch result {
        case .success(let token):
            let rejection = bindingRejection(token.claims, credentials, request)
            return answer(token, rejection, request, headerBytes: headerBytes)
        case .failure(let error): return answer(Self.rejection(error))
        }
    }

    /// Decides on a request whose token was verified, and whose proof is marked as used in a store that is awaited.
    func answerAwaitingStore(
        _ token: VerifiedToken, _ proofs: GatewayProofs, _ credentials: GatewayCredentials, _ request: GatewayRequest,
        headerBytes: Int
    ) async -> GatewayAnswer {
        let rejection = await proofs.rejectionAwaitingStore(of: request, token: credentials.token, token.claims)
        return answer(token, rejection, request, headerBytes: headerBytes)
    }

    private func answer(
        _ token: VerifiedToken, _ binding: GatewayRejection?, _ request: GatewayRequest, headerBytes: Int
    ) -> GatewayAnswer {
        if let binding { return answer(binding) }
        guard hasScopes(token.claims) else { return answer(.scope) }
        if request.isCall { return .claims(token.claims.payload) }
        guard let values = values(token.claims, most: headerBytes) else {
            return answer(.forbidden("claims_too_large"))
        }
        return .allowed(values)
    }

    static func rejection(_ error: TokenError) -> GatewayRejection {
        error.isRetryable ? .notJudged(error.code) : .token(error.code)
    }

    func answer(_ rejection: GatewayRejection) -> GatewayAnswer { challenges.answer(rejection) }

    /// Returns the values of all fields, each with a NUL at its end, or nil if they are larger than `most`.
    private func values(_ token: Claims, most: Int) -> [UInt8]? {
        var values: [UInt8] = []
        values.reserveCapacity(128)
        for claim in claims {
            if let claim { HeaderValue.append(claim, of: token, to: &values) }
            values.append(0)
        }
        return values.count > most + claims.count ? nil : values
    }

    /// Whether the token has all required scopes, in `scope` (RFC 8693, 4.2) or in `scp`, as Okta and Microsoft Entra ID write it.
    private func hasScopes(_ claims: Claims) -> Bool {
        guard !scopes.isEmpty else { return true }
        let granted = (claims.scopes() ?? []) + (claims.scopes("scp") ?? [])
        return scopes.allSatisfy { scope in granted.contains { bytesEqual($0, scope) } }
    }

    /// Checks the proof of a token that is bound to a key. Such a token is never accepted without a proof (RFC 9449, 7.2).
    private func bindingRejection(
        _ claims: Claims, _ credentials: GatewayCredentials, _ request: GatewayRequest
    ) -> GatewayRejection? {
        guard credentials.isBound, let proofs else { return claims.contains("cnf") ? .token("token_bound") : nil }
        return proofs.rejection(of: request, token: credentials.token, claims)
    }
}

/// A token as it was sent.
struct GatewayCredentials: Sendable {
    let token: [UInt8]
    /// Whether it was sent with the scheme `DPoP`.
    let isBound: Bool
}

/// Finds the value of a cookie (RFC 6265, 5.4).
enum GatewayCookie {
    enum Found { case none, several, one([UInt8]) }

    static func value(of name: [UInt8], in header: [UInt8]) -> Found {
        var found = Found.none
        for pair in header.split(separator: UInt8(ascii: ";")) {
            let pair = pair.drop { $0 == 0x20 || $0 == 0x09 }
            guard pair.starts(with: name), pair.dropFirst(name.count).first == UInt8(ascii: "=") else { continue }
            // Of two cookies of one name the server cannot tell which one it has set.
            if case .one = found { return .several }
            var value = pair.dropFirst(name.count + 1)
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            found = .one(Array(value))
        }
        return found
    }
}
