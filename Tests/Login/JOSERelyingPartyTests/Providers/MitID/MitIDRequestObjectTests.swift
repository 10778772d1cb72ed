import Foundation
import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("MitID: request objects") struct MitIDRequestObjectTests {
    private func object(_ fixture: MitIDFixture, _ request: LoginRequest? = nil) async throws -> (
        header: JSON, claims: [String: JSON]
    ) {
        let start = try await fixture.party.beginLogin(request ?? fixture.fixture.request)
        let object = try #require(FormFields(ofURL: start.url)["request"])
        let header = try JSON(try #require(Forge.decoded(String(object.split(separator: ".")[0]))))
        let payload = try fixture.provider.requestObject(object)
        guard case .object(let claims) = try JSON(payload) else { throw RelyingPartyError.request(.malformed) }
        return (header, claims)
    }

    @Test(
        "MitID case 22: a request object has numeric times, a lifetime of at most two minutes, a kid, and idp_params as an object"
    )
    func requestObject() async throws {
        let fixture = try MitIDFixture()
        let (header, claims) = try await object(fixture, .mitID(level: .high))
        let now = Double(1_700_000_000)
        #expect(claims["exp"] == .number(now + 120))
        #expect(claims["iat"] == .number(now))
        #expect(claims["nbf"] == .number(now))
        #expect(claims["iss"]?.string == "partner-code" && claims["client_id"]?.string == "partner-code")
        #expect(claims["aud"]?.string == MitIDFixture.issuer)
        guard case .object(let members) = header, case .object? = claims["idp_params"] else {
            Issue.record("not objects")
            return
        }
        #expect(members["kid"]?.string == "s1")
        #expect(
            claims["state"]?.string != nil && claims["nonce"]?.string != nil && claims["code_challenge"]?.string != nil)
        let start = try await fixture.party.beginLogin(fixture.fixture.request)
        let beside = FormFields(ofURL: start.url)
        #expect(Set(beside.names) == ["client_id", "response_type", "scope", "request"])
        // A key without `kid` is rejected.
        var nameless = TestKeys.client
        nameless.keyID = nil
        #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
            try MitIDFixture(credentials: .keys(signing: nameless))
        }
    }

    @Test("a request object is not signed while the clock shows no valid time")
    func invalidClock() async throws {
        let fixture = try MitIDFixture()
        let valid = fixture.clock.now
        _ = try await object(fixture)
        // The times that leave the fetched metadata, which the same clock measures, as fresh as it is.
        for seconds in [-Double.infinity, -0x1p54] {
            fixture.clock.now = NumericDate(secondsSince1970: seconds)
            let error = try await refusal { try await fixture.party.beginLogin(fixture.fixture.request) }
            #expect(error == .request(.configurationError) && error?.action == .fixConfiguration, "\(seconds)")
        }
        fixture.clock.now = valid
        _ = try await object(fixture)
    }

    @Test("MitID case 22: with a key or the secret, exp is a number, and kid is a string or absent, but never null")
    func neverNull() async throws {
        let keyed = try MitIDFixture()
        let shared = try MitIDFixture(
            credentials: .secret("a secret of thirty-two bytes, and of some more"), authentication: .clientSecretPost,
            manner: { $0.authentication = .secretPost })
        for (fixture, keyID) in [(keyed, JSON.string("s1")), (shared, nil)] as [(MitIDFixture, JSON?)] {
            let (header, claims) = try await object(fixture)
            #expect(claims["exp"] == .number(1_700_000_120))
            #expect(header["kid"] == keyID)
        }
    }

    @Test("request objects are signed with RS256, PS256, ES256 or HS256; a short secret is rejected")
    func requestAlgorithms() async throws {
        var pss = TestKeys.client
        pss.algorithm = "PS256"
        let p256 = try PrivateKey.generate(.p256, keyID: "p")
        for (key, name) in [(TestKeys.client, "RS256"), (pss, "PS256"), (p256, "ES256")] {
            let fixture = try MitIDFixture(credentials: .keys(signing: key), manner: { $0.clientKey = key.publicKey })
            let header = try await object(fixture).header
            #expect(header["alg"]?.string == name)
            #expect(try await fixture.failure() == nil, "\(name)")
        }
        let secret = "a secret of thirty-two bytes, and of some more"
        let fixture = try MitIDFixture(
            credentials: .secret(secret), authentication: .clientSecretPost, manner: { $0.authentication = .secretPost }
        )
        #expect(try await object(fixture).header["alg"]?.string == "HS256")
        let short = try MitIDFixture(
            credentials: .secret("short"), authentication: .clientSecretPost,
            manner: { $0.authentication = .secretPost })
        #expect(try await short.refused(short.fixture.request) == .request(.configurationError))
        var query = LoginRequest.mitID()
        query.delivery = .query
        #expect(try await short.refused(query) == nil)
    }

    @Test(
        "mitid.encrypted encrypts the signed request to the broker's key, with each documented pair of algorithms"
    )
    func encrypted() async throws {
        for algorithm in [KeyManagementAlgorithm.rsaOAEP256, .rsaOAEP384, .rsaOAEP512] {
            for content in [ContentEncryption.a128cbcHS256, .a256gcm] {
                var settings = MitIDFixture.settings
                (settings.keyManagement, settings.contentEncryption) = (algorithm, content)
                let fixture = try MitIDFixture(.mitIDEncrypted(settings))
                let (header, claims) = try await object(fixture)
                #expect(header["alg"]?.string == algorithm.name && header["enc"]?.string == content.name)
                #expect(header["cty"]?.string == "JWT" && header["kid"]?.string == "provider-encryption")
                #expect(claims["aud"]?.string == MitIDFixture.issuer)
                #expect(try await fixture.failure() == nil)
            }
        }
        var plain = LoginRequest.mitID()
        plain.delivery = .query
        #expect(try await MitIDFixture(.mitIDEncrypted()).refused(plain) == .request(.configurationError))
    }

    private func reader(samples: Bool, clock: TestClock = TestClock()) -> MitIDRequestReader {
        MitIDRequestReader(
            clientKeys: KeySet(TestKeys.client.publicKey), ownKeys: KeySet(TestKeys.providerEncryption),
            clientID: "partner-code", authority: MitIDFixture.issuer, clock: clock.wallClock, readsSamples: samples)
    }

    private func failure(_ read: () throws(RelyingPartyError.Reason) -> Claims) -> RelyingPartyError.Reason? {
        do throws(RelyingPartyError.Reason) {
            _ = try read()
            return nil
        } catch {
            return error
        }
    }

    @Test("MitID case 23: the XML Encryption name of RSA-OAEP is accepted by the reader of samples only")
    func alias() async throws {
        let signed = try Forge.signed(
            header: #"{"alg":"RS256","kid":"s1"}"#,
            payload:
                #"{"iss":"partner-code","aud":"\#(MitIDFixture.issuer)","client_id":"partner-code","exp":"1700000120","idp_params":"{\"mitid\":{\"loa_value\":\"high\"}}"}"#,
            with: .privateKey(TestKeys.client), .rs256)
        let key = JWK.publicKey(TestKeys.providerEncryption.publicKey)
        func encrypted(_ header: String, _ algorithm: KeyManagementAlgorithm) throws -> String {
            try Forge.encrypted(
                header: Array(header.utf8), plaintext: Array(signed.utf8), with: key, algorithm, .a128cbcHS256)
        }
        let name = MitIDRequestReader.alias
        let sample = try encrypted(#"{"alg":"\#(name)","enc":"A128CBC-HS256","typ":"JWT"}"#, .rsaOAEP)
        let claims = try reader(samples: true).read(sample)
        let parameters = try MitIDParameters(parsing: try #require(claims.json("idp_params")))
        #expect(parameters.level == .high)
        #expect(
            failure { () throws(RelyingPartyError.Reason) in try reader(samples: false).read(sample) }
                == .algorithmNotAllowed)
        let plainOAEP = try encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","cty":"JWT"}"#, .rsaOAEP)
        #expect(
            failure { () throws(RelyingPartyError.Reason) in try reader(samples: false).read(plainOAEP) }
                == .algorithmNotAllowed)
        // Neither any other name nor the name for another hash is accepted.
        let other = try encrypted(
            #"{"alg":"http://www.w3.org/2001/04/xmlenc#rsa-1_5","enc":"A128CBC-HS256"}"#, .rsaOAEP)
        #expect(
            failure { () throws(RelyingPartyError.Reason) in try reader(samples: true).read(other) }
                == .algorithmNotAllowed)
        let wrongHash = try encrypted(#"{"alg":"\#(name)","enc":"A128CBC-HS256"}"#, .rsaOAEP256)
        #expect(
            failure { () throws(RelyingPartyError.Reason) in try reader(samples: true).read(wrongHash) }
                == .decryptionFailed)
        // The strict reader, which requires numeric times, accepts the requests of the library.
        let fixture = try MitIDFixture(.mitIDEncrypted(MitIDFixture.settings))
        let start = try await fixture.party.beginLogin(LoginRequest.mitID())
        let ours = try #require(FormFields(ofURL: start.url)["request"])
        #expect(try reader(samples: false).read(ours).string("client_id") == "partner-code")
        let textTimes = try encrypted(#"{"alg":"RSA-OAEP-256","enc":"A128CBC-HS256","cty":"JWT"}"#, .rsaOAEP256)
        #expect(
            failure { () throws(RelyingPartyError.Reason) in try reader(samples: false).read(textTimes) }
                == .claimType("exp"))
    }

    @Test(
        "MitID case 24: RSA-OAEP-384 and RSA-OAEP-512 decrypt with MGF1 of the same hash, and not one in place of the other"
    )
    func hashes() throws {
        let key = JWK.publicKey(TestKeys.providerEncryption.publicKey)
        for (made, named, expected) in [
            (KeyManagementAlgorithm.rsaOAEP384, "RSA-OAEP-384", RelyingPartyError.Reason.notSigned),
            (.rsaOAEP512, "RSA-OAEP-512", .notSigned), (.rsaOAEP384, "RSA-OAEP-512", .decryptionFailed),
            (.rsaOAEP512, "RSA-OAEP-384", .decryptionFailed), (.rsaOAEP256, "RSA-OAEP-384", .decryptionFailed),
        ] {
            let token = try Forge.encrypted(
                header: Array(#"{"alg":"\#(named)","enc":"A256GCM","cty":"JWT"}"#.utf8),
                plaintext: Array("not signed".utf8),
                with: key, made, .a256gcm)
            // What can be decrypted is found to contain no signature. What cannot be decrypted never gets so far.
            #expect(
                failure { () throws(RelyingPartyError.Reason) in try reader(samples: false).read(token) }
                    == expected)
        }
    }
}
