import Foundation
import JOSE
import JOSECrypto
import JOSETokens
import Testing

@Suite("Samples: signing") struct SigningSamples {
    @Test("claims are issued by name and from a Codable type") func claims() throws {
        // Sample: issue
        let key = try PrivateKey.generate(.p256, keyID: "2026-11")
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let issuer = try TokenIssuer(policy, signingKey: .privateKey(key), lifetime: .seconds(600))

        let token = try issuer.issue(["sub": "248289761001", "roles": ["buyer"], "level": 2])
        // Sample: end

        // Sample: issue a type
        struct Session: Codable, Equatable {
            let sub: String
            let roles: [String]
        }
        let session = Session(sub: "248289761001", roles: ["buyer"])
        let sessionToken = try issuer.issue(encoding: session)
        // Sample: end

        // Sample: issue variables
        let (user, roles) = ("248289761001", ["buyer", "admin"])
        let shopIssuer = try TokenIssuer(policy, signingKey: key)
        let current = try shopIssuer.issue(["sub": user, "roles": roles, "session": UUID(), "auth_time": Date()])
        // Sample: end

        // Sample: issue for later
        let start = NumericDate(Date().addingTimeInterval(3_600))
        let ticket = try shopIssuer.issue(
            ["sub": user], options: TokenOptions(validFrom: start, lifetime: .seconds(60)))
        // Sample: end

        // Sample: issue with a header
        var header = HeaderParameters(type: "at+jwt")
        header.set("version", 2)
        let typed = try TokenIssuer(policy, signingKey: .privateKey(key), signatureHeader: header)
        // Sample: end
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey))
        #expect(try verifier.verify(token).claims.integer("level") == 2)
        #expect(try verifier.verify(sessionToken, as: Session.self) == session)
        #expect(try verifier.verify(current).claims.strings("roles") == roles)
        #expect(throws: TokenError.claim(.notYetValid)) { try verifier.verify(ticket) }
        let verified = try verifier.verify(typed.issue())
        #expect(verified.header.type == "at+jwt" && verified.header.keyID == "2026-11")
        #expect(verified.header.json("version") == Array("2".utf8))

        // Sample: issue for several audiences
        let severalNames = ClaimPolicy(
            issuer: "https://id.example.com", audience: .oneOf(["shop", "https://shop.example"]))
        let severalIssuer = try TokenIssuer(
            .signed(SignaturePolicy(algorithms: [.es256]), claims: severalNames), signingKey: key)
        let forTwo = try severalIssuer.issue(["sub": "248289761001", "aud": ["shop", "billing"]])
        // Sample: end
        #expect(try verifier.verify(forTwo).claims.audience == ["shop", "billing"])
        #expect(throws: TokenError.claim(.audienceMismatch)) { try severalIssuer.issue(["sub": "248289761001"]) }
    }

    @Test("a token has claims of an application's type, and header parameters of its own") func oneToken() throws {
        let key = try PrivateKey.generate(.p256, keyID: "2026-11")
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let issuer = try TokenIssuer(policy, signingKey: key, signatureHeader: HeaderParameters(type: "at+jwt"))
        let user = "248289761001"
        // Sample: a type that is a claim
        enum Role: String, ClaimValueConvertible {
            case buyer, admin
            var claimValue: ClaimValue { .string(rawValue) }
        }
        let withRoles = try issuer.issue(["sub": user, "roles": [Role.buyer, Role.admin]])
        // Sample: end

        // Sample: a header of one token
        var header = HeaderParameters()
        header.set("tenant", "acme")
        let ofTenant = try issuer.issue(["sub": user], options: TokenOptions(signatureHeader: header))
        // Sample: end
        let verifier = try TokenVerifier(policy, verificationKeys: key)
        #expect(try verifier.verify(withRoles).claims.strings("roles") == ["buyer", "admin"])
        let verified = try verifier.verify(ofTenant).header
        #expect(verified.string("tenant") == "acme" && verified.type == "JWT" && verified.keyID == "2026-11")
    }

    @Test("access tokens are issued with the policy of their profile") func profile() throws {
        let signingKey = try PrivateKey.generate(.p256, keyID: "2026-11")
        // Sample: issue for a profile
        let profile = AccessTokenProfile(
            issuer: "https://id.example.com", resource: "https://api.example.com", algorithms: [.es256])
        let issuer = try TokenIssuer(profile.policy, signingKey: signingKey, lifetime: .seconds(600))
        let accessToken = try issuer.issue([
            "sub": "248289761001", "client_id": "shop", "jti": UUID(), "scope": "orders:read",
        ])
        // Sample: end
        let verified = try TokenVerifier(profile, verificationKeys: signingKey.publicKey).verify(accessToken)
        #expect(verified.header.type == "at+jwt" && verified.claims.string("scope") == "orders:read")
        #expect(throws: TokenError.claim(.missing("jti"))) { try issuer.issue(["sub": "1", "client_id": "shop"]) }
    }

    /// Stands for the client of a key service.
    struct ServiceClient {
        let key: PrivateKey

        func sign(_ message: [UInt8], with algorithm: String) async throws -> [UInt8] {
            guard case .asymmetric(let key) = key.material, algorithm == "ES256" else { throw CancellationError() }
            return try key.sign(.es256, message.span)
        }
    }

    // Sample: an external signer
    struct KeyService: ExternalSigner {
        let publicKey: PublicKey
        let client: ServiceClient

        func sign(_ request: SigningRequest) async throws -> [UInt8] {
            try await client.sign(request.message, with: request.algorithm.name)
        }
    }
    // Sample: end

    @Test("a key service signs tokens") func external() async throws {
        let key = try PrivateKey.generate(.p256, keyID: "hsm-1")
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let keyService = KeyService(publicKey: key.publicKey, client: ServiceClient(key: key))
        // Sample: issue with an external signer
        let issuer = try TokenIssuer(policy, externalKey: keyService)
        let token = try await issuer.issue(["sub": "248289761001"], timeout: .seconds(5))
        // Sample: end
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey))
        #expect(try verifier.verify(token).header.keyID == "hsm-1")
    }

    @Test("bytes, a stream and a payload with two signers are signed") func bytes() throws {
        let key = try PrivateKey.generate(.p256, keyID: "2026-11")
        let auditorKey = try PrivateKey.generate(.ed25519, keyID: "auditor")
        let pieces: [[UInt8]] = [Array("a contract".utf8), Array(" of two pieces".utf8)]
        // Sample: sign bytes
        let signer = try JWSSigner(key: key, algorithm: .es256)
        let jws = try signer.sign("a contract")
        let detached = try signer.sign(detached: "a contract")
        // Sample: end

        // Sample: sign a stream
        var stream = try signer.stream()
        for piece in pieces { try stream.update(piece) }
        let signatureOfAll = try stream.finish()
        // Sample: end

        // Sample: sign by two
        let auditor = try JWSSigner(key: auditorKey, algorithm: .ed25519)
        let json = try JSONSigner([.init(signer), .init(auditor)]).sign("a contract")
        // Sample: end

        // Sample: verify bytes
        let keys = KeySet([.publicKey(key.publicKey), .publicKey(auditorKey.publicKey)])
        let verifier = try JWSVerifier(keys: keys, policy: SignaturePolicy(algorithms: [.es256, .ed25519]))
        let contract = try verifier.verify(jws).payload
        // Sample: end
        #expect(contract == Array("a contract".utf8))
        #expect(try verifier.verify(detached, detachedPayload: contract).payload == contract)

        // Sample: verify a stream
        var check = try verifier.stream(signatureOfAll)
        for piece in pieces { try check.update(piece) }
        let signedBy = try check.finish().key.keyID
        // Sample: end
        #expect(signedBy == "2026-11")

        // Sample: verify both
        var policy = SignaturePolicy(algorithms: [.es256, .ed25519])
        policy.requirement = .keys([.keyID("2026-11"), .keyID("auditor")])
        let both = try JWSVerifier(keys: keys, policy: policy).verify(json: json)
        // Sample: end
        #expect(both.signatures.count == 2)
    }
}
