import Foundation
import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("MitID: what is sent to the broker") struct MitIDRequestTests {
    private func request(_ change: (inout MitIDParameters) -> Void) -> LoginRequest {
        var request = LoginRequest.mitID()
        var parameters = MitIDParameters()
        change(&parameters)
        request.mitID = parameters
        return request
    }

    private func failure(_ desk: MitIDDesk, _ request: LoginRequest) async throws -> RelyingPartyError? {
        try await refusal { try await desk.party.beginLogin(request) }
    }

    private static let plain: @Sendable (inout LoginRequest) -> Void = { $0.delivery = .query }

    @Test(
        "MitID case 4: an app link that is not https, not listed, or of a host without our association files is refused"
    )
    func appLinks() async throws {
        var settings = MitIDSettings()
        settings.appLinks = MitIDAppLinks(
            urls: [MitIDDesk.link, "http://app.service.test/back", "https://other.service.test/back"],
            associatedHosts: ["app.service.test"])
        let desk = try MitIDDesk(.mitID(settings))
        func link(_ url: String) -> LoginRequest { request { $0.appSwitch = .init(.iOS, url: url) } }
        #expect(try await failure(desk, link(MitIDDesk.link)) == nil)
        for url in [
            "http://app.service.test/back", "https://other.service.test/back", MitIDDesk.link + "/", "myapp://back", "",
            "https://app.service.test.evil.test/back",
        ] {
            #expect(try await failure(desk, link(url)) == .request(.invalidParameter("app_switch_url")), "\(url)")
        }
        #expect(desk.provider.calls(.token) == 0)
    }

    @Test(
        "MitID case 5: a civil registration number goes encrypted or by the back end, and never through the browser alone"
    )
    func cprHint() async throws {
        let wanted = request { $0.cprHint = CPRNumber("0101901234") }
        var plain = wanted
        plain.delivery = .query
        #expect(try await failure(try MitIDDesk(), wanted) == .request(.invalidParameter("cpr_hint")))
        #expect(try await failure(try MitIDDesk(), plain) == .request(.invalidParameter("cpr_hint")))
        let settings = MitIDDesk.settings
        #expect(try await failure(try MitIDDesk(.mitIDEncrypted(settings)), wanted) == nil)
        let pushed = try MitIDDesk(.mitIDPushed(settings))
        let start = try await pushed.party.beginLogin(wanted)
        #expect(!start.url.contains("0101901234"))
        #expect(FormFields(ofURL: start.url).names == ["client_id", "request_uri"])
    }

    @Test("each rule of a parameter refuses before anything is sent") func rules() async throws {
        let desk = try MitIDDesk()
        func set(_ name: ParameterName, _ value: String) -> LoginRequest {
            var request = LoginRequest.mitID()
            request[name] = value
            return request
        }
        for (name, good, bad) in [
            ("prompt", "login", "consent"), ("max_age", "60", "-1"), ("language", "kl", "de"),
            ("idp_values", "mitid mitid_erhverv", "mitid  erhverv"), ("idp_params", #"{"mitid":{}}"#, "{}"),
            ("signtext_id", "a-1", "a b"),
        ] as [(ParameterName, String, String)] {
            #expect(try await failure(desk, set(name, good)) == nil, "\(name)")
            #expect(try await failure(desk, set(name, bad)) == .request(.invalidParameter(name)), "\(name)")
        }
        for name in ["state", "nonce", "code_challenge", "response_mode", "request", "client_id", "ui_locales"]
            as [ParameterName]
        {
            #expect(try await failure(desk, set(name, "x")) == .request(.invalidParameter(name)), "\(name)")
        }
        var scopes = LoginRequest.mitID(scopes: MitIDScope.allCases)
        #expect(try await failure(desk, scopes) == nil)
        scopes.scopes.append("email")
        #expect(try await failure(desk, scopes) == .request(.invalidParameter("scope")))
        let text = String(repeating: "\u{E6}", count: 130)
        #expect(try await failure(desk, request { $0.referenceText = text }) == nil)
        #expect(
            try await failure(desk, request { $0.referenceText = text + "." })
                == .request(.invalidParameter("reference_text")))
        var stepUp = request { $0.stepsUp = true }
        #expect(try await failure(desk, stepUp) == .request(.invalidParameter("enable_step_up")))
        stepUp["prompt"] = "login"
        #expect(try await failure(desk, stepUp) == nil)
    }

    @Test("a plain request has its parameters in the query once, PKCE by S256, and a form for an answer") func query()
        async throws
    {
        let desk = try MitIDDesk()
        var wanted = request { $0.appSwitch = .init(.android, url: MitIDDesk.link) }
        wanted.delivery = .query
        let start = try await desk.party.beginLogin(wanted)
        let fields = FormFields(ofURL: start.url)
        #expect(Set(fields.names).count == fields.names.count)
        #expect(fields["code_challenge_method"] == "S256")
        #expect(fields["response_mode"] == "form_post")
        #expect(fields["response_type"] == "code")
        #expect(fields["idp_values"] == "mitid")
        #expect(
            fields["idp_params"]
                == #"{"mitid":{"enable_app_switch":true,"app_switch_os":"android","app_switch_url":"https://app.service.test/back"}}"#
        )
    }

    private func object(_ desk: MitIDDesk, _ request: LoginRequest? = nil) async throws -> (
        header: JSON, claims: [String: JSON]
    ) {
        let start = try await desk.party.beginLogin(request ?? desk.desk.request)
        let object = try #require(FormFields(ofURL: start.url)["request"])
        let header = try JSON(try #require(Forge.decoded(String(object.split(separator: ".")[0]))))
        let payload = try desk.provider.requestObject(object)
        guard case .object(let claims) = try JSON(payload) else { throw RelyingPartyError.request(.malformed) }
        return (header, claims)
    }

    @Test(
        "MitID case 22: a request object has numbers for its times, an end of at most two minutes, a key's name and no text in place of an object"
    )
    func requestObject() async throws {
        let desk = try MitIDDesk()
        let (header, claims) = try await object(desk, request { $0.level = .high })
        let now = Double(1_700_000_000)
        #expect(claims["exp"] == .number(now + 120))
        #expect(claims["iat"] == .number(now))
        #expect(claims["nbf"] == .number(now))
        #expect(claims["iss"]?.string == "partner-code" && claims["client_id"]?.string == "partner-code")
        #expect(claims["aud"]?.string == MitIDDesk.issuer)
        guard case .object(let members) = header, case .object? = claims["idp_params"] else {
            Issue.record("not objects")
            return
        }
        #expect(members["kid"]?.string == "s1")
        #expect(
            claims["state"]?.string != nil && claims["nonce"]?.string != nil && claims["code_challenge"]?.string != nil)
        let start = try await desk.party.beginLogin(desk.desk.request)
        let beside = FormFields(ofURL: start.url)
        #expect(Set(beside.names) == ["client_id", "response_type", "scope", "request"])
        // A key without a name signs nothing.
        var nameless = TestKeys.client
        nameless.keyID = nil
        #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
            try MitIDDesk(credentials: .keys(signing: nameless))
        }
    }

    @Test("request objects are signed by RS256, PS256, ES256 and, with the secret, HS256; a short secret signs nothing")
    func requestAlgorithms() async throws {
        var pss = TestKeys.client
        pss.algorithm = "PS256"
        let p256 = try PrivateKey.generate(.p256, keyID: "p")
        for (key, name) in [(TestKeys.client, "RS256"), (pss, "PS256"), (p256, "ES256")] {
            let desk = try MitIDDesk(credentials: .keys(signing: key), manner: { $0.clientKey = key.publicKey })
            let header = try await object(desk).header
            #expect(header["alg"]?.string == name)
            #expect(try await desk.failure() == nil, "\(name)")
        }
        let secret = "a secret of thirty-two bytes, and of some more"
        let desk = try MitIDDesk(
            credentials: .secret(secret), authentication: .clientSecretPost, manner: { $0.authentication = .secretPost }
        )
        #expect(try await object(desk).header["alg"]?.string == "HS256")
        let short = try MitIDDesk(
            credentials: .secret("short"), authentication: .clientSecretPost,
            manner: { $0.authentication = .secretPost })
        #expect(try await failure(short, short.desk.request) == .request(.configurationError))
        var query = LoginRequest.mitID()
        query.delivery = .query
        #expect(try await failure(short, query) == nil)
    }

    @Test(
        "mitid.encrypted: the signed request within a JWE for the broker's encryption key, by each pair that it documents"
    )
    func encrypted() async throws {
        for algorithm in [KeyManagementAlgorithm.rsaOAEP256, .rsaOAEP384, .rsaOAEP512] {
            for content in [ContentEncryption.a128cbcHS256, .a256gcm] {
                var settings = MitIDDesk.settings
                (settings.keyManagement, settings.contentEncryption) = (algorithm, content)
                let desk = try MitIDDesk(.mitIDEncrypted(settings))
                let (header, claims) = try await object(desk)
                #expect(header["alg"]?.string == algorithm.name && header["enc"]?.string == content.name)
                #expect(header["cty"]?.string == "JWT" && header["kid"]?.string == "provider-encryption")
                #expect(claims["aud"]?.string == MitIDDesk.issuer)
                #expect(try await desk.failure() == nil)
            }
        }
        var plain = LoginRequest.mitID()
        plain.delivery = .query
        #expect(try await failure(try MitIDDesk(.mitIDEncrypted()), plain) == .request(.configurationError))
    }

    private func reader(samples: Bool, clock: TestClock = TestClock()) -> MitIDRequestReader {
        MitIDRequestReader(
            clientKeys: KeySet(TestKeys.client.publicKey), ownKeys: KeySet(TestKeys.providerEncryption),
            algorithms: [.rs256],
            clientID: "partner-code", authority: MitIDDesk.issuer, clock: clock.tokenClock, readsSamples: samples)
    }

    private func failure(_ read: () throws(RelyingPartyFailure) -> Claims) -> RelyingPartyFailure? {
        do throws(RelyingPartyFailure) {
            _ = try read()
            return nil
        } catch {
            return error
        }
    }

    @Test("MitID case 23: a name of XML Encryption for RSA-OAEP is read by the reader of samples alone") func alias()
        async throws
    {
        let signed = try Forge.signed(
            header: #"{"alg":"RS256","kid":"s1"}"#,
            payload:
                #"{"iss":"partner-code","aud":"\#(MitIDDesk.issuer)","client_id":"partner-code","exp":"1700000120","idp_params":"{\"mitid\":{\"loa_value\":\"high\"}}"}"#,
            with: .privateKey(TestKeys.client), .rs256)
        let key = JWK.publicKey(TestKeys.providerEncryption.publicKey)
        func encrypted(_ header: String, _ algorithm: KeyManagementAlgorithm) throws -> String {
            try Forge.encrypted(
                header: Array(header.utf8), plaintext: Array(signed.utf8), with: key, algorithm, .a128cbcHS256)
        }
        let name = MitIDRequestReader.alias
        let sample = try encrypted(#"{"alg":"\#(name)","enc":"A128CBC-HS256","typ":"JWT"}"#, .rsaOAEP)
        let claims = try reader(samples: true).read(encrypted: sample)
        let parameters = try MitIDParameters(parsing: try #require(claims.json("idp_params")))
        #expect(parameters.level == .high)
        #expect(
            failure { () throws(RelyingPartyFailure) in try reader(samples: false).read(encrypted: sample) }
                == .algorithmNotAllowed)
        let plainOAEP = try encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","cty":"JWT"}"#, .rsaOAEP)
        #expect(
            failure { () throws(RelyingPartyFailure) in try reader(samples: false).read(encrypted: plainOAEP) }
                == .algorithmNotAllowed)
        // No other name, and not the name for another hash.
        let other = try encrypted(
            #"{"alg":"http://www.w3.org/2001/04/xmlenc#rsa-1_5","enc":"A128CBC-HS256"}"#, .rsaOAEP)
        #expect(
            failure { () throws(RelyingPartyFailure) in try reader(samples: true).read(encrypted: other) }
                == .algorithmNotAllowed)
        let wrongHash = try encrypted(#"{"alg":"\#(name)","enc":"A128CBC-HS256"}"#, .rsaOAEP256)
        #expect(
            failure { () throws(RelyingPartyFailure) in try reader(samples: true).read(encrypted: wrongHash) }
                == .decryptionFailed)
        // What our own builder makes holds the strict reader's rules, in which times are numbers.
        let desk = try MitIDDesk(.mitIDEncrypted(MitIDDesk.settings))
        let start = try await desk.party.beginLogin(LoginRequest.mitID())
        let ours = try #require(FormFields(ofURL: start.url)["request"])
        #expect(try reader(samples: false).read(encrypted: ours).string("client_id") == "partner-code")
        let textTimes = try encrypted(#"{"alg":"RSA-OAEP-256","enc":"A128CBC-HS256","cty":"JWT"}"#, .rsaOAEP256)
        #expect(
            failure { () throws(RelyingPartyFailure) in try reader(samples: false).read(encrypted: textTimes) }
                == .claimType("exp"))
    }

    @Test(
        "MitID case 24: RSA-OAEP-384 and -512 go round with MGF1 under the same hash; one for the other fails as every decryption does"
    )
    func hashes() throws {
        let key = JWK.publicKey(TestKeys.providerEncryption.publicKey)
        for (made, named, expected) in [
            (KeyManagementAlgorithm.rsaOAEP384, "RSA-OAEP-384", RelyingPartyFailure.notSigned),
            (.rsaOAEP512, "RSA-OAEP-512", .notSigned), (.rsaOAEP384, "RSA-OAEP-512", .decryptionFailed),
            (.rsaOAEP512, "RSA-OAEP-384", .decryptionFailed), (.rsaOAEP256, "RSA-OAEP-384", .decryptionFailed),
        ] {
            let token = try Forge.encrypted(
                header: Array(#"{"alg":"\#(named)","enc":"A256GCM","cty":"JWT"}"#.utf8),
                plaintext: Array("not signed".utf8),
                with: key, made, .a256gcm)
            // What opens is found to hold no signature; what does not never gets so far.
            #expect(
                failure { () throws(RelyingPartyFailure) in try reader(samples: false).read(encrypted: token) }
                    == expected)
        }
    }

    @Test("MitID case 25: an assertion is for the issuer, never for the token endpoint, R14") func assertionAudience()
        async throws
    {
        let desk = try MitIDDesk()
        #expect(try await desk.failure() == nil)
        let assertion = try #require(desk.provider.lastForm(.token)["client_assertion"])
        guard
            case .object(let claims) = try JSON(try #require(Forge.decoded(String(assertion.split(separator: ".")[1]))))
        else {
            Issue.record("not an object")
            return
        }
        #expect(claims["aud"]?.string == MitIDDesk.issuer)
        #expect(claims["exp"] == .number(1_700_000_120))
        #expect(claims["sub"]?.string == "partner-code" && claims["iss"]?.string == "partner-code")
        let profile = ClientAssertionProfile(
            clientID: "partner-code", server: MitIDDesk.issuer, algorithms: [.rs256], replayStore: nil)
        let issuer = try TokenIssuer(profile.policy, signingKey: .privateKey(TestKeys.client))
        #expect(throws: TokenError.claim(.audienceMismatch)) {
            try issuer.issue(["jti": "1", "aud": .string(MitIDDesk.issuer + "/connect/token")])
        }
        #expect(throws: Never.self) { try issuer.issue(["jti": "1"]) }
    }

    @Test("MitID case 26: identifier and secret are encoded as a form's before base64") func basic() async throws {
        let desk = try MitIDDesk(
            credentials: .secret("a+b/c="), authentication: .clientSecretBasic(isFormEncoded: true))
        var query = LoginRequest.mitID()
        query.delivery = .query
        let failed = try await desk.failure(query)
        // The scripted provider asks for an assertion: what counts here is what it was sent.
        #expect(failed?.step == .tokenResponse)
        let header = try #require(desk.provider.last(.token)?.headers.first { $0.name == "Authorization" }?.value)
        let pair = try #require(Data(base64Encoded: String(header.dropFirst("Basic ".count))))
        #expect(header.hasPrefix("Basic "))
        #expect(String(decoding: pair, as: UTF8.self) == "partner-code:a%2Bb%2Fc%3D")
    }

    @Test("MitID case 29: a pushed request's name works once and for ten minutes, R16") func pushed() async throws {
        let desk = try MitIDDesk(.mitIDPushed(MitIDDesk.settings))
        let start = try await desk.party.beginLogin(desk.desk.request)
        let form = desk.provider.lastForm(.pushed)
        #expect(form["client_assertion"] != nil && form["request"] != nil)
        #expect(try start.url(at: desk.clock.now + 599) == start.url)
        #expect(throws: RelyingPartyError(.expired, in: .request)) { try start.url(at: desk.clock.now + 600) }
        let user = try await desk.party.completeLogin(
            callback: MitIDDesk.callback(desk.form(start.url)), binding: start.binding)
        #expect(user.subject == "user-1")
        // A name that was given before.
        let uri = try #require(FormFields(ofURL: start.url)["request_uri"])
        desk.provider.script.answers[.pushed] = { _ in
            .json(#"{"request_uri":"\#(uri)","expires_in":86400}"#, status: 201)
        }
        #expect(
            try await refusal { try await desk.party.beginLogin(desk.desk.request) }
                == RelyingPartyError(.expired, in: .pushedRequest))
        desk.provider.script.answers[.pushed] = { _ in
            .json(#"{"request_uri":"urn:ietf:params:oauth:request_uri:new","expires_in":86400}"#, status: 201)
        }
        let long = try await desk.party.beginLogin(desk.desk.request)
        #expect(throws: RelyingPartyError(.expired, in: .request)) { try long.url(at: desk.clock.now + 600) }
        desk.provider.script.answers[.pushed] = { _ in .json(#"{"error":"invalid_request"}"#, status: 400) }
        let refused = try await refusal { try await desk.party.beginLogin(desk.desk.request) }
        #expect(refused?.failure == .providerError(try #require(ProviderErrorCode("invalid_request"))))
    }
}
