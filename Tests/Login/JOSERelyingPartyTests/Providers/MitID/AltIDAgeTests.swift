import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("MitID: age proofs with AltID") struct AltIDAgeTests {
    private let fixture: AltIDFixture

    init() throws { fixture = try AltIDFixture() }

    @Test("MitID case 38: the two names of an age proof's claim have one answer")
    func names() async throws {
        let unexpected = RelyingPartyError.idToken(.claimUnexpected("age_over_18"))
        let type = RelyingPartyError.idToken(.claimType("age_over_18"))
        for (first, second, expected) in [
            (true, nil, nil), (nil, true, nil), (true, true, nil), ("true", true, nil), (false, "false", nil),
            (true, false, unexpected), ("false", true, unexpected), (nil, nil, .idToken(.claimMissing("age_over_18"))),
            ("yes", nil, type), (1, nil, type), (true, "True", .idToken(.claimType("age_over:18"))),
        ] as [(ClaimValue?, ClaimValue?, RelyingPartyError?)] {
            let error = try await fixture.refused { claims in
                claims["age_over_18"] = first
                claims["age_over:18"] = second
            }
            #expect(error == expected, "\(String(describing: first)) \(String(describing: second))")
        }
        // False is an answer, and each age has its own.
        let age = try await fixture.prove(.altIDAge(atLeast: [18, 67])) { $0["age_over:67"] = "false" }
        #expect(age.reached == [18: true, 67: false])
        #expect(
            try await fixture.refused(.altIDAge(atLeast: [18, 67])) == .idToken(.claimMissing("age_over_67")))
        #expect("\(age)" == "MitIDAge")
        var dumped = ""
        dump(age, to: &dumped)
        #expect(!dumped.contains("67"))
    }

    @Test("MitID case 39: an age proof logs nobody in, and a login proves no age")
    func separation() async throws {
        let logins = try MitIDFixture(.mitID(MitIDFixture.altIDSettings))
        let both = MitIDFixture.request([.mitID, .altIDAge], scopes: ["mitid"])
        #expect(try await logins.refused(both, by: "mitid") == nil)
        #expect(
            try await logins.refused(both, by: "euav", AltIDFixture.answer)
                == .idToken(.claimUnexpected("idtoken_type")))
        #expect(
            try await logins.refused(both, by: "mitid") { $0["idtoken_type"] = "av" }
                == .idToken(.claimUnexpected("idtoken_type")))
        #expect(try await logins.refused(both, by: "euav") == .idToken(.claimUnexpected("idp")))
        let proofs = fixture.fixture.party
        let callback = AuthorizationCallback.query("state=x&code=y")
        func login(_ step: LoginStep) async throws {
            switch step {
            case .request: _ = try await proofs.beginLogin(.altIDAge(atLeast: [18]))
            case .callback: _ = try await proofs.completeLogin(callback: callback, binding: "b")
            default: _ = try await proofs.poll("handle", session: AltIDFixture.session)
            }
        }
        func prove(_ step: LoginStep) async throws {
            switch step {
            case .request: _ = try await logins.party.beginAltIDAgeProof(.altIDAge(atLeast: [18]))
            case .callback: _ = try await logins.party.completeAltIDAgeProof(callback: callback, binding: "b")
            default: _ = try await logins.party.pollAltIDAgeProof("handle", session: AltIDFixture.session)
            }
        }
        for step in [LoginStep.request, .callback, .tokenResponse] {
            let error = try await refusal {
                try await login(step)
            }
            #expect(error == RelyingPartyError(.configurationError, in: step), "\(step)")
        }
        for step in [LoginStep.request, .callback, .tokenResponse] {
            let error = try await refusal {
                try await prove(step)
            }
            #expect(error == RelyingPartyError(.configurationError, in: step), "\(step)")
        }
        // A login that the back end begins is no age proof either.
        let login = try MitIDFixture(.mitIDBackChannel(MitIDFixture.altIDSettings)).party
        #expect(
            try await refusal {
                try await login.beginAltIDAgeProof(
                    .altIDAge(atLeast: [18]), flow: .link, session: AltIDFixture.session)
            } == .request(.configurationError))
        #expect(try await fixture.refused() == nil)
        #expect(
            try await fixture.refused { $0["idtoken_type"] = "transactional" }
                == .idToken(.claimUnexpected("idtoken_type")))
        #expect(
            try await fixture.refused { $0["idtoken_type"] = nil } == .idToken(.claimMissing("idtoken_type")))
        #expect(try await fixture.refused { $0["idp"] = "mitid" } == .idToken(.claimUnexpected("idp")))
        #expect(try await fixture.refused { $0["nonce"] = "another" } == .idToken(.nonceMismatch))
    }

    @Test("MitID case 42: without an issuer of age proofs there are none")
    func issuers() async throws {
        func party(_ settings: MitIDSettings, _ environment: ProviderEnvironment) throws -> RelyingParty {
            try RelyingParty(
                .altIDAge(settings), in: environment, client: fixture.fixture.fixture.client,
                transport: fixture.fixture.provider, store: fixture.fixture.fixture.store)
        }
        for environment in [ProviderEnvironment.production, .test] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
                try party(MitIDSettings(), environment)
            }
            #expect(throws: Never.self) { try party(MitIDFixture.altIDSettings, environment) }
        }
        let both = MitIDFixture.request([.mitID, .altIDAge], scopes: ["mitid"])
        #expect(try await MitIDFixture().refused(both) == .request(.configurationError))
        #expect(try await MitIDFixture(.mitID(MitIDFixture.altIDSettings)).refused(both) == nil)
    }

    @Test("an age proof asks AltID for known ages alone, and has no account")
    func requests() async throws {
        let party = fixture.fixture.party
        func refused(_ change: (inout LoginRequest) -> Void) async throws -> RelyingPartyError? {
            var request = LoginRequest.altIDAge(atLeast: [18])
            change(&request)
            return try await refusal { try await party.beginAltIDAgeProof(request) }
        }
        #expect(try await refused { _ in } == nil)
        #expect(try await refused { $0.scopes.append("age_over:67") } == nil)
        for scopes in [["openid"], ["openid", "age_over:19"], ["openid", "age_over:18", "offline_access"]] {
            #expect(try await refused { $0.scopes = scopes } == .request(.invalidParameter("scope")), "\(scopes)")
        }
        for name in ["idp_params", "prompt", "max_age"] as [ParameterName] {
            #expect(try await refused { $0[name] = "1" } == .request(.invalidParameter(name)))
        }
        #expect(
            try await refused { $0.mitIDProviders = [.mitID] } == .request(.invalidParameter("idp_values")))
        #expect(
            try await refusal { try await party.refresh(RefreshTicket(refreshToken: "r", issuer: "i", subject: "s")) }
                == .request(.configurationError))
    }

    @Test("MitID case 43: the response of a proof that the back end begins has a link that a browser may open")
    func links() async throws {
        let session = AltIDFixture.session
        func begin(_ members: String, _ flow: AltIDFlow = .link, _ code: AltIDQRCode? = nil) async throws
            -> AltIDPendingProof
        {
            fixture.acknowledge(members)
            return try await fixture.party.beginAltIDAgeProof(
                .altIDAge(atLeast: [18]), flow: flow, qrCode: code, session: session)
        }
        func refused(_ members: String, _ flow: AltIDFlow = .link, _ code: AltIDQRCode? = nil) async throws
            -> RelyingPartyError?
        {
            try await refusal { try await begin(members, flow, code) }
        }
        func invalid(_ name: ParameterName) -> RelyingPartyError {
            RelyingPartyError(.invalidParameter(name), in: .pushedRequest)
        }
        for (url, isLink, isFrame) in [
            ("https://provider.test/start?x=1", true, true), ("av://proof?x=1", true, false),
            ("javascript:alert(1)", false, false), ("http://provider.test/", false, false), ("av:", false, false),
            ("AV:x", false, false), ("data:text/html,x", false, false), ("https://user@provider.test/", false, false),
            ("av:a b", false, false), ("av:{}", false, false), (" https://provider.test/", false, false),
            ("av:\\n", false, false),
        ] {
            let link = try await refused(#","authentication_uri":"\#(url)""#)
            #expect(link == (isLink ? nil : invalid("authentication_uri")), "\(url)")
            let frame = try await refused(#","iframe_src":"\#(url)""#, .iframe)
            #expect(frame == (isFrame ? nil : invalid("iframe_src")), "\(url)")
        }
        let link = #","authentication_uri":"https://provider.test/start""#
        #expect(
            try await refused(link, .iframe) == RelyingPartyError(.missingParameter("iframe_src"), in: .pushedRequest))
        #expect(
            try await refused(link, .link, .png) == RelyingPartyError(.missingParameter("qr_b64"), in: .pushedRequest))
        for text in ["_-", ""] {
            #expect(try await refused(link + #","qr_b64":"\#(text)""#, .link, .png) == invalid("qr_b64"), "\(text)")
        }
        let proof = try await begin(link + #","qr_b64":"PHN2Zy8+""#, .link, .svg)
        #expect(proof.url == "https://provider.test/start" && proof.qrCode == Array("<svg/>".utf8))
        #expect("\(proof)" == "AltIDPendingProof")
        let form = fixture.server.lastForm("/bc-authorize")
        #expect(form["flow_type"] == "authentication_uri" && form["qr_code_response"] == "svg")
        #expect(form["scope"] == "openid age_over:18" && form["idp_values"] == "euav" && form["login_hint"] == nil)
    }

    @Test("a proof that the back end begins is polled for by its session, and is no login")
    func polling() async throws {
        fixture.acknowledge(#","authentication_uri":"https://provider.test/start""#)
        let proof = try await fixture.party.beginAltIDAgeProof(
            .altIDAge(atLeast: [18, 67]), flow: .link, session: AltIDFixture.session)
        let handle = proof.pending.handle
        fixture.server.state.withLock { $0.answers = [PollingFixture.error("authorization_pending")] }
        fixture.fixture.clock.advance(by: .seconds(3))
        let pending = try await fixture.party.pollAltIDAgeProof(handle, session: AltIDFixture.session)
        #expect(pending == .pending(nextPoll: fixture.fixture.clock.now + .seconds(3)) && pending.age == nil)
        try fixture.answerPolls { $0["age_over_67"] = false }
        fixture.fixture.clock.advance(by: .seconds(3))
        let other = try await refusal {
            try await fixture.party.pollAltIDAgeProof(handle, session: "the secret of another session")
        }
        #expect(other == RelyingPartyError(.stateMismatch, in: .tokenResponse))
        #expect(
            try await refusal { try await fixture.party.poll(handle, session: AltIDFixture.session) }
                == RelyingPartyError(.configurationError, in: .tokenResponse))
        let age = try await fixture.party.pollAltIDAgeProof(handle, session: AltIDFixture.session).age
        #expect(age?.reached == [18: true, 67: false])
    }
}
