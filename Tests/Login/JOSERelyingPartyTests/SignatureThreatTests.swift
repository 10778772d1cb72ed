import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("Threats by signatures and published keys") struct SignatureThreatTests {
    private func fixture(_ algorithm: SignatureAlgorithm = .rs256) throws -> LoginFixture {
        var options = OpenIDOptions()
        options.signature = [algorithm]
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        return try LoginFixture(
            .openID(issuer: LoginFixture.issuer, options: options), manner: manner, request: LoginRequest())
    }

    @Test("an ID token is rejected if the published key that signed it is too weak")
    func weakKeys() async throws {
        let key = TestKeys.provider
        let good = key.publicKey.jwk()
        let short = Forge.encoded([UInt8](repeating: 0xFF, count: 128))
        for weak in [
            #"{"kty":"RSA","kid":"\#(key.keyID ?? "")","n":"\#(short)","e":"AQAB"}"#,
            good.replacing(#""e":"AQAB""#, with: #""e":"AQ""#), good.replacing(#""e":"AQAB""#, with: #""e":"Ag""#),
        ] {
            #expect(weak != good)
            let fixture = try fixture()
            fixture.provider.script.answers[.keys] = { _ in .json(#"{"keys":[\#(weak)]}"#) }
            let error = try await fixture.failure()
            #expect(error?.step == .discovery && error?.code == "no_usable_keys", "\(weak.prefix(60))")
            guard case .keySetRejected(.noUsableKeys, let keys)? = error?.reason else {
                Issue.record("\(weak.prefix(60))")
                continue
            }
            #expect(keys.map(\.keyID) == [key.keyID] && keys.map(\.index) == [0], "\(weak.prefix(60))")
            let mended = try self.fixture()
            mended.provider.script.answers[.keys] = { _ in .json(#"{"keys":[\#(good)]}"#) }
            #expect(try await mended.failure() == nil)
        }
    }

    @Test("each login names the private key because of which the provider's key set was rejected as a whole")
    func privateKeys() async throws {
        let secret = String(decoding: try TestKeys.provider.exportPrivateJWK(), as: UTF8.self)
        let other = TestKeys.nextProvider.publicKey.jwk()
        let fixture = try fixture()
        fixture.provider.script.answers[.keys] = { _ in .json(#"{"keys":[\#(other),\#(secret)]}"#) }
        let named = UnusableKey(
            index: 1, keyID: TestKeys.provider.keyID, reason: .keyInvalid(.privateInPublicSet))
        let reason = RelyingPartyError.Reason.keySetRejected(.privateKey, keys: [named])
        // The first login fetches metadata and keys. A later one has the metadata, and needs the keys for its ID token.
        for step in [LoginStep.discovery, .idToken] {
            let error = try await fixture.failure()
            #expect(error == RelyingPartyError(reason, in: step))
            #expect(error?.code == "private_key_published" && error?.action == .investigate)
        }
        let honest = try self.fixture()
        honest.provider.script.answers[.keys] = { _ in
            .json(#"{"keys":[\#(other),\#(TestKeys.provider.publicKey.jwk())]}"#)
        }
        #expect(try await honest.failure() == nil)
    }

    /// The order of P-256 (SEC 2, 2.4.2).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
        0xA7,
        0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    @Test("an ES256 signature is rejected if r or s is zero, the order or more, or if it is in ASN.1") func curves()
        async throws
    {
        let fixture = try fixture(.es256)
        var key = try PrivateKey.generate(.p256, keyID: "curve")
        key.use = .signature
        let signer = key
        fixture.provider.script.published = [key.publicKey]
        let zero = [UInt8](repeating: 0, count: 32)
        let most = [UInt8](repeating: 0xFF, count: 32)
        let changes: [@Sendable ([UInt8]) -> [UInt8]] = [
            { zero + $0[32...] }, { $0[..<32] + zero }, { Self.order + $0[32...] }, { $0[..<32] + Self.order },
            { most + $0[32...] }, { $0[..<32] + most }, { _ in zero + zero },
            { [0x30, 0x44, 0x02, 0x20] + $0[..<32] + [0x02, 0x20] + $0[32...] },
        ]
        for (number, change) in ([{ $0 }] + changes).enumerated() {
            let error = try await fixture.failure { script in
                script.idToken = { claims in
                    let input = Forge.input(
                        header: #"{"alg":"ES256","kid":"curve"}"#,
                        payload: String(decoding: claims.json(), as: UTF8.self))
                    let signature = try Forge.signature(of: Array(input.utf8), with: .privateKey(signer), .es256)
                    return Forge.token(input, signature: change(signature))
                }
            }
            let failure = RelyingPartyError(.signatureInvalid, in: .idToken)
            #expect(error == (number == 0 ? nil : failure), "\(number)")
        }
    }
}
