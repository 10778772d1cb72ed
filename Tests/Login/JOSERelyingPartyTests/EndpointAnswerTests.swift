import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("Responses of endpoints at their limits") struct EndpointAnswerTests {
    private func openID(_ options: OpenIDOptions = OpenIDOptions()) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        return try LoginFixture(
            .openID(issuer: LoginFixture.issuer, options: options), manner: manner, request: LoginRequest())
    }

    @Test("R16: a request_uri of up to 512 printable characters is accepted (RFC 9126, 2.2)")
    func requestURIs() async throws {
        var options = OpenIDOptions()
        options.pushesRequests = true
        let fixture = try openID(options)
        let longest = "urn:" + String(repeating: "a", count: 508)
        for (uri, isAccepted) in [
            (longest, true), (longest + "a", false), ("urn:!~", true), ("urn:\u{7F}", false), ("urn:\u{E9}", false),
        ] {
            fixture.provider.script.answers[.pushed] = { _ in
                .json(#"{"request_uri":"\#(uri)","expires_in":60}"#, status: 201)
            }
            let error = try await refusal { try await fixture.party.beginLogin(fixture.request) }
            let failure = RelyingPartyError(.invalidParameter("request_uri"), in: .pushedRequest)
            #expect(error == (isAccepted ? nil : failure), "\(uri.utf8.count)")
        }
    }

    /// Values of `expires_in` as JSON, with the lifetime that each states; nil for none.
    private static let lifetimes: [(String, Duration?)] = [
        ("3600", .seconds(3600)), (#""3600""#, .seconds(3600)), ("3600.0", .seconds(3600)), ("3.6e3", .seconds(3600)),
        ("1.5", .milliseconds(1500)), ("9007199254740992", .seconds(Int64(1) << 53)), ("null", nil),
        ("1e17", nil), (#""soon""#, nil), (#""""#, nil), (#""-1""#, nil), (#""3600.0""#, nil), ("[3600]", nil),
        ("true", nil),
    ]

    @Test("R22: expires_in of a token response may be text or have a fraction, and ends no login (RFC 6749, 5.1)")
    func lifetimes() async throws {
        let fixture = try openID()
        for (value, lifetime) in Self.lifetimes + [("0", .zero), (#""0""#, .zero), ("-1", nil)] {
            fixture.provider.script.tokenResponse = {
                $0.replacing(#""expires_in":3600"#, with: #""expires_in":\#(value)"#)
            }
            #expect(try await fixture.login().tokens.expiresIn == lifetime, "\(value)")
        }
        fixture.provider.script.tokenResponse = { $0.replacing(#""expires_in":3600,"#, with: "") }
        #expect(try await fixture.login().tokens.expiresIn == nil)
        // A duplicate is ambiguous, whoever needs the member.
        let error = try await fixture.failure {
            $0.tokenResponse = { $0.replacing(#""expires_in":3600"#, with: #""expires_in":1,"expires_in":3600"#) }
        }
        #expect(error == RelyingPartyError(.malformed, in: .tokenResponse))
    }

    @Test("R16: a pushed request whose lifetime is not stated is valid as long as a login, and one of zero never")
    func pushedLifetimes() async throws {
        var options = OpenIDOptions()
        options.pushesRequests = true
        let fixture = try openID(options)
        var rows = Self.lifetimes.map { (member: #","expires_in":\#($0.0)"#, lifetime: $0.1) }
        rows.append((member: "", lifetime: nil))
        for (number, row) in rows.enumerated() {
            let (member, lifetime) = row
            fixture.provider.script.answers[.pushed] = { _ in
                .json(#"{"request_uri":"urn:\#(number)"\#(member)}"#, status: 201)
            }
            let start = try await fixture.party.beginLogin(fixture.request)
            // No login takes longer than the profile allows.
            let longest = min(lifetime ?? .seconds(600), .seconds(600))
            #expect(start.urlExpires == fixture.clock.now + longest, "\(member)")
        }
        for value in ["0", #""0""#, "-1", "0.0", "-0.5"] {
            fixture.provider.script.answers[.pushed] = { _ in
                .json(#"{"request_uri":"urn:x","expires_in":\#(value)}"#, status: 201)
            }
            let error = try await refusal { try await fixture.party.beginLogin(fixture.request) }
            #expect(error == RelyingPartyError(.invalidParameter("expires_in"), in: .pushedRequest), "\(value)")
        }
    }

    @Test("an ID token that is null or empty is one that is missing, which a refresh does not need (OpenID, 12.2)")
    func missingIDTokens() async throws {
        let fixture = try openID()
        let answer = #"{"access_token":"access-9","token_type":"Bearer","refresh_token":"r""#
        let ticket = RefreshTicket(refreshToken: "r0", issuer: LoginFixture.issuer, subject: "user-1")
        for (member, loginFailure, refreshFailure) in [
            ("", .missingParameter("id_token"), nil),
            (#","id_token":null"#, .missingParameter("id_token"), nil),
            (#","id_token":"""#, .invalidParameter("id_token"), nil),
            (#","id_token":5"#, .invalidParameter("id_token"), .invalidParameter("id_token")),
            (#","id_token":["a.b.c"]"#, .invalidParameter("id_token"), .invalidParameter("id_token")),
        ] as [(String, RelyingPartyError.Reason, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { $0.answers[.token] = { _ in .json(answer + member + "}") } }
            #expect(error == RelyingPartyError(loginFailure, in: .tokenResponse), "\(member)")
            fixture.provider.script.answers[.token] = { _ in .json(answer + member + "}") }
            let refused = try await refusal { try await fixture.party.refresh(ticket) }
            #expect(refused == refreshFailure.map { RelyingPartyError($0, in: .tokenResponse) }, "\(member)")
            if refreshFailure == nil {
                let tokens = try await fixture.party.refresh(ticket)
                #expect(tokens.idToken == nil && tokens.ticket.refreshToken == "r", "\(member)")
            }
            fixture.provider.script.answers[.token] = nil
        }
        // A token that is there is verified, although a refresh needs none.
        let forged = #"{"access_token":"access-9","token_type":"Bearer","id_token":"a.b.c"}"#
        fixture.provider.script.answers[.token] = { _ in .json(forged) }
        #expect(try await refusal { try await fixture.party.refresh(ticket) }?.step == .idToken)
    }

    @Test("members of a token response that are not needed end no login, and an empty refresh token replaces none")
    func unneededMembers() async throws {
        let fixture = try openID()
        #expect(try await fixture.failure() == nil)
        for members in [
            #""scope":["openid"],"#, #""scope":null,"#, #""refresh_token":null,"#, #""refresh_token":"","#,
            #""refresh_token":7,"#, #""refresh_expires_in":"never","#, #""session_state":null,"not-before-policy":0,"#,
        ] {
            let beginning = "{" + members + #""access_token""#
            fixture.provider.script.tokenResponse = { $0.replacing(#"{"access_token""#, with: beginning) }
            #expect(try await fixture.login().refreshTicket == nil, "\(members)")
        }
        let ticket = RefreshTicket(refreshToken: "r0", issuer: LoginFixture.issuer, subject: "user-1")
        fixture.provider.script.answers[.token] = { _ in
            .json(#"{"access_token":"a","token_type":"Bearer","refresh_token":""}"#)
        }
        #expect(try await fixture.party.refresh(ticket).ticket.refreshToken == "r0")
        // What is needed is checked.
        for (answer, failure) in [
            (#"{"access_token":null,"token_type":"Bearer"}"#, .missingParameter("access_token")),
            (#"{"access_token":"","token_type":"Bearer"}"#, .invalidParameter("access_token")),
            (#"{"access_token":"a","token_type":null}"#, .missingParameter("token_type")),
            (#"{"access_token":"a","token_type":"mac"}"#, .invalidParameter("token_type")),
        ] as [(String, RelyingPartyError.Reason)] {
            fixture.provider.script.answers[.token] = { _ in .json(answer) }
            let error = try await refusal { try await fixture.party.refresh(ticket) }
            #expect(error == RelyingPartyError(failure, in: .tokenResponse), "\(answer)")
        }
    }

    @Test("R23: the ticket of another issuer is rejected before its refresh token is sent") func tickets() async throws
    {
        let fixture = try openID()
        for (issuer, isAccepted) in [
            (LoginFixture.issuer, true), ("https://other.test", false), (LoginFixture.issuer + "/", false), ("", false),
        ] {
            let calls = fixture.provider.calls(.token)
            let ticket = RefreshTicket(refreshToken: "r", issuer: issuer, subject: "user-1")
            let error = try await refusal { try await fixture.party.refresh(ticket) }
            #expect(error == (isAccepted ? nil : .request(.issuerMismatch)), "\(issuer)")
            #expect(fixture.provider.calls(.token) == calls + (isAccepted ? 1 : 0))
        }
    }
}
