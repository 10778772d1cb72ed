import JOSEKeySets
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@testable import JOSERelyingParty
@testable import JOSEZenKey

/// Logins that an app performs with ZenKey's SDK. The app's part is played by `hand`.
@Suite("ZenKey: hand-over from an app") struct ZenKeyHandoverTests {
    private static let session = "secret-of-the-session-of-an-app"
    private static let verifier = String(repeating: "v", count: 42) + "~"

    /// Returns the members of the app's message, after the user has consented at the carrier.
    private func hand(
        _ fixture: ZenKeyFixture, _ handover: ZenKeyHandover, nonce: String? = nil, verifier: String = verifier
    ) throws -> [String: String] {
        let parameters = [
            ("client_id", CarrierWeb.clientID), ("response_type", "code"), ("scope", "openid"),
            ("redirect_uri", ZenKeyFixture.redirectURI), ("state", "of-the-sdk"), ("nonce", nonce ?? handover.nonce),
            ("code_challenge", try Secret.hash(verifier)), ("code_challenge_method", "S256"),
        ]
        let query = parameters.map { "\($0.0)=\(FormFields.encoded($0.1))" }.joined(separator: "&")
        let callback = FormFields(fixture.carrier.authorize("\(CarrierWeb.verizon)/authorization?\(query)"))
        return [
            "handle": handover.handle, "code": try #require(callback["code"]), "mccmnc": "310010",
            "codeVerifier": verifier, "redirectURI": ZenKeyFixture.redirectURI, "nonce": nonce ?? handover.nonce,
        ]
    }

    private func complete(
        _ fixture: ZenKeyFixture, _ members: [String: String], session: String = session
    ) async throws -> LoggedInUser {
        try await fixture.party.completeZenKeyHandover(body(members), session: session)
    }

    private func body(_ members: [String: String]) -> [UInt8] {
        let text = members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
        return Array("{\(text)}".utf8)
    }

    private func reason(
        _ fixture: ZenKeyFixture, _ members: [String: String], session: String = session
    ) async throws -> RelyingPartyError.Reason? {
        try await refusal { try await complete(fixture, members, session: session) }?.reason
    }

    /// Returns the reason for which a changed message is rejected, after which its handle is used up.
    private func reason(
        _ fixture: ZenKeyFixture, _ change: (inout [String: String]) -> Void
    ) async throws -> RelyingPartyError.Reason? {
        let good = try hand(fixture, try await fixture.party.beginZenKeyHandover(session: Self.session))
        var members = good
        change(&members)
        let found = try await reason(fixture, members)
        #expect(try await reason(fixture, good) == .stateMismatch)
        return found
    }

    @Test("ZenKey case 29: the verifier of the app is in the token request, with the client in the Basic header only")
    func happyPath() async throws {
        let fixture = try ZenKeyFixture()
        var request = LoginRequest.zenKey([.email])
        request.zenKeyContext = "Sign in to the shop"
        let handover = try await fixture.party.beginZenKeyHandover(request, session: Self.session)
        #expect(handover.handle.utf8.count == 43 && handover.nonce.utf8.count == 43)
        #expect(handover.expires > fixture.clock.now && fixture.web.calls == 0)
        var members = try hand(fixture, handover)
        members["context"] = "Sign in"
        let user = try await complete(fixture, members)
        #expect(
            user.subject == "user-1" && user.issuer == CarrierWeb.verizon && user.zenKey?.network?.digits == "310010")
        let form = fixture.carrier.lastForm(.token)
        #expect(form.names == ["grant_type", "code", "redirect_uri", "code_verifier"])
        #expect(form["code_verifier"] == Self.verifier && form["redirect_uri"] == ZenKeyFixture.redirectURI)
        let header = fixture.carrier.last(.token)?.headers.first { $0.name == "Authorization" }?.value
        #expect(header?.hasPrefix("Basic ") == true)
    }

    @Test("all requests after a hand-over share one time limit")
    func timeLimit() async throws {
        for (latency, expected) in [(3, nil), (6, RelyingPartyError.Reason.unreachable)] {
            let fixture = try ZenKeyFixture()
            let members = try hand(fixture, try await fixture.party.beginZenKeyHandover(session: Self.session))
            fixture.carrier.script.latency = .seconds(latency)
            #expect(try await reason(fixture, members) == expected, "\(latency)")
        }
    }

    @Test(
        "ZenKey case 30: a handle that was used, or of another session, is a wrong state, with one token call at most")
    func handles() async throws {
        let fixture = try ZenKeyFixture()
        let first = try hand(fixture, try await fixture.party.beginZenKeyHandover(session: Self.session))
        #expect(try await reason(fixture, first) == nil)
        #expect(try await reason(fixture, first) == .stateMismatch)
        #expect(fixture.carrier.calls(.token) == 1)
        let second = try hand(fixture, try await fixture.party.beginZenKeyHandover(session: Self.session))
        #expect(try await reason(fixture, second, session: "another secret of a session") == .stateMismatch)
        #expect(try await reason(fixture, second) == .stateMismatch)
        let late = try hand(fixture, try await fixture.party.beginZenKeyHandover(session: Self.session))
        fixture.clock.advance(by: .seconds(601))
        #expect(try await reason(fixture, late) == .stateMismatch)
        #expect(fixture.carrier.calls(.token) == 1)
        let short = try await refusal { try await fixture.party.beginZenKeyHandover(session: "fifteen bytes..") }
        #expect(short == .request(.configurationError))
        #expect(try await refusal { try await fixture.party.beginZenKeyHandover(session: "sixteen bytes...") } == nil)
    }

    @Test("ZenKey case 31: a verifier of another form is rejected without a request, and the handle is used up")
    func verifiers() async throws {
        let fixture = try ZenKeyFixture()
        let long = String(repeating: "a", count: 128)
        for verifier in [String(long.prefix(42)), long + "a", String(long.prefix(50)) + "+", ""] {
            let calls = fixture.web.calls
            #expect(
                try await reason(fixture) { $0["codeVerifier"] = verifier } == .invalidParameter("code_verifier"))
            #expect(fixture.web.calls == calls)
        }
        let handover = try await fixture.party.beginZenKeyHandover(session: Self.session)
        #expect(try await reason(fixture, hand(fixture, handover, verifier: long)) == nil)
    }

    @Test("ZenKey case 32: a code of another login fails by its nonce, in the message or in the ID token")
    func nonces() async throws {
        let fixture = try ZenKeyFixture()
        let handover = try await fixture.party.beginZenKeyHandover(session: Self.session)
        #expect(try await reason(fixture, hand(fixture, handover, nonce: "of-the-attacker")) == .nonceMismatch)
        #expect(fixture.carrier.calls(.token) == 0)
        let other = try await fixture.party.beginZenKeyHandover(session: Self.session)
        var members = try hand(fixture, other, nonce: "of-the-attacker")
        members["nonce"] = other.nonce
        #expect(try await reason(fixture, members) == .nonceMismatch)
        #expect(fixture.carrier.calls(.token) == 1)
        #expect(try await reason(fixture) { $0["nonce"] = nil } == .nonceMismatch)
    }

    @Test("ZenKey case 33: a code is redeemed at the carrier of the mccmnc only, which rejects that of another")
    func otherCarrier() async throws {
        let fixture = try ZenKeyFixture()
        let found = try await reason(fixture) { $0["mccmnc"] = "310260" }
        #expect(found == .providerError(try #require(ProviderErrorCode("invalid_grant"))))
        #expect(fixture.web.tmobile.calls(.token) == 1 && fixture.carrier.calls(.token) == 0)
        #expect(try await reason(fixture) { $0["mccmnc"] = "310010" } == nil)
        #expect(fixture.web.tmobile.calls(.token) == 1 && fixture.carrier.calls(.token) == 1)
    }

    @Test("ZenKey case 34: members with an issuer or an endpoint are ignored") func addresses() async throws {
        let fixture = try ZenKeyFixture()
        var members = try hand(fixture, try await fixture.party.beginZenKeyHandover(session: Self.session))
        members["issuer"] = "https://attacker.example"
        members["token_endpoint"] = "https://attacker.example/token"
        #expect(try await complete(fixture, members).issuer == CarrierWeb.verizon)
        #expect(fixture.web.requests.allSatisfy { !$0.url.contains("attacker") })
    }

    @Test("ZenKey case 35: a redirect URI with a further slash is rejected") func redirectURIs() async throws {
        let fixture = try ZenKeyFixture()
        for uri in [ZenKeyFixture.redirectURI + "/", "https://service.test/CALLBACK", ""] {
            #expect(try await reason(fixture) { $0["redirectURI"] = uri } == .invalidParameter("redirect_uri"))
        }
        #expect(fixture.web.calls == 0)
        #expect(try await reason(fixture) { $0["redirectURI"] = ZenKeyFixture.redirectURI } == nil)
    }

    @Test("ZenKey case 36: after request_denied the handle is used up") func denied() async throws {
        let fixture = try ZenKeyFixture()
        fixture.carrier.script.answers[.token] = { _ in .json(#"{"error":"request_denied"}"#, status: 400) }
        let members = try hand(fixture, try await fixture.party.beginZenKeyHandover(session: Self.session))
        #expect(
            try await reason(fixture, members) == .providerError(try #require(ProviderErrorCode("request_denied"))))
        fixture.carrier.script.answers = [:]
        #expect(try await reason(fixture, members) == .stateMismatch)
        #expect(fixture.carrier.calls(.token) == 1)
        let again = try hand(fixture, try await fixture.party.beginZenKeyHandover(session: Self.session))
        #expect(try await reason(fixture, again) == nil)
    }

    @Test("ZenKey case 38: no description contains the handle, the nonce, the code or the verifier")
    func descriptions() async throws {
        let fixture = try ZenKeyFixture()
        let handover = try await fixture.party.beginZenKeyHandover(session: Self.session)
        let members = try hand(fixture, handover)
        let user = try await complete(fixture, members)
        var texts = ["\(handover)", "\(user)", String(reflecting: handover), String(reflecting: user)]
        dump(handover, to: &texts[0])
        dump(user, to: &texts[1])
        for name in ["handle", "nonce", "code", "codeVerifier"] {
            let secret = try #require(members[name])
            #expect(texts.allSatisfy { !$0.contains("\"\(secret)\"") && (secret.count < 20 || !$0.contains(secret)) })
        }
        #expect("\(handover)" == "ZenKeyHandover")
    }

    @Test("a message that is too large, not strict JSON, or lacks a member is rejected without a request")
    func messages() async throws {
        let fixture = try ZenKeyFixture()
        func error(_ text: String) async throws -> RelyingPartyError? {
            try await refusal {
                try await fixture.party.completeZenKeyHandover(Array(text.utf8), session: Self.session)
            }
        }
        #expect(try await error(String(repeating: " ", count: 8_193)) == .callback(.tooLarge))
        let other = try ZenKeyFixture()
        var largest = body(try hand(other, try await other.party.beginZenKeyHandover(session: Self.session)))
        largest += [UInt8](repeating: 0x20, count: 8_192 - largest.count)
        #expect(try await other.party.completeZenKeyHandover(largest, session: Self.session).subject == "user-1")
        for text in ["", "[]", #"{"handle":"a","handle":"a"}"#] {
            #expect(try await error(text) == .callback(.malformed))
        }
        #expect(try await error("{}") == .callback(.missingParameter("handle")))
        #expect(try await error(#"{"handle":"unknown"}"#) == .callback(.stateMismatch))
        for (member, name) in [
            ("code", "code"), ("mccmnc", "mccmnc"), ("codeVerifier", "code_verifier"), ("redirectURI", "redirect_uri"),
        ] as [(String, ParameterName)] {
            #expect(try await reason(fixture) { $0[member] = nil } == .missingParameter(name))
        }
        for code in ["", String(repeating: "c", count: 2_049), "a b"] {
            #expect(try await reason(fixture) { $0["code"] = code } == .invalidParameter("code"))
        }
        #expect(try await reason(fixture) { $0["mccmnc"] = "31001" } == .invalidParameter("mccmnc"))
        #expect(try await reason(fixture) { $0["context"] = "another" } == .invalidParameter("context"))
        #expect(fixture.web.calls == 0)
    }

    @Test("a code that another hand-over brought before is a replay") func codes() async throws {
        let fixture = try ZenKeyFixture()
        let first = try hand(fixture, try await fixture.party.beginZenKeyHandover(session: Self.session))
        #expect(try await reason(fixture, first) == nil)
        var second = try hand(fixture, try await fixture.party.beginZenKeyHandover(session: Self.session))
        second["code"] = first["code"]
        #expect(try await reason(fixture, second) == .replayed)
        #expect(fixture.carrier.calls(.token) == 1)
    }
}
