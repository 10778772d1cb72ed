import JOSE
import JOSETesting
import JOSETokens
import Testing

@testable import JOSEDigiD
@testable import JOSERelyingParty

/// A service with a pending login, from the link to the artifact.
private struct SessionFixture {
    let clock = TestClock()
    let store: MemoryLoginStore
    let session: DigiDSession

    init() {
        let clock = clock
        store = MemoryLoginStore(clock: clock.wallClock)
        session = DigiDSession(store: store, clock: clock.wallClock)
    }

    func start(relayState: String? = "relay", profile: String = "digid.saml3") async throws -> AuthorizationRequest {
        let transaction = DigiDTransaction(
            profile: profile, serviceProvider: "urn:service", identityProvider: DigiDFixture.entityID,
            requestID: "_1", relayState: relayState, route: .app, level: .substantieel,
            returnTo: "/home", created: clock.now.secondsSince1970)
        return try await session.start(
            transaction, link: "https://app.digid.nl/",
            issued: DigiDFreshness.issueInstant(at: clock.now.secondsSince1970))
    }

    func accept(
        _ callback: AuthorizationCallback, _ binding: String?, profile: String = "digid.saml3"
    ) async throws -> RelyingPartyError? {
        try await refusal { try await session.accept(callback, by: .app, binding: binding, profile: profile) }
    }

    func callback(_ artifact: UInt8 = 7) throws -> AuthorizationCallback {
        DigiDFixture.callback(artifact: try DigiDFixture.artifact(handle: artifact), relayState: "relay")
    }
}

@Suite("DigiD: app sessions") struct DigiDSessionTests {
    @Test("an artifact with the right RelayState belongs to the pending login") func accepts() async throws {
        let fixture = SessionFixture()
        let start = try await fixture.start()
        #expect(start.expires == fixture.clock.now + .seconds(900))
        #expect(start.urlExpires == fixture.clock.now + .seconds(58))
        #expect(start.cookie.contains("Max-Age=900"))
        let cookie = String(start.cookie.prefix { $0 != ";" })
        #expect(try fixture.callback().binding(inCookies: cookie) == start.binding)
        #expect(DigiDFixture.callback(relayState: "other").binding(inCookies: cookie) == nil)
        let (transaction, artifact) = try await fixture.session.accept(
            try fixture.callback(), by: .app, binding: start.binding, profile: "digid.saml3")
        #expect(transaction.requestID == "_1" && transaction.level == .substantieel && transaction.returnTo == "/home")
        #expect(artifact.text == (try DigiDFixture.artifact()))
    }

    @Test("T76 a value that is used once is rejected after its end, and its replay mark is kept a minute longer")
    func usedAtItsEnd() async throws {
        let fixture = SessionFixture()
        func use(until end: NumericDate) async throws -> RelyingPartyError.Reason? {
            try await refusal {
                try await fixture.session.useOnce("x", kind: "assertion", until: end, step: .assertion)
            }?.reason
        }
        let end = fixture.clock.now + .seconds(10)
        let now = fixture.clock.now.secondsSince1970
        for past in [now, now - 1, -Double.infinity, Double.nan] {
            #expect(try await use(until: NumericDate(secondsSince1970: past)) == .expired)
        }
        #expect(fixture.store.count == 0)
        #expect(try await use(until: end) == nil)
        #expect(try await use(until: end) == .replayed)
        // A second use that was checked in time, and whose command takes a minute to arrive.
        fixture.clock.advance(by: .milliseconds(69_999))
        #expect(fixture.store.count == 1)
        #expect(try await use(until: end) == .expired)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(fixture.store.count == 0)
    }

    @Test("DigiD case 10: an artifact without a pending login in this app session is rejected") func injection()
        async throws
    {
        let fixture = SessionFixture()
        let start = try await fixture.start()
        for binding in [nil, "", "another", start.binding + "x"] {
            #expect(try await fixture.accept(try fixture.callback(), binding)?.reason == .stateMismatch)
        }
        #expect(try await fixture.accept(try fixture.callback(), start.binding) == nil)
        // The login is used up.
        #expect(try await fixture.accept(try fixture.callback(8), start.binding)?.reason == .stateMismatch)
    }

    @Test("a RelayState other than the one that was sent is rejected, also if none was sent")
    func relayStates() async throws {
        let fixture = SessionFixture()
        let artifact = try DigiDFixture.artifact()
        for (sent, given, isSame) in [
            ("relay", "relay", true), ("relay", "Relay", false), ("relay", nil, false), (nil, "relay", false),
            ("relay", "relay ", false),
        ] as [(String?, String?, Bool)] {
            let start = try await fixture.start(relayState: sent)
            let callback = DigiDFixture.callback(artifact: artifact, relayState: given)
            let error = try await fixture.accept(callback, start.binding)
            #expect(error?.reason == (isSame ? nil : .stateMismatch))
        }
        let start = try await fixture.start(relayState: nil)
        let callback = DigiDFixture.callback(artifact: try DigiDFixture.artifact(handle: 9), relayState: nil)
        #expect(try await fixture.accept(callback, start.binding) == nil)
    }

    @Test("D09 a callback that any page could send does not use up the pending login") func junk() async throws {
        let fixture = SessionFixture()
        let start = try await fixture.start()
        let artifact = try DigiDFixture.artifact(handle: 9)
        for callback in [
            AuthorizationCallback.query("app-app=e30="), .query("app-app=%7B"), .query(""),
            DigiDFixture.callback(artifact: artifact), DigiDFixture.callback(artifact: artifact, relayState: "other"),
            DigiDFixture.callback(error: "_by_user"), DigiDFixture.callback(relayState: "", error: "_by_user"),
            DigiDFixture.callback(relayState: "rela", error: "_by_user"),
            DigiDFixture.callback(artifact: artifact, relayState: ".relay"),
            DigiDFixture.callback(artifact: artifact, relayState: start.binding),
        ] {
            #expect(try await fixture.accept(callback, start.binding) != nil)
            #expect(fixture.store.count == 1)
        }
        #expect(try await fixture.accept(try fixture.callback(), start.binding) == nil)
        // With the right RelayState, an error of DigiD ends the login.
        let second = try await fixture.start()
        let ended = DigiDFixture.callback(relayState: "relay", error: "_by_user")
        #expect(try await fixture.accept(ended, second.binding)?.reason == .cancelled)
        #expect(try await fixture.accept(try fixture.callback(8), second.binding)?.reason == .stateMismatch)
        // A RelayState may contain dots.
        let third = try await fixture.start(relayState: "a.b..c")
        let dotted = DigiDFixture.callback(artifact: try DigiDFixture.artifact(handle: 10), relayState: "a.b..c")
        #expect(try await fixture.accept(dotted, third.binding) == nil)
    }

    @Test("a login can be completed for 15 minutes, and only with its own profile") func life() async throws {
        let fixture = SessionFixture()
        for (age, profile, failure) in [
            (899, "digid.saml3", nil), (900, "digid.saml3", .stateMismatch), (1, "digid.saml4", .stateMismatch),
        ] as [(Int, String, RelyingPartyError.Reason?)] {
            let start = try await fixture.start()
            fixture.clock.advance(by: .seconds(age))
            let error = try await fixture.accept(
                try fixture.callback(UInt8(age == 899 ? 1 : 2)), start.binding, profile: profile)
            #expect(error?.reason == failure)
        }
    }

    @Test("DigiD case 12: rejects an artifact that was used before, in any login") func replay() async throws {
        let fixture = SessionFixture()
        let first = try await fixture.start()
        let second = try await fixture.start()
        #expect(try await fixture.accept(try fixture.callback(), first.binding) == nil)
        #expect(try await fixture.accept(try fixture.callback(), second.binding)?.reason == .replayed)
        let third = try await fixture.start()
        #expect(try await fixture.accept(try fixture.callback(8), third.binding) == nil)
    }

    @Test("DigiD case 15: an absent artifact, one of another provider, and one beside an error are rejected")
    func artifacts() async throws {
        let fixture = SessionFixture()
        let good = try DigiDFixture.artifact()
        let cases: [(AuthorizationCallback, RelyingPartyError.Reason?)] = [
            (DigiDFixture.callback(artifact: good, relayState: "relay", error: "_by_user"), .cancelled),
            (DigiDFixture.callback(artifact: good, relayState: "other", error: "_by_user"), .stateMismatch),
            (
                DigiDFixture.callback(artifact: try DigiDFixture.artifact(of: "https://x.test"), relayState: "relay"),
                .issuerMismatch
            ),
            (DigiDFixture.callback(artifact: "demo", relayState: "relay"), .invalidParameter("SAMLart")),
            (DigiDFixture.callback(artifact: nil, relayState: "relay"), .missingParameter("SAMLart")),
            (DigiDFixture.callback(artifact: "AAQAAA==", relayState: "relay"), .malformed),
            (DigiDFixture.callback(artifact: good, relayState: "relay"), nil),
        ]
        for (callback, failure) in cases {
            let start = try await fixture.start()
            #expect(
                try await fixture.accept(callback, start.binding)?.reason == failure, "\(String(describing: failure))")
        }
    }

    @Test("each documented ErrorMessage of the app is mapped to its error") func messages() async throws {
        let fixture = SessionFixture()
        let cases: [(String, DigiDSituation, RelyingPartyError.Action)] = [
            ("_by_user", .cancelled, .tellUser), ("cancelled_by_user", .cancelled, .tellUser),
            ("not_activated", .notActivated, .tellUser), ("app_is_pending", .notActivated, .tellUser),
            ("pin_blocked", .pinBlocked, .tellUser), ("puk_blocked", .pinBlocked, .tellUser),
            ("invalid_return_url", .returnURLUnknown, .fixConfiguration), ("timeout", .technicalFault, .restart),
            ("icon_missing", .technicalFault, .fixConfiguration), ("no_nfc", .technicalFault, .restart),
            ("Some text, in words", .technicalFault, .restart),
        ]
        for (message, situation, action) in cases {
            let start = try await fixture.start()
            let error = try #require(
                try await fixture.accept(DigiDFixture.callback(relayState: "relay", error: message), start.binding))
            #expect(DigiDSituation(error) == situation && error.action == action, "\(message)")
            #expect(!"\(error)".contains("in words"))
        }
    }

    @Test("a login ends if DigiD's app does not open, or does not respond for 15 minutes")
    func silence() async throws {
        let fixture = SessionFixture()
        for (silence, situation) in [
            (DigiDTimeout.notOpened, DigiDSituation.appNotFound), (.noAnswer, .sessionExpired),
        ] {
            let start = try await fixture.start()
            let error = try await fixture.session.end(silence, binding: start.binding)
            #expect(DigiDSituation(error) == situation)
            #expect(try await fixture.accept(try fixture.callback(), start.binding)?.reason == .stateMismatch)
            // A login that has expired in the store has ended just the same.
            #expect(DigiDSituation(try await fixture.session.end(silence, binding: start.binding)) == situation)
        }
    }

    @Test("each documented SAML status is mapped to its error (SAML 2.0 Core, 3.2.2.2)") func statuses() {
        let cases: [(String, String?, Bool, Bool, DigiDSituation, RelyingPartyError.Action)] = [
            ("Responder", "AuthnFailed", true, true, .cancelled, .tellUser),
            ("Responder", "NoAuthnContext", true, true, .levelTooLow, .tellUser),
            ("Responder", "RequestDenied", true, true, .switchedOff, .tellUser),
            ("Responder", "RequestDenied", true, false, .technicalFault, .tellUser),
            ("Requester", "RequestDenied", true, true, .switchedOffForService, .fixConfiguration),
            ("Requester", "RequestDenied", false, true, .technicalFault, .investigate),
            ("Requester", "NoSupportedIDP", true, false, .technicalFault, .fixConfiguration),
            ("Requester", nil, true, true, .technicalFault, .fixConfiguration),
            ("Responder", nil, true, true, .technicalFault, .tellUser),
        ]
        for (top, second, isInner, isFirst, situation, action) in cases {
            let error = RelyingPartyError.digiD(top: top, second: second, isInner: isInner, isFirstInterface: isFirst)
            #expect(DigiDSituation(error) == situation && error.action == action, "\(top) \(second ?? "")")
        }
    }

    @Test("each of the ten failure situations has its documented advice") func advice() {
        #expect(DigiDSituation.allCases.count == 10)
        let advices: [DigiDSituation: DigiDAdvice] = [
            .appNotFound: .offerApp, .notActivated: .explainActivation, .levelTooLow: .explainLevel,
            .switchedOff: .offerAnotherWay, .switchedOffForService: .showFault, .returnURLUnknown: .showFault,
            .pinBlocked: .explainActivation, .cancelled: .tellCancelled, .sessionExpired: .offerAgain,
            .technicalFault: .showFault,
        ]
        for situation in DigiDSituation.allCases { #expect(situation.advice == advices[situation]) }
    }
}

@Suite("DigiD: descriptions") struct DigiDPrintingTests {
    @Test("no description, mirror or dump contains a citizen service number, an artifact or a request")
    func printing() throws {
        let secret = "111222333"
        let number = try #require(DigiDNumber(secret))
        let user = DigiDUser(
            number: number, level: .hoog, pseudonym: secret, locality: secret, returnTo: "/" + secret)
        let transaction = DigiDTransaction(
            profile: "digid.saml3", serviceProvider: secret, identityProvider: secret, requestID: secret,
            relayState: secret, route: .app, level: .hoog, returnTo: secret, created: 0)
        let callback = DigiDFixture.callback(artifact: secret, relayState: secret, error: secret)
        let request = try DigiDAppRequest(
            of: try DigiDFixture.app(), samlRequest: secret, relayState: secret, host: secret,
            signedBy: TestKeys.client)
        let values: [Any] = [
            number, Optional(number) as Any, [number], ["user": user], user, transaction, callback,
            try DigiDReturn(callback, by: .app), request,
            try DigiDArtifact(entityID: secret, handle: Array((secret + secret + "00").utf8)),
            failure { try DigiDNumber(nameID: "s00000000:" + secret + "9", sectors: [.bsn]) } as Any,
            failure { try DigiDNumber(nameID: secret, sectors: [.bsn]) } as Any,
            RelyingPartyError.digiD(message: "text with " + secret),
        ]
        let bytes = Array(secret.utf8).map { "\($0)" }.joined(separator: ", ")
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(secret) && !text.contains(bytes), "\(type(of: value))")
            }
        }
    }
}
