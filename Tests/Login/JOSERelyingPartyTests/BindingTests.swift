import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("Binding of a login to a browser") struct BindingTests {
    private func openID(_ options: OpenIDOptions = OpenIDOptions()) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        return try LoginFixture(
            .openID(issuer: LoginFixture.issuer, options: options), manner: manner, request: LoginRequest())
    }

    @Test("R06: a victim is not logged in by an attacker's callback") func loginCSRF() async throws {
        let fixture = try openID()
        let attacker = try await fixture.party.beginLogin(fixture.request)
        let victim = try await fixture.party.beginLogin(fixture.request)
        let calls = fixture.provider.calls
        for binding in [nil, victim.binding] {
            let error = try await refusal {
                try await fixture.party.completeLogin(
                    callback: .query(fixture.provider.authorize(attacker.url)), binding: binding)
            }
            #expect(error?.reason == .bindingMismatch)
        }
        #expect(fixture.provider.calls == calls)
        #expect(try await fixture.finish(victim).subject == "user-1")
    }

    @Test("the binding's cookie is Secure, HttpOnly and for one host, and SameSite=None only for a form_post")
    func cookies()
        async throws
    {
        let fixture = try openID()
        let start = try await fixture.party.beginLogin(fixture.request)
        let name = String(start.cookie.prefix { $0 != "=" })
        #expect(start.cookie == "\(name)=\(start.binding); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600")
        #expect(name.wholeMatch(of: /__Host-bulla-login-[A-Za-z0-9_-]{12}/) != nil)
        let state = try #require(FormFields(ofURL: start.url)["state"])
        #expect(!state.contains(name.suffix(12)))
        let callback = AuthorizationCallback.query("code=x&state=" + state)
        #expect(callback.binding(inCookies: "a=b; \(name)=\(start.binding); c=d") == start.binding)
        #expect(callback.binding(inCookies: "\(name)=x; \(name)=y") == nil)
        for cookies in ["a=b", "", "\(name)x=y", name, "__Host-bulla-login-=y"] {
            #expect(callback.binding(inCookies: cookies) == nil)
        }
        for query in ["code=x", "state=\(state)&state=\(state)", "state=x"] {
            #expect(AuthorizationCallback.query(query).binding(inCookies: "\(name)=\(start.binding)") == nil)
            // A cookie may have no name (RFC 6265bis, 5.6).
            #expect(AuthorizationCallback.query(query).binding(inCookies: "=\(start.binding)") == nil)
        }
        #expect(callback.clearingCookie == "\(name)=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0")
        #expect(AuthorizationCallback.query("code=x").clearingCookie == nil)
        var options = OpenIDOptions()
        options.answersByFormPost = true
        let form = try openID(options)
        let posted = try await form.party.beginLogin(form.request)
        #expect(posted.cookie.contains("; SameSite=None;"))
        let body = Array(form.provider.authorize(posted.url).utf8)
        let user = try await form.party.completeLogin(
            callback: .form(body, contentType: "application/x-www-form-urlencoded; charset=UTF-8"),
            binding: posted.binding)
        #expect(user.subject == "user-1")
        let again = try await form.party.beginLogin(form.request)
        let error = try await refusal {
            try await form.party.completeLogin(
                callback: .query(form.provider.authorize(again.url)), binding: again.binding)
        }
        #expect(error?.reason == .invalidParameter("response_mode"))
    }

    @Test("R04 and R06: concurrent logins in one browser complete, each by its own cookie and in any order")
    func sideBySide() async throws {
        let fixture = try openID()
        var jar: [String] = []
        var starts: [AuthorizationRequest] = []
        for _ in 0..<3 {
            let start = try await fixture.party.beginLogin(fixture.request)
            let cookie = String(start.cookie.prefix { $0 != ";" })
            let name = cookie.prefix { $0 != "=" }
            // A browser replaces a cookie of the same name.
            jar.removeAll { $0.hasPrefix(name + "=") }
            jar.append(cookie)
            starts.append(start)
        }
        let cookies = jar.joined(separator: "; ")
        for start in starts.reversed() {
            let callback = AuthorizationCallback.query(fixture.provider.authorize(start.url))
            let binding = try #require(callback.binding(inCookies: cookies))
            #expect(binding == start.binding)
            #expect(try await fixture.party.completeLogin(callback: callback, binding: binding).subject == "user-1")
        }
        // The cookies of another browser have no binding for this login.
        let victim = try await fixture.party.beginLogin(fixture.request)
        let callback = AuthorizationCallback.query(fixture.provider.authorize(victim.url))
        let error = try await refusal {
            try await fixture.party.completeLogin(callback: callback, binding: callback.binding(inCookies: cookies))
        }
        #expect(error?.reason == .bindingMismatch)
    }
}
