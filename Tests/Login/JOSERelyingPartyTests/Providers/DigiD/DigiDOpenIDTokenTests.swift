import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@testable import JOSEDigiD
@testable import JOSERelyingParty

@Suite("DigiD by OpenID Connect: tokens") struct DigiDOpenIDTokenTests {
    @Test("an ID token must be encrypted and signed, with the profile's algorithms and the published key") func layers()
        async throws
    {
        let fixture = try DigiDOpenIDFixture()
        func seal(
            _ header: String, _ method: KeyManagementAlgorithm, _ content: ContentEncryption,
            _ key: PrivateKey = TestKeys.clientEncryption
        )
            -> @Sendable (String) throws -> String
        {
            { jws in
                try Forge.encrypted(
                    header: Array(header.utf8), plaintext: Array(jws.utf8), with: .publicKey(key.publicKey), method,
                    content)
            }
        }
        let usual = #"{"alg":"RSA-OAEP","enc":"A256GCM"}"#
        let cases: [(@Sendable (String) throws -> String, RelyingPartyError.Reason?)] = [
            (seal(usual, .rsaOAEP, .a256gcm), nil), ({ $0 }, .notEncrypted),
            (seal(#"{"alg":"RSA-OAEP-256","enc":"A256GCM"}"#, .rsaOAEP256, .a256gcm), .algorithmNotAllowed),
            (seal(#"{"alg":"RSA-OAEP","enc":"A128GCM"}"#, .rsaOAEP, .a128gcm), .encryptionNotAllowed),
            (seal(usual, .rsaOAEP, .a256gcm, TestKeys.stranger), .decryptionFailed),
            ({ _ in try DigiDOpenIDFixture.seal(#"{"sub":"111222333"}"#) }, .notSigned),
            ({ jws in try DigiDOpenIDFixture.seal(jws.dropLast(8) + "AAAAAAAA") }, .signatureInvalid),
            (
                { jws in
                    let payload = String(jws.split(separator: ".")[1])
                    return try DigiDOpenIDFixture.seal(
                        Forge.signed(
                            header: #"{"alg":"PS256","kid":"provider-signature"}"#,
                            payload: String(decoding: Forge.decoded(payload) ?? [], as: UTF8.self),
                            with: .privateKey(TestKeys.provider), .ps256))
                }, .algorithmNotAllowed
            ),
        ]
        for (index, (seal, failure)) in cases.enumerated() {
            let error = try await fixture.failure { $0.seal = seal }
            #expect(error?.reason == failure, "\(index)")
        }
    }

    @Test("DigiD case 31: each claim is checked, in the order of DigiD's specification") func claims() async throws {
        let fixture = try DigiDOpenIDFixture()
        let now = Int64(fixture.clock.now.secondsSince1970)
        let issuer = DigiDOpenIDFixture.issuer
        let cases: [(@Sendable (inout ClaimsBuilder) -> Void, RelyingPartyError.Reason?)] = [
            ({ $0["aud"] = .string(DigiDOpenIDFixture.clientID) }, .audienceMismatch),
            ({ $0["aud"] = [.string(issuer + "/token"), .string(DigiDOpenIDFixture.clientID)] }, .audienceMismatch),
            ({ $0["aud"] = .string(issuer) }, .audienceMismatch), ({ $0["aud"] = [.string(issuer + "/token")] }, nil),
            ({ $0["iss"] = "https://x.test" }, .issuerMismatch),
            ({ $0["exp"] = .integer(now - 60) }, .expired), ({ $0["exp"] = nil }, .claimMissing("exp")),
            ({ $0["nonce"] = nil }, .nonceMismatch), ({ $0["nonce"] = "x" }, .nonceMismatch),
            ({ $0["sub_id_type"] = nil }, .sectorUnexpected),
            ({ $0["sub_id_type"] = "urn:nl-eid-gdi:1.0:id:Pseudonym" }, .sectorUnexpected),
            ({ $0["sub"] = "111222334" }, .claimType("BSN")), ({ $0["sub"] = nil }, .claimMissing("sub")),
            ({ $0["jti"] = nil }, .claimMissing("jti")), ({ $0["iat"] = .integer(now + 61) }, .issuedInFuture),
            // The first check that fails is reported.
            ({ ($0["aud"], $0["nonce"], $0["acr"]) = ("x", nil, nil) }, .audienceMismatch),
            ({ ($0["nonce"], $0["acr"], $0["sub"]) = (nil, nil, "1") }, .nonceMismatch),
            ({ ($0["acr"], $0["sub_id_type"]) = (nil, nil) }, .acrTooLow),
            ({ ($0["sub_id_type"], $0["sub"]) = (nil, "1") }, .sectorUnexpected),
            ({ ($0["sub_id_type"], $0["jti"]) = (nil, nil) }, .sectorUnexpected),
            ({ ($0["sub_id_type"], $0["jti"]) = ("urn:nl-eid-gdi:1.0:id:Pseudonym", nil) }, .sectorUnexpected),
            ({ ($0["jti"], $0["sub"]) = (nil, "1") }, .claimMissing("jti")), ({ _ in }, nil),
        ]
        for (index, (change, failure)) in cases.enumerated() {
            let error = try await fixture.failure { $0.idToken = change }
            #expect(error?.reason == failure, "\(index)")
            #expect(error == nil || error?.step == .idToken)
            #expect(error.map { !"\($0)".contains("11122233") } ?? true)
        }
    }

    @Test(
        "if midden is requested, an absent or unknown level is too low, and a higher one is accepted",
        arguments: DigiDLevel.allCases)
    func levels(_ wanted: DigiDLevel) async throws {
        let fixture = try DigiDOpenIDFixture()
        for given in ["low", "substantial", "high", "High", nil] as [String?] {
            let acr = given.map { "http://eidas.europa.eu/LoA/" + $0 }
            let error = try await fixture.failure(.digiD(level: wanted)) {
                $0.idToken = { $0["acr"] = acr.map { .string($0) } }
            }
            let reaches = DigiDLevel(classReference: acr ?? "").map { $0 >= wanted } ?? false
            #expect(error?.reason == (reaches ? nil : .acrTooLow), "\(given ?? "none")")
        }
    }

    @Test("DigiD case 29: an nbf that equals exp is ignored, and any other nbf in the future is rejected")
    func notBefore() async throws {
        let fixture = try DigiDOpenIDFixture()
        let now = Int64(fixture.clock.now.secondsSince1970)
        for (start, failure) in [
            (120, nil), (119, .notYetValid), (121, .notYetValid), (60, nil), (61, .notYetValid), (0, nil), (nil, nil),
        ] as [(Int64?, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { $0.idToken = { $0["nbf"] = start.map { .integer(now + $0) } } }
            #expect(error?.reason == failure, "\(start ?? -1)")
        }
    }

    @Test("an ID token with a jti that was used before is rejected") func replay() async throws {
        let fixture = try DigiDOpenIDFixture()
        for failure in [nil, .replayed, .replayed] as [RelyingPartyError.Reason?] {
            #expect(try await fixture.failure { $0.idToken = { $0["jti"] = "the same" } }?.reason == failure)
        }
    }

    @Test(
        "DigiD case 30: another service's ID token, re-encrypted to this client's key, is rejected because of its nonce"
    )
    func foreignToken() async throws {
        let victim = try DigiDOpenIDFixture()
        let attacker = try DigiDOpenIDFixture(clientID: "9f0c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d")
        let stolen = Mutex<String?>(nil)
        let good = try await attacker.failure {
            $0.seal = { jws in
                stolen.withLock { $0 = jws }
                return try DigiDOpenIDFixture.seal(jws)
            }
        }
        #expect(good == nil)
        let jws = try #require(stolen.withLock { $0 })
        #expect(
            try await victim.failure { $0.seal = { _ in try DigiDOpenIDFixture.seal(jws) } }?.reason == .nonceMismatch)
        #expect(try await victim.failure { $0.seal = { try DigiDOpenIDFixture.seal($0) } } == nil)
    }

    @Test("an access token must be this client's, of the same issuer, and not expired") func accessToken() async throws
    {
        let fixture = try DigiDOpenIDFixture()
        let now = Int64(fixture.clock.now.secondsSince1970)
        let cases: [(@Sendable (inout ClaimsBuilder) -> Void, RelyingPartyError.Reason?)] = [
            ({ _ in }, nil), ({ $0["azp"] = "another" }, .authorizedPartyMismatch),
            ({ $0["azp"] = nil }, .authorizedPartyMismatch), ({ $0["iss"] = "https://x.test" }, .issuerMismatch),
            ({ $0["exp"] = .integer(now - 60) }, .expired), ({ $0["exp"] = .integer(now - 59) }, nil),
            ({ $0["exp"] = nil }, .claimMissing("exp")), ({ $0["jti"] = nil }, .claimMissing("jti")),
        ]
        for (index, (change, failure)) in cases.enumerated() {
            let error = try await fixture.failure { $0.accessToken = change }
            #expect(error?.reason == failure, "\(index)")
            #expect(error == nil || error?.step == .accessToken)
        }
        let broken = try await fixture.failure {
            $0.response = { $0.replacing(/"access_token":"[^"]*"/, with: #""access_token":"x""#) }
        }
        #expect(broken == RelyingPartyError(.malformed, in: .accessToken))
    }
}
