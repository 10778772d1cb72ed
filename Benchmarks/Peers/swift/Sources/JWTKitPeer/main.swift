import Foundation
import Harness
import JWTKit

/// The claims of the fixtures, which verify themselves, as those of jwt-kit do.
struct Claims: JWTPayload {
    nonisolated(unsafe) static var expected = (issuer: "", audience: "")

    var iss: IssuerClaim, sub: SubjectClaim, aud: AudienceClaim
    var exp: ExpirationClaim, nbf: NotBeforeClaim, iat: IssuedAtClaim
    var auth_time: Int
    var nonce: String, acr: String, amr: [String], azp: String
    var name: String, given_name: String, family_name: String
    var email: String, email_verified: Bool, phone_number: String, locale: String, sid: String

    func verify(using _: some JWTAlgorithm) throws {
        try exp.verifyNotExpired()
        try nbf.verifyNotBefore()
        try aud.verifyIntendedAudience(includes: Self.expected.audience)
        guard iss.value == Self.expected.issuer else { throw Fault("another issuer") }
    }
}

/// The library jwt-kit, which has signatures alone.
struct JWTKitLibrary: Library {
    let fixtures: Fixtures
    let claims: Claims

    init(_ fixtures: Fixtures) throws {
        self.fixtures = fixtures
        Claims.expected = (fixtures.issuer, fixtures.audience)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        claims = try decoder.decode(Claims.self, from: fixtures.claims)
    }

    func work(_ operation: Harness.Operation) throws -> Work? {
        let algorithm = operation.algorithms[0]
        switch operation.group {
        case "verify":
            let keys = collection(algorithm, isPrivate: false)
            return .takes { token in _ = try await keys().verify(token, as: Claims.self) }
        case "sign":
            let keys = collection(algorithm, isPrivate: true)
            return .makes { try await keys().sign(claims, kid: "sig-1") }
        default: return nil
        }
    }

    /// Returns a function that returns a collection with one key, which it makes when it is called first.
    private func collection(_ algorithm: String, isPrivate: Bool) -> () async throws -> JWTKeyCollection {
        let made = Made()
        return { [fixtures] in
            if let keys = made.keys { return keys }
            let keys = JWTKeyCollection()
            let pem =
                algorithm == "HS256"
                ? "" : try fixtures.text("keys/\(algorithm).\(isPrivate ? "private" : "public").pem")
            switch (algorithm, isPrivate) {
            case ("HS256", _):
                await keys.add(
                    hmac: HMACKey(from: try fixtures.bytes("keys/HS256.secret")), digestAlgorithm: .sha256, kid: "sig-1"
                )
            case ("RS256", false):
                await keys.add(rsa: try Insecure.RSA.PublicKey(pem: pem), digestAlgorithm: .sha256, kid: "sig-1")
            case ("RS256", true):
                await keys.add(rsa: try Insecure.RSA.PrivateKey(pem: pem), digestAlgorithm: .sha256, kid: "sig-1")
            case ("PS256", false):
                await keys.add(pss: try Insecure.RSA.PublicKey(pem: pem), digestAlgorithm: .sha256, kid: "sig-1")
            case ("PS256", true):
                await keys.add(pss: try Insecure.RSA.PrivateKey(pem: pem), digestAlgorithm: .sha256, kid: "sig-1")
            case ("ES256", false): await keys.add(ecdsa: try ES256PublicKey(pem: pem), kid: "sig-1")
            case ("ES256", true): await keys.add(ecdsa: try ES256PrivateKey(pem: pem), kid: "sig-1")
            case ("EdDSA", false): await keys.add(eddsa: try EdDSA.PublicKey(pem: pem), kid: "sig-1")
            case ("EdDSA", true): await keys.add(eddsa: try EdDSA.PrivateKey(pem: pem), kid: "sig-1")
            default: throw Fault("no such algorithm")
            }
            made.keys = keys
            return keys
        }
    }
}

private final class Made {
    var keys: JWTKeyCollection?
}

try await serve { try JWTKitLibrary($0) }
