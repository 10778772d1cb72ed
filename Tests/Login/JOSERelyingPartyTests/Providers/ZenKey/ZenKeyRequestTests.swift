import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSEZenKey
import Testing

@Suite("ZenKey: requests") struct ZenKeyRequestTests {
    private func fields(_ request: LoginRequest) async throws -> FormFields {
        FormFields(ofURL: try await ZenKeyFixture().begin(request).url)
    }
    private func refusal(
        _ name: ParameterName, _ request: LoginRequest, _ comment: Comment? = nil
    ) async throws {
        #expect(
            try await ZenKeyFixture().refused(request) == RelyingPartyError(.invalidParameter(name), in: .request),
            comment
        )
    }

    @Test(
        "the authorization request has PKCE, state and nonce, and goes to the network's carrier")
    func parameters() async throws {
        var request = LoginRequest.zenKey([.name])
        request.zenKeyContext = "Pay 10 € & more"
        request.acrValues = ["a3"]
        request["correlation_id"] = "abcdef-12345"
        let url = try await ZenKeyFixture().begin(request).url
        #expect(url.hasPrefix("https://oidc.verizon.com/authorization?"))
        #expect(url.contains("&context=Pay%2010%20%E2%82%AC%20%26%20more"))
        let fields = FormFields(ofURL: url)
        #expect(fields["client_id"] == "ccid-SP0001" && fields["response_type"] == "code")
        #expect(fields["redirect_uri"] == ZenKeyFixture.redirectURI)
        #expect(fields["scope"] == "name openid")
        #expect(fields["code_challenge_method"] == "S256" && fields["code_challenge"]?.utf8.count == 43)
        #expect(fields["state"]?.utf8.count == 43 && fields["nonce"]?.utf8.count == 43)
        #expect(fields["acr_values"] == "a3" && fields["correlation_id"] == "abcdef-12345")
        #expect(Set(fields.names).count == fields.names.count)
        #expect(fields["request"] == nil && fields["login_hint_token"] == nil)
    }

    @Test("ZenKey case 5: accepts a context of 280 Unicode scalars, and rejects one of 281")
    func contexts() async throws {
        var request = LoginRequest.zenKey()
        for letter in ["x", "é", "😀"] {
            request.zenKeyContext = String(repeating: letter, count: 280)
            #expect(try await fields(request)["context"] == request.zenKeyContext)
            request.zenKeyContext = String(repeating: letter, count: 281)
            try await refusal("context", request)
        }
        // One character to a reader, and two Unicode scalars.
        request.zenKeyContext = String(repeating: "e\u{301}", count: 140)
        #expect(try await fields(request)["context"]?.unicodeScalars.count == 280)
        request.zenKeyContext = String(repeating: "e\u{301}", count: 141)
        try await refusal("context", request)
    }

    @Test("ZenKey case 6: a correlation_id must have 8 to 16 letters, digits and hyphens")
    func correlations() async throws {
        var request = LoginRequest.zenKey()
        for text in ["abc", "abcdefg", "12345678901234567", "abcdefg_", "abcd efgh", ""] {
            request["correlation_id"] = text
            try await refusal("correlation_id", request, "\(text)")
        }
        for text in ["abcdefgh", "1234567890-abcde"] {
            request["correlation_id"] = text
            #expect(try await fields(request)["correlation_id"] == text)
        }
    }

    @Test("ZenKey case 7: scopes are sorted without duplicates, and port_data is rejected")
    func scopes() async throws {
        #expect(try await fields(.zenKey([.email, .email]))["scope"] == "email openid")
        #expect(try await fields(.zenKey([.phone, .lastFourSocial]))["scope"] == "last_4_social openid phone")
        var request = LoginRequest.zenKey()
        for scope in ["port_data", "profile", "birthdate", "Email"] {
            request.scopes = ["openid", scope]
            try await refusal("scope", request, "\(scope)")
        }
        request.scopes = ["email"]
        try await refusal("scope", request)
        request.scopes = ["phone", "openid", "email"]
        #expect(try await fields(request)["scope"] == "email openid phone")
    }

    @Test(
        "levels and prompts are those of ZenKey's guide, and unsupported parameters are rejected"
    )
    func values() async throws {
        let bad: [(ParameterName, String)] = [
            ("acr_values", "a4"), ("acr_values", "a1  a2"), ("acr_values", ""), ("prompt", "select_account"),
            ("prompt", "login consent"), ("login_hint_token", "eyJ"), ("request", "x"), ("request_uri", "https://x"),
            ("code_challenge_method", "plain"), ("code_challenge", "x"), ("state", "x"), ("nonce", "x"),
            ("client_id", "x"), ("mccmnc", "310010"), ("login_hint", "x"),
        ]
        for (name, value) in bad {
            var request = LoginRequest.zenKey()
            request[name] = value
            try await refusal(name, request, "\(name)")
        }
        let good: [(ParameterName, String)] = [
            ("acr_values", "a1 a3"), ("acr_values", "loa3"), ("prompt", "none"), ("sdk_version", "1.0.0"),
            ("options", "dark"),
        ]
        for (name, value) in good {
            var request = LoginRequest.zenKey()
            request[name] = value
            #expect(try await fields(request)[name.description] == value)
        }
    }

    @Test("redirect URIs are https or an app's own scheme, and client IDs begin with ccid-")
    func configuration() async throws {
        let shapes = [
            "https://service.test/cb", "ccid-SP0001://com.xci.provider.sdk", "com.sp.app://back", "custom://",
        ]
        for uri in shapes {
            let fixture = try ZenKeyFixture(redirectURI: uri)
            #expect(FormFields(ofURL: try await fixture.begin().url)["redirect_uri"] == uri)
        }
        let refused = RelyingPartyError(.configurationError, in: .configuration)
        for uri in ["http://service.test/cb", "javascript://x", "service", "https://a@b/", "x y://z", "app://x#y", ""] {
            #expect(throws: refused, "\(uri)") { try ZenKeyFixture(redirectURI: uri) }
        }
        for id in ["SP0001", "ccid-", "ccid-SP 1", "CCID-SP0001"] {
            #expect(throws: refused, "\(id)") { try ZenKeyFixture(clientID: id) }
        }
        // ZenKey's guide has no assertions: a client has a secret.
        #expect(throws: refused) { try ZenKeyFixture(credentials: .keys(signing: TestKeys.client)) }
    }

    @Test("ZenKey case 28: a client has a secret and sends no assertion, whatever the kid of its key")
    func assertions() async throws {
        let refused = RelyingPartyError(.configurationError, in: .configuration)
        for keyID in ["ccid-SP0001", "another"] {
            var key = TestKeys.client
            key.keyID = keyID
            #expect(throws: refused, "\(keyID)") { try ZenKeyFixture(credentials: .keys(signing: key)) }
        }
        for method in [ClientAuthentication.privateKeyJWT, .privateKeyJWTEncrypted, .clientSecretJWT] {
            #expect(throws: refused, "\(method)") { try ZenKeyFixture(authentication: method) }
        }
        for method in [nil, .clientSecretBasic(isFormEncoded: false)] as [ClientAuthentication?] {
            let fixture = try ZenKeyFixture(authentication: method)
            _ = try await fixture.login()
            #expect(!fixture.carrier.lastForm(.token).names.contains("client_assertion"))
        }
    }
}
