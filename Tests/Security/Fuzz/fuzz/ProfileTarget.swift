import JOSE
import JOSETesting
import JOSETokens

/// Tokens of every profile, mutated before they are signed.
final class ProfileTarget {
    private struct Row {
        let name: String
        let type: String
        let claims: [UInt8]
        let verify: ([UInt8]) throws(TokenError) -> Claims?
    }
    private static let now: NumericDate = 1_700_000_000
    private static let issuer = "https://id.example"
    private let key: JWK
    private let signer: (String, [UInt8]) throws(JOSEError) -> [UInt8]
    private var rows: [Row] = []
    private let prover: DPoPProver
    private let proofs: DPoPVerifier
    private let clock = WallClock.fixed(now)

    init() throws {
        let secret = try SecretKey.generate(bits: 256)
        key = .symmetricKey(secret)
        signer = { (type, payload) throws(JOSEError) in
            try JWSSigner(key: secret, algorithm: .hs256, header: HeaderParameters(type: type)).signBytes(payload.span)
        }
        let prover = try PrivateKey.generate(.ed25519)
        self.prover = try DPoPProver(key: prover, algorithm: .ed25519, clock: .fixed(Self.now))
        proofs = try DPoPVerifier(algorithms: [.ed25519], replayStore: InMemoryReplayStore(capacity: 2_000_000)) {
            $0.claims.clock = .fixed(Self.now)
        }
        let store = InMemoryReplayStore(capacity: 2_000_000)
        let thumbprint = Forge.encoded(try prover.publicKey.thumbprint())
        var id = IDTokenProfile(issuer: Self.issuer, clientID: "client", nonce: "n", algorithms: [.hs256])
        (id.claims.trustedAudiences, id.accessToken, id.code) = (["friend"], "access", "code")
        id.claims.clock = clock
        let hashes = [("at_hash", "access"), ("c_hash", "code")].map {
            #","\#($0.0)":"\#((try? SignatureAlgorithm.hs256.tokenHash(of: $0.1)) ?? "")""#
        }.joined()
        try add(
            "ID token", "JWT",
            #"{"iss":"\#(Self.issuer)","aud":["client","friend"],"azp":"client","sub":"u","exp":1700000300,"iat":1700000000,"nonce":"n"\#(hashes)}"#,
            id)
        var access = AccessTokenProfile(issuer: .exactly(Self.issuer), resource: "https://rs", algorithms: [.hs256])
        access.claims.clock = clock
        access.scopes = ["read"]
        try add(
            "access token", "at+jwt",
            #"{"iss":"\#(Self.issuer)","aud":"https://rs","sub":"u","client_id":"c","exp":1700000300,"iat":1700000000,"jti":"x","scope":"read write","cnf":{"jkt":"\#(thumbprint)"}}"#,
            access)
        var logout = LogoutTokenProfile(
            issuer: Self.issuer, clientID: "client", algorithms: [.hs256], replayStore: store)
        logout.claims.clock = clock
        try add(
            "logout token", "logout+jwt",
            #"{"iss":"\#(Self.issuer)","aud":"client","sub":"u","sid":"s","exp":1700000120,"iat":1700000000,"jti":"@","events":{"\#(LogoutTokenProfile.event)":{}}}"#,
            logout)
        var assertion = ClientAssertionProfile(
            clientID: "client", server: Self.issuer, algorithms: [.hs256], replayStore: store)
        assertion.claims.clock = clock
        try add(
            "client assertion", "JWT",
            #"{"iss":"client","sub":"client","aud":"\#(Self.issuer)","exp":1700000060,"iat":1700000000,"jti":"@"}"#,
            assertion)
        var request = RequestObjectProfile(clientID: "client", server: Self.issuer, algorithms: [.hs256])
        request.claims.clock = clock
        try add(
            "request object", "oauth-authz-req+jwt",
            #"{"iss":"client","aud":"\#(Self.issuer)","client_id":"client","response_type":"code","exp":1700000060}"#,
            request)
        var response = AuthorizationResponseProfile(
            issuer: Self.issuer, clientID: "client", state: "s", algorithms: [.hs256])
        response.claims.clock = clock
        try add(
            "authorization response", "JWT",
            #"{"iss":"\#(Self.issuer)","aud":"client","exp":1700000060,"code":"c","state":"s"}"#, response)
        var introspection = IntrospectionProfile(issuer: Self.issuer, resource: "rs", algorithms: [.hs256])
        introspection.claims.clock = clock
        let answers = introspection
        try add(
            "introspection", "token-introspection+jwt",
            #"{"iss":"\#(Self.issuer)","aud":"rs","iat":1700000000,"token_introspection":{"active":true,"sub":"u","exp":1700000060,"cnf":{"jkt":"\#(thumbprint)"}}}"#,
            introspection
        ) { (token) throws(TokenError) in try answers.activeToken(in: token) }
        var userInfo = UserInfoProfile(
            issuer: Self.issuer, clientID: "client", subject: "u", form: .signed(SignaturePolicy(algorithms: [.hs256])))
        userInfo.claims.clock = clock
        try add("userinfo", "JWT", #"{"iss":"\#(Self.issuer)","aud":"client","sub":"u"}"#, userInfo)
    }

    private func add<Profile: TokenProfile>(
        _ name: String, _ type: String, _ claims: String, _ profile: Profile,
        _ more: @escaping (VerifiedToken) throws(TokenError) -> Claims? = { (token) throws(TokenError) in token.claims }
    ) throws {
        let verifier = try TokenVerifier(profile, verificationKeys: KeySet([key]))
        rows.append(
            Row(name: name, type: type, claims: Array(claims.utf8)) { (token) throws(TokenError) in
                try more(verifier.verify(token))
            })
    }

    func run(_ dice: inout Dice, _ tally: inout Tally) throws {
        if dice.once(in: 8) { return try prove(&dice, &tally) }
        let row = dice.pick(rows)
        // Each token has a jti of its own.
        let text = String(decoding: row.claims, as: UTF8.self).replacing(
            "\"@\"", with: "\"\(tally.currentCase)-\(tally.tokens)\"")
        var claims = Array(text.utf8)
        let isMutated = dice.below(100) < 75
        if isMutated { claims = Self.change(claims, &dice) }
        let type = dice.once(in: 16) ? dice.pick(rows).type : row.type
        let token = try signer(type, claims)
        let (refusal, verified) = outcome(ofToken: { () throws(TokenError) in try row.verify(token) })
        tally.count("profile: " + row.name, refusal)
        if !isMutated, type == row.type {
            tally.expect(refusal == nil, "\(row.name): a good token was refused: \(refusal?.rawValue ?? "")")
        }
        tally.countToken(before: isMutated, after: false)
        if let claims = verified ?? nil {
            let (_, confirmation) = outcome(ofToken: { () throws(TokenError) in try claims.confirmation() })
            if let confirmation = confirmation ?? nil {
                _ = outcome(ofToken: { () throws(TokenError) in try confirmation.check(key: prover.key) })
                _ = outcome(ofToken: { () throws(TokenError) in try confirmation.check(certificate: token) })
            }
        }
    }

    /// Changes the members, or those of a member that is an object.
    private static func change(_ claims: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var members = JSONMutator.split(claims)
        let inner = members.indices.filter { members[$0].value.hasPrefix("{") }
        guard !inner.isEmpty, dice.once(in: 2) else { return mutator.change(claims, &dice) }
        let place = dice.pick(inner)
        members[place].value = String(
            decoding: mutator.change(Array(members[place].value.utf8), &dice), as: UTF8.self)
        return Array(("{" + members.map { $0.name + ":" + $0.value }.joined(separator: ",") + "}").utf8)
    }

    private static let mutator = JSONMutator(names: [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "nonce", "azp", "acr", "auth_time", "at_hash", "c_hash",
        "client_id", "scope", "cnf", "jkt", "jwk", "kid", "x5t#S256", "events", "sid", "state", "s_hash", "code",
        "error",
        "request", "request_uri", "response_type", "token_introspection", "active", "htm", "htu", "ath", "_sd", "",
    ])

    private func prove(_ dice: inout Dice, _ tally: inout Tally) throws {
        let url = dice.pick([
            "https://rs.example/a?b=c#d", "HTTPS://RS.example:443/%7Ea/../b", "https://rs.example", "http://[::1]:80/",
            "https://u@rs.example/", "rs.example", "https://rs.example/\u{e9}", "https:///x", "",
        ])
        let (refused, proof) = outcome(ofToken: { () throws(TokenError) in
            try prover.proof(method: "GET", url: url, accessToken: "access", nonce: "n")
        })
        tally.count("DPoP proof, made", refused)
        guard let proof else { return }
        var request = DPoPRequest(
            method: "GET", url: url, accessToken: "access",
            confirmation: KeyConfirmation(keyThumbprint: try prover.key.thumbprint()))
        request.nonces = ["n"]
        let isChanged = dice.once(in: 2)
        let token =
            isChanged ? TokenMutator.change(Array(proof.utf8), other: Array(proof.utf8), &dice) : Array(proof.utf8)
        let (refusal, _) = outcome(ofToken: { () throws(TokenError) in try proofs.verify(token.span, for: request) })
        tally.count("DPoP proof", refusal)
        tally.expect((refusal == nil) == !isChanged, "DPoP for \(url): \(refusal?.rawValue ?? "accepted")")
        tally.countToken(before: false, after: isChanged)
    }
}
