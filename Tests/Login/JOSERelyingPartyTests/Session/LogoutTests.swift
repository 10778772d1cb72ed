import Foundation
import JOSE
import JOSECrypto
import JOSEKeySets
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@testable import JOSERelyingParty

@Suite("Logout") struct LogoutTests {
    /// A service with a store whose responses can be lost.
    private struct Fixture {
        let fixture: LoginFixture
        let steps = StoreSteps()
        let party: RelyingParty

        init(_ options: OpenIDOptions = OpenIDOptions()) throws {
            var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
            (manner.idToken, manner.userInfo) = (.signed, .json)
            var profile = ProviderProfile.openID(issuer: LoginFixture.issuer, options: options)
            // No profile of the library has both request documents and `id_token_hint`.
            profile.request.deliveries.append(.reference(""))
            fixture = try LoginFixture(profile, manner: manner, request: LoginRequest())
            party = try RelyingParty(
                profile, in: .sandbox(issuer: LoginFixture.issuer), client: fixture.client, transport: fixture.provider,
                store: SteppedLoginStore(steps), clock: fixture.clock.wallClock, keySets: nil, observer: nil,
                fetching: LoginFixture.environment(fixture.clock))
        }

        func token(_ id: String, session: String = "session") throws -> String {
            let now = Int64(fixture.clock.now.secondsSince1970)
            return try Forge.signed(
                header: #"{"alg":"RS256","kid":"provider-signature","typ":"logout+jwt"}"#,
                payload:
                    #"{"iss":"\#(LoginFixture.issuer)","aud":"partner-code","iat":\#(now),"exp":\#(now + 120),"jti":"\#(id)","#
                    + #""sid":"\#(session)","events":{"http://schemas.openid.net/event/backchannel-logout":{}}}"#,
                with: .privateKey(TestKeys.provider), .rs256)
        }
    }

    @Test(
        "R30 a repeated logout token returns an equal notice until the service has confirmed it, and is then replayed")
    func repeats() async throws {
        let fixture = try Fixture()
        let token = try fixture.token("1")
        let notice = try await fixture.party.acceptLogout(token: token)
        #expect(notice.issuer == LoginFixture.issuer && notice.sessionID == "session" && notice.subject == nil)
        // The service stopped before it ended the session: the provider posts the token again.
        #expect(try await fixture.party.acceptLogout(token: token) == notice)
        try await fixture.party.confirmLogout(notice)
        #expect(
            try await refusal { try await fixture.party.acceptLogout(token: token) }
                == RelyingPartyError(.replayed, in: .logoutToken))
        try await fixture.party.confirmLogout(notice)
        // Another token of the same provider has its own notice.
        let other = try await fixture.party.acceptLogout(token: try fixture.token("2", session: "other"))
        #expect(other.sessionID == "other" && other != notice)
        // An expired token is rejected as expired, whether it was confirmed or not.
        fixture.fixture.clock.advance(by: .seconds(300))
        #expect(
            try await refusal { try await fixture.party.acceptLogout(token: token) }
                == RelyingPartyError(.expired, in: .logoutToken))
    }

    @Test("R30 whichever response of the store is lost, the provider's next logout token ends the session")
    func lostAnswers() async throws {
        for number in 1...8 {
            let fixture = try Fixture()
            _ = try await fixture.party.acceptLogout(token: try fixture.token("first"))
            let token = try fixture.token("1")
            var ended: [String?] = []
            var errors: [RelyingPartyError?] = []
            func post() async throws -> RelyingPartyError? {
                try await refusal {
                    let notice = try await fixture.party.acceptLogout(token: token)
                    ended.append(notice.sessionID)
                    try await fixture.party.confirmLogout(notice)
                }
            }
            fixture.steps.arm(at: number)
            errors.append(try await post())
            let isSpent = fixture.steps.isSpent
            fixture.steps.disarm()
            // A provider that did not receive status 200 posts the token again.
            if errors[0] != nil { errors.append(try await post()) }
            #expect(ended.first == "session", "\(number)")
            #expect(try await post() == RelyingPartyError(.replayed, in: .logoutToken), "\(number)")
            guard isSpent else {
                #expect(errors == [nil] && number > 2)
                return
            }
            #expect(errors[0] == RelyingPartyError(.storeUnavailable, in: .store), "\(number)")
            #expect(errors[0]?.action == .retry, "\(number)")
        }
        Issue.record("a logout calls its store more than 8 times")
    }

    @Test("R36 the ID token of a logout is sent by a form post, and is not in a URL")
    func forms() async throws {
        let fixture = try Fixture()
        let idToken = "aaaa.bbbb.cccc"
        let back = "https://service.test/bye?a=1&b=2"
        let state = #"x"><script>alert('1')</script>&"#
        let form = try await fixture.party.logoutForm(idToken: idToken, returnTo: back, state: state)
        #expect(form.url == LoginFixture.issuer + "/endsession")
        #expect(form.fields.map(\.name) == ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"])
        #expect(form.fields.map(\.value) == [idToken, "partner-code", back, state])
        let page = form.page
        #expect(page.contains(#"<form method="post" action="\#(form.url)">"#))
        #expect(page.contains(#"<input type="hidden" name="id_token_hint" value="\#(idToken)">"#))
        #expect(page.contains(#"value="https://service.test/bye?a=1&amp;b=2""#))
        #expect(page.contains(#"value="x&quot;&gt;&lt;script&gt;alert('1')&lt;/script&gt;&amp;""#))
        // The policy lets the page's own script run and no other.
        let scripts = page.components(separatedBy: "<script>").dropFirst().map { $0.components(separatedBy: "<")[0] }
        #expect(scripts.count == 1)
        let digest = try Hash.sha256.digest(Array(try #require(scripts.first).utf8).span)
        let hash = Data(digest).base64EncodedString()
        #expect(BrowserForm.contentSecurityPolicy.contains("default-src 'none'; script-src 'sha256-\(hash)';"))
        for text in ["\(form)", String(reflecting: form)] { #expect(!text.contains(idToken)) }
        var dumped = ""
        dump(form, to: &dumped)
        #expect(!dumped.contains(idToken))

        let plain = try await fixture.party.logoutURL(logoutHint: "session", returnTo: back, state: "s")
        #expect(plain.hasPrefix(LoginFixture.issuer + "/endsession?"))
        let fields = FormFields(ofURL: plain)
        #expect(fields.names == ["logout_hint", "client_id", "post_logout_redirect_uri", "state"])
        #expect(fields["logout_hint"] == "session" && fields["post_logout_redirect_uri"] == back)
        #expect(FormFields(ofURL: try await fixture.party.logoutURL()).names == ["client_id"])
        for bad in ["http://service.test/bye", "https://service.test/#a", "https://a@service.test/", "bye"] {
            let failure = RelyingPartyError(.invalidParameter("post_logout_redirect_uri"), in: .request)
            #expect(try await refusal { try await fixture.party.logoutURL(returnTo: bad) } == failure)
            #expect(
                try await refusal { try await fixture.party.logoutForm(idToken: idToken, returnTo: bad) } == failure)
        }
    }

    @Test("R36 id_token_hint of a login is pushed or in the request document, and in no URL")
    func hints() async throws {
        let fixture = try Fixture()
        for (delivery, isSent) in [
            (RequestDelivery.query, false), (.object, false), (.reference("https://service.test/request"), true),
            (.pushed, true), (.pushedParameters, true),
        ] {
            var request = LoginRequest()
            request.delivery = delivery
            #expect(try await refusal { try await fixture.party.beginLogin(request) } == nil)
            request["id_token_hint"] = "aaaa.bbbb.cccc"
            let error = try await refusal {
                let start = try await fixture.party.beginLogin(request)
                #expect(!start.url.contains("aaaa.bbbb.cccc") && !start.url.contains("id_token_hint"))
            }
            #expect(error == (isSent ? nil : .request(.invalidParameter("id_token_hint"))), "\(delivery)")
        }
    }
}
