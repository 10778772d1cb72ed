import JOSE
import JOSETokens
import Testing

/// A key, a fixed time, and tokens with any claims and any type.
struct ProfileFixture {
    static let now: NumericDate = 1_700_000_000
    static let issuer = "https://id.example"
    let key: PrivateKey

    init() throws { key = try PrivateKey.generate(.p256) }

    var keys: KeySet { KeySet(key.publicKey) }

    func sign(_ payload: String, type: String?) throws -> String {
        try JWSSigner(key: key, algorithm: .es256, header: HeaderParameters(type: type)).sign(payload)
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

    func run<P: TokenProfile>(_ profile: P, claims good: [String: String], type usual: String?) throws {
        let fixture = try ProfileFixture()
        let verifier = try TokenVerifier(profile, verificationKeys: fixture.keys)
        let token = try fixture.sign(ProfileFixture.text(good, claims), type: type ?? usual)
        if let failure {
            #expect(throws: failure) { try verifier.verify(token) }
            // As a positive control, the token without the change is accepted.
            let unchanged = try fixture.sign(ProfileFixture.text(good), type: usual)
            #expect(throws: Never.self) { try verifier.verify(unchanged) }
        } else {
            #expect(throws: Never.self) { try verifier.verify(token) }
        }
    }
}
