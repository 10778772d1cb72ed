#if SAML
    import Foundation
    import JOSE
    import JOSEKeySets
    import JOSERelyingParty
    import JOSESAML
    import JOSETesting
    import JOSETokens
    import Synchronization
    import TestSupport
    import Testing

    @Suite("DigiD: logins that do not come about") struct DigiDSituationTests {
        /// What became of a login to whose link DigiD's app answered so.
        private func situation(_ desk: DigiDDesk, message: String) async throws -> RelyingPartyError? {
            let start = try await desk.party.beginLogin()
            let (request, relayState) = try desk.digiD.read(start.url)
            // The artifact beside it is good, and counts for nothing (DigiD case 15).
            let answer = DigiDReturn(
                artifact: try desk.digiD.artifact(of: request), relayState: relayState, errorMessage: message)
            do throws(RelyingPartyError) {
                _ = try await desk.party.completeLogin(callback: .query(answer.query), binding: start.binding)
                return nil
            } catch {
                return error
            }
        }

        @Test("the ten situations of the functional description, 5.1 to 5.10, each by what a service sees of it")
        func ten() async throws {
            let desk = try DigiDDesk()
            var seen: [DigiDSituation: RelyingPartyError] = [:]
            func see(_ error: RelyingPartyError?, _ expected: DigiDSituation) throws {
                let error = try #require(error)
                #expect(DigiDSituation(error) == expected)
                seen[expected] = error
            }
            for (silence, expected) in [
                (DigiDSilence.notOpened, DigiDSituation.appNotFound), (.noAnswer, .sessionExpired),
            ] {
                let start = try await desk.party.beginLogin()
                try see(try await desk.party.endLogin(silence, binding: start.binding), expected)
            }
            try see(try await situation(desk, message: "not_activated"), .notActivated)
            try see(try await situation(desk, message: "invalid_return_url"), .returnURLUnknown)
            try see(try await situation(desk, message: "pin_blocked"), .pinBlocked)
            try see(try await situation(desk, message: "_by_user"), .cancelled)
            try see(try await situation(desk, message: "something else"), .technicalFault)
            #expect(desk.digiD.requests.isEmpty)
            try see(try await desk.failure { $0.innerStatus = ("Responder", "NoAuthnContext") }, .levelTooLow)
            try see(try await desk.failure { $0.innerStatus = ("Responder", "RequestDenied") }, .switchedOff)
            try see(try await desk.failure { $0.innerStatus = ("Requester", "RequestDenied") }, .switchedOffForService)
            // DigiD case 27: no assertion, and AuthnFailed.
            try see(try await desk.failure { $0.innerStatus = ("Responder", "AuthnFailed") }, .cancelled)
            #expect(seen.count == DigiDSituation.allCases.count)
            #expect(seen[.switchedOffForService]?.remedy == .fixConfiguration && seen[.cancelled]?.remedy == .tellUser)
            #expect(try await desk.failure() == nil)
        }

        @Test("statuses in the later interface, and of the resolution itself")
        func statuses() async throws {
            let later = try DigiDDesk(.saml4)
            let denied = try #require(try await later.failure { $0.innerStatus = ("Responder", "RequestDenied") })
            #expect(DigiDSituation(denied) == .technicalFault && denied.remedy == .tellUser)
            let unknown = try await later.failure { $0.innerStatus = ("Requester", "NoSupportedIDP") }
            #expect(unknown?.failure == .providerError(try #require(ProviderErrorCode("NoSupportedIDP"))))
            #expect(unknown?.remedy == .fixConfiguration)
            let late = try await DigiDDesk().failure { $0.outerStatus = ("Requester", "RequestDenied") }
            #expect(late?.failure == .providerError(try #require(ProviderErrorCode("RequestDenied"))))
            #expect(late?.remedy == .investigate)
        }

        @Test("DigiD case 6: a link that is opened a minute late comes back with timeout; a new one logs in")
        func timeout() async throws {
            let desk = try DigiDDesk()
            for (late, failure) in [(59.0, .tooOld), (58.0, nil)] as [(Double, RelyingPartyFailure?)] {
                let start = try await desk.party.beginLogin()
                desk.clock.advance(by: late)
                var found: RelyingPartyError?
                do throws(RelyingPartyError) {
                    let query = (try? desk.digiD.open(start.url)) ?? ""
                    _ = try await desk.party.completeLogin(callback: .query(query), binding: start.binding)
                } catch {
                    found = error
                }
                #expect(found?.failure == failure && found.map { $0.remedy == .restart } ?? true)
            }
        }

        @Test("D06: an assertion is taken once until its end, whichever login it answers") func assertionReplay()
            async throws
        {
            let desk = try DigiDDesk()
            desk.digiD.script.text = { text in
                guard let id = text.firstMatch(of: /<saml:Assertion[^>]* ID="([^"]+)"/)?.output.1 else { return text }
                return text.replacingOccurrences(of: String(id), with: "_the-same")
            }
            #expect(try await desk.failure() == nil)
            #expect(try await desk.failure() == RelyingPartyError(.replayed, in: .assertion))
            // Its end is 120 seconds ahead, 30 are for clocks, and the mark outlives it by 60.
            desk.clock.advance(by: 209)
            #expect(try await desk.failure() == RelyingPartyError(.replayed, in: .assertion))
            desk.clock.advance(by: 2)
            #expect(try await desk.failure() == nil)
        }

        @Test("no error, user or start of a login shows the number, the artifact or the binding") func printing()
            async throws
        {
            let desk = try DigiDDesk()
            let start = try await desk.party.beginLogin()
            let query = try desk.digiD.open(start.url)
            let callback = Callback.query(query)
            let user = try await desk.party.completeLogin(callback: callback, binding: start.binding)
            var values: [Any] = [user, start, callback, desk.connection, desk.party]
            let changes: [@Sendable (inout ArtifactResponseMessage) -> Void] = [
                { $0.nameID = "s00000001:" + Parties.number }, { $0.nameID = Parties.number },
                { $0.nameID = "s00000000:" + Parties.number + "0" },
            ]
            for change in changes { values.append(try #require(try await desk.failure(change))) }
            let secrets = [Parties.number, start.binding, String(query.dropFirst(8))]
            for value in values {
                var dumped = ""
                dump(value, to: &dumped)
                for text in ["\(value)", String(reflecting: value), dumped] {
                    for secret in secrets { #expect(!text.contains(secret), "\(type(of: value))") }
                }
            }
        }

        @Test("an answer is 200, SOAP, of 256 KiB at most") func answers() async throws {
            let desk = try DigiDDesk()
            let xml = HTTPField("Content-Type", "text/xml")
            let cases: [(@Sendable (HTTPResponse) -> HTTPResponse, RelyingPartyFailure?, Remedy?)] = [
                ({ $0 }, nil, nil), ({ _ in HTTPResponse(status: 404) }, .unexpectedStatus(404), .fixConfiguration),
                ({ HTTPResponse(status: 500, headers: $0.headers, body: $0.body) }, .unexpectedStatus(500), .restart),
                (
                    { HTTPResponse(status: 200, headers: [HTTPField("Content-Type", "text/html")], body: $0.body) },
                    .contentTypeMismatch, .investigate
                ),
                (
                    {
                        HTTPResponse(
                            status: 200, headers: [HTTPField("Content-Type", "application/soap+xml; charset=utf-8")],
                            body: $0.body)
                    }, nil, nil
                ),
                (
                    { _ in
                        HTTPResponse(status: 200, headers: [xml], body: Array(repeating: 0x20, count: 256 * 1024 + 1))
                    }, .tooLarge, .investigate
                ),
                (
                    { _ in HTTPResponse(status: 200, headers: [xml], body: Array("<x/>".utf8)) }, .malformed,
                    .investigate
                ),
            ]
            for (place, (answer, failure, remedy)) in cases.enumerated() {
                desk.digiD.script.answer = answer
                let error = try await desk.failure()
                #expect(error?.failure == failure && error?.remedy == remedy, "\(place)")
            }
        }

        @Test("D06: an answer that was given before answers another request") func answerReplay() async throws {
            let desk = try DigiDDesk()
            #expect(try await desk.replayed() == .inResponseToMismatch)
            #expect(try await desk.failure() == nil)
        }

        @Test("settings that cannot work are refused before any login") func settings() async throws {
            _ = try DigiDDesk()
            let desk = try DigiDDesk()
            let parties = desk.digiD.parties
            let key = try PrivateKey(pem: parties.service.issued.keyPEM)
            func connection(_ apps: [DigiDApp], _ bindings: [String], _ key: PrivateKey) throws -> DigiDConnection {
                try DigiDConnection(
                    entityID: Parties.service, apps: apps, consumer: .init(url: Parties.consumerURL),
                    provider: try DigiDDesk.metadata(parties, bindings: bindings, now: desk.clock.now), key: key,
                    certificate: parties.service.certificate)
            }
            let apps = desk.connection.apps
            func failure(_ apps: [DigiDApp], _ bindings: [String], _ key: PrivateKey) -> RelyingPartyFailure? {
                do {
                    _ = try DigiDRelyingParty(
                        try connection(apps, bindings, key), transport: desk.digiD, store: desk.store)
                    return nil
                } catch {
                    return (error as? RelyingPartyError)?.failure
                }
            }
            let redirect = [SAMLNames.redirectBinding]
            #expect(failure(apps, redirect, key) == nil)
            #expect(failure(apps + apps, redirect, key) == .configurationError)
            #expect(failure(apps, ["urn:other"], key) == .discoveryMismatch)
            #expect(failure(apps, redirect, try PrivateKey(pem: parties.other.issued.keyPEM)) == .keyUnsuitable)
            var request = DigiDRequest()
            request.returnURL = DigiDDesk.returnURL + "/"
            #expect(try await desk.failure(request)?.failure == .invalidParameter("ReturnUrl"))
            request = DigiDRequest()
            request.returnTo = "https://elsewhere.test"
            #expect(try await desk.failure(request)?.failure == .invalidParameter("return_to"))
            desk.clock.now = Double(parties.service.certificate.notAfter) + 1
            let expired = try await desk.failure()
            #expect(expired?.failure == .keyUnsuitable && expired?.remedy == .fixConfiguration)
        }
    }

    extension DigiDDesk {
        /// A login that is answered with what an earlier one was answered.
        fileprivate func replayed() async throws -> RelyingPartyFailure? {
            let kept = HTTPKeeper()
            digiD.script.answer = { kept.first($0) }
            defer { digiD.script.answer = nil }
            _ = try await login()
            return try await failure()?.failure
        }
    }

    /// Gives the first answer again and again.
    private final class HTTPKeeper: Sendable {
        private let kept = Mutex<HTTPResponse?>(nil)
        func first(_ response: HTTPResponse) -> HTTPResponse {
            kept.withLock { kept in
                if kept == nil { kept = response }
                return kept ?? response
            }
        }
    }
#endif
