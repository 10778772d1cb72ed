import JOSE
import JOSETokens
import Testing

/// The layers of a token.
enum TokenLayers: Sendable { case signed, nested, encrypted }

/// Keys, a fixed time, and tokens with any claims and any type.
struct ProfileFixture {
    static let now: NumericDate = 1_700_000_000
    static let issuer = "https://id.example"
    static let encryption = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a256gcm])
    let key, reader: PrivateKey

    init() throws { (key, reader) = (try PrivateKey.generate(.p256), try PrivateKey.generate(.p256)) }

    var keys: KeySet { KeySet(key.publicKey) }

    /// Returns a verifier that has every key.
    func verifier(_ profile: some TokenProfile) throws -> TokenVerifier {
        try TokenVerifier(profile, verificationKeys: keys, decryptionKeys: KeySet(reader))
    }

    func sign(_ payload: String, type: String?) throws -> String {
        try JWSSigner(key: key, algorithm: .es256, header: HeaderParameters(type: type)).sign(payload)
    }

    /// Encrypts a text to the reader, with further members of the header as JSON texts.
    func encrypt(_ text: String, contentType: String?, header members: [String: String] = [:]) throws -> String {
        var header = HeaderParameters(contentType: contentType)
        for (name, value) in members { header.set(name, json: Array(value.utf8)) }
        return try JWEEncrypter(
            key: reader.publicKey, keyManagement: .ecdhES, contentEncryption: .a256gcm, header: header
        ).encrypt(text)
    }

    /// Returns a token. A type is that of its signature layer, and members are those of the header of its encryption
    /// layer.
    func token(
        _ payload: String, type: String?, _ layers: TokenLayers, outer members: [String: String] = [:]
    ) throws -> String {
        switch layers {
        case .signed: try sign(payload, type: type)
        case .nested: try encrypt(sign(payload, type: type), contentType: "JWT", header: members)
        case .encrypted: try encrypt(payload, contentType: nil, header: members)
        }
    }

    /// Claims as JSON texts, some of them changed or, where nil, left out.
    static func text(_ claims: [String: String], _ changes: [String: String?] = [:]) -> String {
        var claims = claims
        for (name, value) in changes { claims[name] = value }
        return "{" + claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
}

/// One change of good claims, or of the type, and what comes of it; no failure: it must be accepted.
struct ProfileCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var claims: [String: String?] = [:]
    var type: String??
    var failure: TokenError?

    static func refused(_ title: String, _ claims: [String: String?], _ failure: ClaimFailure) -> Self {
        Self(testDescription: title, claims: claims, failure: .claim(failure))
    }

    static func accepted(_ title: String, _ claims: [String: String?]) -> Self {
        Self(testDescription: title, claims: claims)
    }

    static func type(_ type: String?, good: Bool = false) -> Self {
        Self(
            testDescription: "typ \(type ?? "absent")", type: .some(type),
            failure: good ? nil : .jose(.headerInvalid(.type), layer: .signature))
    }

    /// Expects what a verifier makes of the change, and that the list of rules which a login checks, if it is given
    /// with its values, rejects and accepts the same claims.
    func run(
        _ profile: some TokenProfile, claims good: [String: String], type usual: String?,
        as layers: TokenLayers = .signed, rules: (list: [ClaimRule], values: ClaimPolicy)? = nil
    ) throws {
        let fixture = try ProfileFixture()
        let verifier = try fixture.verifier(profile)
        let text = ProfileFixture.text(good, claims)
        let token = try fixture.token(text, type: type ?? usual, layers)
        if let failure {
            #expect(throws: failure, "\(layers)") { try verifier.verify(token) }
            // As a positive control, the token without the change is accepted.
            let unchanged = try fixture.token(ProfileFixture.text(good), type: usual, layers)
            #expect(throws: Never.self, "\(layers)") { try verifier.verify(unchanged) }
        } else {
            #expect(throws: Never.self, "\(layers)") { try verifier.verify(token) }
        }
        guard let rules, type == nil else { return }
        let evaluation = ClaimEvaluation(
            try Claims(payload: Array(text.utf8), limits: .standard, layer: .signature), under: rules.values,
            algorithm: .es256, now: ProfileFixture.now.secondsSince1970)
        let isMet = (try? rules.list.forEach { try evaluation.check($0) }) != nil
        #expect(isMet == (failure == nil), "the list of rules, \(layers)")
    }

    /// Expects that a claim which the header of the encryption layer repeats must equal that of the token (RFC 7519,
    /// 5.3).
    static func runCopies(
        _ profile: some TokenProfile, claims: [String: String], type: String?, as layers: TokenLayers
    ) throws {
        let fixture = try ProfileFixture()
        let verifier = try fixture.verifier(profile)
        let text = ProfileFixture.text(claims)
        let right = claims.filter { ["iss", "sub", "aud"].contains($0.key) }
        for members in [[:], right] {
            let token = try fixture.token(text, type: type, layers, outer: members)
            #expect(throws: Never.self, "\(layers) \(members)") { try verifier.verify(token) }
        }
        for (name, value) in [
            ("iss", #""https://other.example""#), ("sub", #""v""#), ("aud", #""other""#),
            ("aud", #"["client","other"]"#),
        ] {
            let token = try fixture.token(text, type: type, layers, outer: [name: value])
            #expect(throws: TokenError.claim(.headerCopyDiffers(ClaimName(name))), "\(layers) \(name)") {
                try verifier.verify(token)
            }
        }
    }
}
