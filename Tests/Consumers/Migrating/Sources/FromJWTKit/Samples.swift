import Foundation
import JWTKit

enum Wrong: Error { case issuer }

// Sample: claims of jwt-kit
// jwt-kit
struct Session: JWTPayload {
    var iss: IssuerClaim
    var aud: AudienceClaim
    var sub: SubjectClaim
    var exp: ExpirationClaim
    var admin: BoolClaim

    func verify(
        using algorithm: some JWTAlgorithm
    ) throws {
        try exp.verifyNotExpired()
        try aud.verifyIntendedAudience(
            includes: "shop")
        guard iss.value == "https://id.example.com"
        else { throw Wrong.issuer }
    }
}
// Sample: end

/// The calls of jwt-kit in the article on migrating.
struct Samples {
    let keys: JWTKeyCollection

    init(pem: String, secret: [UInt8], jwks: String) async throws {
        // Sample: keys of jwt-kit
        // jwt-kit
        let keys = JWTKeyCollection()
        await keys.add(
            ecdsa: try ES256PrivateKey(pem: pem), kid: "k1")
        await keys.add(
            hmac: HMACKey(from: secret),
            digestAlgorithm: .sha256, kid: "k2")
        try await keys.add(jwksJSON: jwks)
        // Sample: end
        self.keys = keys
    }

    func sign() async throws -> String {
        // Sample: signing with jwt-kit
        // jwt-kit
        let token = try await keys.sign(
            Session(
                iss: "https://id.example.com",
                aud: "shop", sub: "vapor",
                exp: .init(value: .now + 3_600),
                admin: true),
            kid: "k1")
        // Sample: end
        return token
    }

    func verify(_ token: String) async throws -> Session {
        // Sample: verifying with jwt-kit
        // jwt-kit
        let session = try await keys.verify(
            token, as: Session.self)
        // Sample: end
        return session
    }

    func explain(_ token: String) async throws {
        // Sample: errors of jwt-kit
        // jwt-kit
        do {
            _ = try await keys.verify(
                token, as: Session.self)
        } catch let error as JWTError
            where error.errorType
            == .signatureVerificationFailed
        {
            print("forged")
        } catch let error as JWTError
            where error.errorType
            == .claimVerificationFailure
        {
            print("claims: \(error.reason ?? "")")
        }
        // Sample: end
    }
}
