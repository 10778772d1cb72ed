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

    @Test("R22: expires_in is a whole number of seconds from 0 to 2^53 (RFC 6749, 5.1)")
    func lifetimes() async throws {
        let fixture = try openID()
        for (seconds, isAccepted) in [
            ("3600", true), ("0", true), ("9007199254740992", true), ("9007199254740993", false), ("-1", false),
            ("1.5", false), ("null", false),
        ] {
            let error = try await fixture.failure {
                $0.tokenResponse = { $0.replacing(#""expires_in":3600"#, with: #""expires_in":\#(seconds)"#) }
            }
            let failure = RelyingPartyError(.invalidParameter("expires_in"), in: .tokenResponse)
            #expect(error == (isAccepted ? nil : failure), "\(seconds)")
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
