import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

/// Each step of a login needs some members of the provider's metadata, and judges no others.
@Suite("The metadata that a login needs") struct MetadataNeedTests {
    private func openID(
        audience: String = LoginFixture.issuer, _ change: (inout OpenIDOptions) -> Void = { _ in }
    ) throws -> LoginFixture {
        var options = OpenIDOptions()
        change(&options)
        var manner = ProviderManner(authentication: .assertion(audience: audience, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        return try LoginFixture(
            .openID(issuer: LoginFixture.issuer, options: options), manner: manner, request: LoginRequest())
    }

    /// Values that no endpoint has, with the reason of a step that needs it.
    private static func unusable(_ member: MetadataMember) -> [(String?, RelyingPartyError.Reason)] {
        let (missing, invalid) = (
            RelyingPartyError.Reason.metadataMissing(member), RelyingPartyError.Reason.metadataInvalid(member)
        )
        return [
            (nil, missing), ("null", missing), (#""""#, invalid), (#""/a""#, invalid), (#""urn:a:b""#, invalid),
            (#""http://provider.test/a""#, invalid), (#""https://u@provider.test/a""#, invalid), ("5", invalid),
            ("[]", invalid),
        ]
    }

    @Test("a login names the endpoint that it lacks, and needs no endpoint of another step")
    func endpoints() async throws {
        let used: [MetadataMember] = [.authorizationEndpoint, .tokenEndpoint, .userInfoEndpoint]
        for member in used {
            for (value, reason) in Self.unusable(member) {
                let fixture = try openID()
                fixture.provider.script.metadata[member.description] = value
                #expect(
                    try await fixture.failure() == RelyingPartyError(reason, in: .discovery),
                    "\(member) \(value ?? "none")")
            }
        }
        let others: [MetadataMember] = [
            .pushedAuthorizationRequestEndpoint, .revocationEndpoint, .endSessionEndpoint, .introspectionEndpoint,
            .registrationEndpoint, .deviceAuthorizationEndpoint, .backchannelAuthenticationEndpoint, .scopes,
            .idTokenSigningAlgorithms, .codeChallengeMethods, .claimsParameter,
        ]
        for value in [#""""#, "null", #""urn:a:b""#, #""/a""#, "5", "{}"] {
            let fixture = try openID()
            for member in others { fixture.provider.script.metadata[member.description] = value }
            #expect(try await fixture.login().subject == "user-1", "\(value)")
        }
        // A profile without userinfo needs no endpoint for it.
        let fixture = try openID { $0.userInfo = .none }
        fixture.provider.script.metadata["userinfo_endpoint"] = #""urn:a:b""#
        #expect(try await fixture.login().userInfo == nil)
    }

    @Test("a pushed request, a logout and a revocation name the endpoint that they lack")
    func otherSteps() async throws {
        let steps: [(MetadataMember, (LoginFixture) async throws -> RelyingPartyError?)] = [
            (
                .pushedAuthorizationRequestEndpoint,
                { fixture in try await refusal { try await fixture.party.beginLogin(fixture.request) } }
            ),
            (.endSessionEndpoint, { fixture in try await refusal { try await fixture.party.logoutURL() } }),
            (.revocationEndpoint, { fixture in try await refusal { try await fixture.party.revoke("token") } }),
        ]
        for (member, step) in steps {
            let control = try openID { $0.pushesRequests = true }
            #expect(try await step(control) == nil, "\(member)")
            for (value, reason) in Self.unusable(member) {
                let fixture = try openID { $0.pushesRequests = true }
                fixture.provider.script.metadata[member.description] = value
                #expect(
                    try await step(fixture) == RelyingPartyError(reason, in: .discovery),
                    "\(member) \(value ?? "none")")
            }
        }
    }

    @Test("a client assertion for the token endpoint is not made if the metadata has none (OpenID Connect Core, 9)")
    func assertionAudience() async throws {
        func pushing() throws -> LoginFixture {
            try openID(audience: LoginFixture.issuer + "/token") {
                $0.pushesRequests = true
                $0.assertionsAreForTokenEndpoint = true
            }
        }
        #expect(try await pushing().failure() == nil)
        for (value, reason) in Self.unusable(.tokenEndpoint) {
            let fixture = try pushing()
            fixture.provider.script.metadata["token_endpoint"] = value
            #expect(try await fixture.failure() == RelyingPartyError(reason, in: .pushedRequest))
            #expect(fixture.provider.calls(.pushed) == 0)
        }
    }

    @Test("an unusable announcement of iss in responses is named where a response has none (RFC 9207, 2.4)")
    func announcedIssuer() async throws {
        let member = MetadataMember.authorizationResponseIssParameter
        let named = "&iss=" + FormFields.encoded(LoginFixture.issuer)
        for (value, suffix, reason) in [
            (#""true""#, "", .metadataInvalid(member)), ("1", "", .metadataInvalid(member)),
            (#""false""#, "", .metadataInvalid(member)), (#""true""#, named, nil), ("true", "", .issuerMismatch),
            ("true", named, nil), ("false", "", nil), ("null", "", nil),
            (#""true""#, "&iss=https%3A%2F%2Fother.test", .issuerMismatch),
        ] as [(String, String, RelyingPartyError.Reason?)] {
            let fixture = try openID()
            fixture.provider.script.metadata[member.description] = value
            let start = try await fixture.party.beginLogin(fixture.request)
            let query = fixture.provider.authorize(start.url) + suffix
            let error = try await refusal {
                try await fixture.party.completeLogin(callback: .query(query), binding: start.binding)
            }
            #expect(error == reason.map { RelyingPartyError($0, in: .callback) }, "\(value) \(suffix)")
            #expect(fixture.provider.calls(.token) == (reason == nil ? 1 : 0))
        }
    }

    @Test("the metadata must name the issuer and its keys, whatever a login needs beside (RFC 8414, 3.3)")
    func needed() async throws {
        #expect(try await openID().failure() == nil)
        for (name, value, reason) in [
            ("issuer", #""https://provider.test/v2/""#, .discoveryMismatch), ("issuer", nil, .metadataMissing(.issuer)),
            ("issuer", "null", .metadataMissing(.issuer)), ("issuer", "5", .metadataInvalid(.issuer)),
            ("jwks_uri", nil, .metadataMissing(.jwksURI)), ("jwks_uri", "null", .metadataMissing(.jwksURI)),
            ("jwks_uri", #""http://provider.test/v2/keys""#, .metadataInvalid(.jwksURI)),
            ("jwks_uri", #""""#, .metadataInvalid(.jwksURI)),
        ] as [(String, String?, RelyingPartyError.Reason)] {
            let fixture = try openID()
            fixture.provider.script.metadata[name] = value
            let error = try await fixture.failure()
            #expect(error == RelyingPartyError(reason, in: .discovery), "\(name) \(value ?? "none")")
            #expect(error?.action == .fixConfiguration && fixture.provider.calls(.keys) == 0)
        }
    }
}
