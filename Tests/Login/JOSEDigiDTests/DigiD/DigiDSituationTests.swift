#if SAML
    import Foundation
    import JOSE
    import JOSEKeySets
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETesting
    import JOSETokens
    import Synchronization
    import TestSupport
    import Testing

    @Suite("DigiD: logins that fail") struct DigiDSituationTests {
        /// Returns the error of a login for which DigiD's app returned this message; nil if the login succeeds.
        private func situation(_ fixture: DigiDFixture, message: String) async throws -> RelyingPartyError? {
            let start = try await fixture.party.beginLogin()
            let (request, relayState) = try fixture.digiD.read(start.url)
            // The artifact beside the message is valid, and is ignored.
            let answer = DigiDReturn(
                artifact: try fixture.digiD.artifact(of: request), relayState: relayState, errorMessage: message)
            do throws(RelyingPartyError) {
                _ = try await fixture.party.completeLogin(callback: .query(answer.query), binding: start.binding)
                return nil
            } catch {
                return error
            }
        }

        @Test(
            "DigiD case 27: each of the ten situations is recognized by what the service observes (functional description, 5.1 to 5.10)"
        )
        func ten() async throws {
            let fixture = try DigiDFixture()
            var seen: [DigiDSituation: RelyingPartyError] = [:]
            func see(_ error: RelyingPartyError?, _ expected: DigiDSituation) throws {
                let error = try #require(error)
                #expect(DigiDSituation(error) == expected)
                seen[expected] = error
            }
            for (silence, expected) in [
                (DigiDTimeout.notOpened, DigiDSituation.appNotFound), (.noAnswer, .sessionExpired),
            ] {
                let start = try await fixture.party.beginLogin()
                try see(try await fixture.party.endLogin(silence, binding: start.binding), expected)
            }
            try see(try await situation(fixture, message: "not_activated"), .notActivated)
            try see(try await situation(fixture, message: "invalid_return_url"), .returnURLUnknown)
            try see(try await situation(fixture, message: "pin_blocked"), .pinBlocked)
            try see(try await situation(fixture, message: "_by_user"), .cancelled)
            try see(try await situation(fixture, message: "something else"), .technicalFault)
            #expect(fixture.digiD.requests.isEmpty)
            try see(try await fixture.failure { $0.innerStatus = ("Responder", "NoAuthnContext") }, .levelTooLow)
            try see(try await fixture.failure { $0.innerStatus = ("Responder", "RequestDenied") }, .switchedOff)
            try see(
                try await fixture.failure { $0.innerStatus = ("Requester", "RequestDenied") }, .switchedOffForService)
            // The response has the status AuthnFailed and no assertion.
            try see(try await fixture.failure { $0.innerStatus = ("Responder", "AuthnFailed") }, .cancelled)
            #expect(seen.count == DigiDSituation.allCases.count)
            #expect(seen[.switchedOffForService]?.action == .fixConfiguration && seen[.cancelled]?.action == .tellUser)
            #expect(try await fixture.failure() == nil)
        }

        @Test("statuses of the interface after 3.7 and of the artifact's resolution are reported")
        func statuses() async throws {
            let later = try DigiDFixture(.saml4)
            let denied = try #require(try await later.failure { $0.innerStatus = ("Responder", "RequestDenied") })
            #expect(DigiDSituation(denied) == .technicalFault && denied.action == .tellUser)
            let unknown = try await later.failure { $0.innerStatus = ("Requester", "NoSupportedIDP") }
            #expect(unknown?.reason == .providerError(try #require(ProviderErrorCode("NoSupportedIDP"))))
            #expect(unknown?.action == .fixConfiguration)
            let late = try await DigiDFixture().failure { $0.outerStatus = ("Requester", "RequestDenied") }
            #expect(late?.reason == .providerError(try #require(ProviderErrorCode("RequestDenied"))))
            #expect(late?.action == .investigate)
        }

        @Test("DigiD case 6: a link that is opened after a minute returns a timeout, and a new one logs in")
        func timeout() async throws {
            let fixture = try DigiDFixture()
            for (late, failure) in [(.seconds(59), .tooOld), (.seconds(58), nil)]
                as [(Duration, RelyingPartyError.Reason?)]
            {
                let start = try await fixture.party.beginLogin()
                fixture.clock.advance(by: late)
                var found: RelyingPartyError?
                do throws(RelyingPartyError) {
                    let query = (try? fixture.digiD.open(start.url)) ?? ""
                    _ = try await fixture.party.completeLogin(callback: .query(query), binding: start.binding)
                } catch {
                    found = error
                }
                #expect(found?.reason == failure && found.map { $0.action == .restart } ?? true)
            }
        }

        @Test("D06 an assertion is accepted once until its end, whichever login it answers") func assertionReplay()
            async throws
        {
            let fixture = try DigiDFixture()
            fixture.digiD.script.text = { text in
                guard let id = text.firstMatch(of: /<saml:Assertion[^>]* ID="([^"]+)"/)?.output.1 else { return text }
                return text.replacingOccurrences(of: String(id), with: "_the-same")
            }
            #expect(try await fixture.failure() == nil)
            #expect(try await fixture.failure() == RelyingPartyError(.replayed, in: .assertion))
            // The assertion ends in 120 seconds, the leeway is 30 seconds, and the mark outlives both by 60.
            fixture.clock.advance(by: .seconds(209))
            #expect(try await fixture.failure() == RelyingPartyError(.replayed, in: .assertion))
            fixture.clock.advance(by: .seconds(2))
            #expect(try await fixture.failure() == nil)
        }

        @Test("no description of an error, a user or a login shows the number, the artifact or the binding")
        func printing()
            async throws
        {
            let fixture = try DigiDFixture()
            let start = try await fixture.party.beginLogin()
            let query = try fixture.digiD.open(start.url)
            let callback = AuthorizationCallback.query(query)
            let user = try await fixture.party.completeLogin(callback: callback, binding: start.binding)
            var values: [Any] = [user, start, callback, fixture.connection, fixture.party]
            let changes: [@Sendable (inout ArtifactResponseMessage) -> Void] = [
                { $0.nameID = "s00000001:" + Parties.number }, { $0.nameID = Parties.number },
                { $0.nameID = "s00000000:" + Parties.number + "0" },
            ]
            for change in changes { values.append(try #require(try await fixture.failure(change))) }
            let secrets = [Parties.number, start.binding, String(query.dropFirst(8))]
            for value in values {
                var dumped = ""
                dump(value, to: &dumped)
                for text in ["\(value)", String(reflecting: value), dumped] {
                    for secret in secrets { #expect(!text.contains(secret), "\(type(of: value))") }
                }
            }
        }

        @Test("a response must have the status 200, a SOAP content type and at most 256 KiB") func answers()
            async throws
        {
            let fixture = try DigiDFixture()
            let xml = TransportHeaderField("Content-Type", "text/xml")
            typealias Change = @Sendable (TransportResponse) -> TransportResponse
            let cases: [(Change, RelyingPartyError.Reason?, RelyingPartyError.Action?)] = [
                ({ $0 }, nil, nil),
                ({ _ in TransportResponse(status: 404) }, .unexpectedStatus(404), .fixConfiguration),
                (
                    { TransportResponse(status: 500, headers: $0.headers, body: $0.body) }, .unexpectedStatus(500),
                    .restart
                ),
                (
                    {
                        TransportResponse(
                            status: 200, headers: [TransportHeaderField("Content-Type", "text/html")], body: $0.body)
                    },
                    .contentTypeMismatch, .investigate
                ),
                (
                    {
                        TransportResponse(
                            status: 200,
                            headers: [TransportHeaderField("Content-Type", "application/soap+xml; charset=utf-8")],
                            body: $0.body)
                    }, nil, nil
                ),
                (
                    { _ in
                        TransportResponse(
                            status: 200, headers: [xml], body: Array(repeating: 0x20, count: 256 * 1024 + 1))
                    }, .tooLarge, .investigate
                ),
                (
                    { _ in TransportResponse(status: 200, headers: [xml], body: Array("<x/>".utf8)) }, .malformed,
                    .investigate
                ),
            ]
            for (index, (answer, failure, action)) in cases.enumerated() {
                fixture.digiD.script.answer = answer
                let error = try await fixture.failure()
                #expect(error?.reason == failure && error?.action == action, "\(index)")
            }
        }

        @Test("D06 a response to an earlier request is rejected") func answerReplay() async throws {
            let fixture = try DigiDFixture()
            #expect(try await fixture.replayed() == .inResponseToMismatch)
            #expect(try await fixture.failure() == nil)
        }

        @Test("invalid settings are rejected before any login") func settings() async throws {
            _ = try DigiDFixture()
            let fixture = try DigiDFixture()
            let parties = fixture.digiD.parties
            let key = try PrivateKey(pem: parties.service.issued.keyPEM)
            func connection(_ apps: [DigiDApp], _ bindings: [String], _ key: PrivateKey) throws -> DigiDConnection {
                try DigiDConnection(
                    entityID: Parties.service, apps: apps, consumer: .init(url: Parties.consumerURL),
                    provider: try DigiDFixture.metadata(parties, bindings: bindings, now: fixture.clock.now), key: key,
                    certificate: parties.service.certificate)
            }
            let apps = fixture.connection.apps
            func failure(_ apps: [DigiDApp], _ bindings: [String], _ key: PrivateKey) -> RelyingPartyError.Reason? {
                do {
                    _ = try DigiDRelyingParty(
                        try connection(apps, bindings, key), transport: fixture.digiD, store: fixture.store)
                    return nil
                } catch {
                    return (error as? RelyingPartyError)?.reason
                }
            }
            let redirect = [SAMLNames.redirectBinding]
            #expect(failure(apps, redirect, key) == nil)
            #expect(failure(apps + apps, redirect, key) == .configurationError)
            #expect(failure(apps, ["urn:other"], key) == .discoveryMismatch)
            #expect(failure(apps, redirect, try PrivateKey(pem: parties.other.issued.keyPEM)) == .keyUnsuitable)
            var request = DigiDRequest()
            request.returnURL = DigiDFixture.returnURL + "/"
            #expect(try await fixture.failure(request)?.reason == .invalidParameter("ReturnUrl"))
            request = DigiDRequest()
            request.returnTo = "https://elsewhere.test"
            #expect(try await fixture.failure(request)?.reason == .invalidParameter("return_to"))
            fixture.clock.now = parties.service.certificate.notAfter + .seconds(1)
            let expired = try await fixture.failure()
            #expect(expired?.reason == .keyUnsuitable && expired?.action == .fixConfiguration)
        }
    }

    extension DigiDFixture {
        /// Performs two logins of which the second receives the response to the first, and returns its failure.
        fileprivate func replayed() async throws -> RelyingPartyError.Reason? {
            let kept = HTTPKeeper()
            digiD.script.answer = { kept.first($0) }
            defer { digiD.script.answer = nil }
            _ = try await login()
            return try await failure()?.reason
        }
    }

    /// Returns the first response each time.
    private final class HTTPKeeper: Sendable {
        private let kept = Mutex<TransportResponse?>(nil)
        func first(_ response: TransportResponse) -> TransportResponse {
            kept.withLock { kept in
                if kept == nil { kept = response }
                return kept ?? response
            }
        }
    }
#endif
