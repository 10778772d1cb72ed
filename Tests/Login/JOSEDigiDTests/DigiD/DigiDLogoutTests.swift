#if SAML
    import Foundation
    import JOSE
    import JOSESupport
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETesting
    import Synchronization
    import TestSupport
    import Testing

    @Suite("Logouts at DigiD and by DigiD") struct DigiDLogoutTests {
        private static let name = "s00000000:" + Parties.number

        /// Begins a logout, and returns the ID of its request.
        private func begin(_ fixture: DigiDFixture) async throws -> String {
            let message = try await fixture.party.beginLogout(DigiDUserSession(nameID: Self.name))
            return try id(of: message, fixture)
        }

        private func id(of message: DigiDBrowserMessage, _ fixture: DigiDFixture) throws -> String {
            let visit = try BrowserVisit(message)
            #expect(visit.location.hasPrefix(DigiDFixture.logoutURL) && visit.fields["RelayState"] == nil)
            let xml: [UInt8]
            if case .redirect = message {
                try RedirectSignature(octets: visit.octets).verify(
                    visit.fields["Signature"] ?? "", with: fixture.digiD.parties.service.certificate.publicKey())
                xml = try DigiDRequestText.read(visit.xml)
            } else {
                xml = try #require(Base64.decode(Array(try visit.xml.utf8)))
                try XMLDocument(xml).root.verify(by: [try fixture.digiD.parties.service.verifying])
            }
            let text = String(decoding: xml, as: UTF8.self)
            #expect(text.contains("<samlp:LogoutRequest") && text.contains(">\(Self.name)</saml:NameID>"))
            #expect(text.contains("Destination=\"\(DigiDFixture.logoutURL)\"") && !text.contains("SessionIndex"))
            #expect(!"\(message)".contains(Parties.number))
            return try #require(try XMLDocument(xml).root.attribute("ID"))
        }

        private func response(_ id: String, _ fixture: DigiDFixture) -> LogoutResponse {
            LogoutResponse(
                to: id, issuer: Parties.entityID, destination: DigiDFixture.responseURL,
                now: fixture.clock.now.secondsSince1970)
        }

        /// Returns the query of a response by HTTP-Redirect.
        private func query(
            _ response: LogoutResponse, _ fixture: DigiDFixture, relayState: String? = "r",
            encoding: (String) -> String = { $0 }
        ) throws -> String {
            let value = try DigiDRequestText.write(try response.xml())
            let octets = Array(
                encoding(
                    String(
                        decoding: RedirectSignature("SAMLResponse", value, relayState: relayState).octets, as: UTF8.self
                    )
                )
                .utf8)
            let signature = RedirectSignature(octets: octets)
            let key = try PrivateKey(pem: fixture.digiD.parties.provider.issued.keyPEM)
            let url = signature.url(of: "https://x.test/", signature: try signature.sign(with: key))
            return String(url.drop { $0 != "?" }.dropFirst())
        }

        private func failure(_ fixture: DigiDFixture, _ query: String) async -> RelyingPartyError.Reason? {
            do throws(RelyingPartyError) {
                _ = try await fixture.party.completeLogout(query: query)
                return nil
            } catch { return error.reason }
        }

        @Test(
            "DigiD case 39: a response with a bad signature, for another destination or a second time is rejected; an empty destination, PartialLogout and RequestDenied end the logout"
        )
        func responses() async throws {
            let fixture = try DigiDFixture.withLogout()
            let id = try await begin(fixture)
            let good = try query(response(id, fixture), fixture)
            func changed(_ change: (inout LogoutResponse) -> Void) throws -> String {
                var changed = response(id, fixture)
                change(&changed)
                return try query(changed, fixture)
            }
            let now = fixture.clock.now.secondsSince1970
            let cases: [(String, RelyingPartyError.Reason)] = [
                (good.replacing("RelayState=r", with: "RelayState=s"), .signatureInvalid),
                (good.replacing("&RelayState=r", with: ""), .signatureInvalid),
                (good.replacing("rsa-sha256", with: "rsa-sha1"), .algorithmNotAllowed),
                (good + "&SAMLResponse=AA", .duplicateParameter("SAMLResponse")),
                (String(good.prefix { $0 != "&" }), .missingParameter("Signature")),
                (try changed { $0.destination = "https://another.test/" }, .audienceMismatch),
                (try changed { $0.issuer = "https://another.test/" }, .issuerMismatch),
                (try changed { $0.requestID = "_other" }, .inResponseToMismatch),
                (try changed { $0.now = now - 301 }, .tooOld), (try changed { $0.now = now + 31 }, .issuedInFuture),
                (
                    try changed { $0.status = ("Requester", nil) },
                    .providerError(try #require(ProviderErrorCode("Requester")))
                ),
            ]
            for (index, (query, reason)) in cases.enumerated() where index < cases.count - 1 {
                #expect(await failure(fixture, query) == reason, "\(index)")
            }
            #expect(try await fixture.party.completeLogout(query: good) == .loggedOut)
            #expect(await failure(fixture, good) == .replayed)
            let other = try await begin(fixture)
            var refused = response(other, fixture)
            refused.status = ("Requester", nil)
            #expect(await failure(fixture, try query(refused, fixture)) == cases[cases.count - 1].1)

            // The octets are verified as they were received: without a RelayState, with an empty one, with lower-case
            // escapes, and in another order than that of the signature.
            func logsOut(_ change: (String) throws -> String) async throws -> Bool {
                let id = try await begin(fixture)
                return try await fixture.party.completeLogout(query: change(id)) == .loggedOut
            }
            #expect(try await logsOut { try query(response($0, fixture), fixture, relayState: nil) })
            #expect(try await logsOut { try query(response($0, fixture), fixture, relayState: "") })
            #expect(
                try await logsOut { id in
                    try query(response(id, fixture), fixture) {
                        $0.replacing("%2F", with: "%2f").replacing("%2B", with: "%2b").replacing("%3A", with: "%3a")
                    }
                })
            #expect(
                try await logsOut { id in
                    try query(response(id, fixture), fixture).split(separator: "&").reversed().joined(separator: "&")
                })

            let accepted: [((inout LogoutResponse) -> Void, DigiDLogoutResult)] = [
                ({ $0.destination = "" }, .loggedOut), ({ $0.destination = nil }, .loggedOut),
                ({ $0.status = ("Responder", "PartialLogout") }, .partial),
                ({ $0.status = ("Responder", "RequestDenied") }, .stillLoggedIn),
                ({ $0.now = now - 299 }, .loggedOut),
            ]
            for (index, (change, result)) in accepted.enumerated() {
                var changed = response(try await begin(fixture), fixture)
                change(&changed)
                #expect(try await fixture.party.completeLogout(query: query(changed, fixture)) == result, "\(index)")
            }
        }

        @Test("DigiD case 40: a logout request has no SessionIndex, and is a form with an enveloped signature in saml4")
        func requests() async throws {
            for interface in [DigiDConnection.Interface.saml3, .saml4] {
                let fixture = try DigiDFixture.withLogout(interface)
                let message = try await fixture.party.beginLogout(DigiDUserSession(nameID: Self.name))
                if case .redirect = message { #expect(interface == .saml3) } else { #expect(interface == .saml4) }
                let id = try id(of: message, fixture)
                guard interface == .saml4 else { continue }
                let xml = try response(id, fixture).signed(with: fixture.digiD.parties.provider.key)
                func complete(_ xml: [UInt8]) async throws -> DigiDLogoutResult {
                    let form = "SAMLResponse=" + Base64.encode(xml.span).replacing("+", with: "%2B")
                    return try await fixture.party.completeLogout(
                        form: Array(form.utf8), contentType: "application/x-www-form-urlencoded")
                }
                let forged = try response(id, fixture).signed(with: fixture.digiD.parties.other.key)
                let failure = await #expect(throws: RelyingPartyError.self) { try await complete(forged) }
                #expect(failure?.reason == .signatureInvalid)
                #expect(try await complete(xml) == .loggedOut)
                let again = await #expect(throws: RelyingPartyError.self) { try await complete(xml) }
                #expect(again?.reason == .replayed)
            }
        }

        /// Sends a request of DigiD, and returns the answer and the users whose sessions were ended.
        private func answer(
            _ fixture: DigiDFixture, _ envelope: [UInt8], certificate: [UInt8]? = DigiDFixture.clientCertificate,
            fails: Bool = false
        ) async -> (DigiDLogoutResponse, ended: [String]) {
            let ended = Mutex<[String]>([])
            let answer = await fixture.party.respondToLogout(envelope, clientCertificate: certificate) { session in
                if fails { throw CancellationError() }
                ended.withLock { $0.append(session.nameID) }
            }
            return (answer, ended.withLock { $0 })
        }

        private func request(
            _ fixture: DigiDFixture, of name: String = Self.name, issuer: String = Parties.entityID,
            destination: String = DigiDFixture.requestURL, age: Double = 0, by party: Parties.Party? = nil
        ) throws -> [UInt8] {
            try LogoutRequest(
                of: name, issuer: issuer, destination: destination,
                now: fixture.clock.now.secondsSince1970 - age
            ).envelope(signedWith: (party ?? fixture.digiD.parties.provider).key)
        }

        @Test(
            "DigiD case 41: a request that is wrapped, of another issuer, six minutes old or repeated ends no session; one for an unknown user is answered with Success"
        )
        func requestsOfDigiD() async throws {
            let fixture = try DigiDFixture.withLogout()
            let good = try request(fixture)
            let elsewhere = try request(fixture, destination: "https://another.test/")
            let text = String(decoding: good, as: UTF8.self)
            // The signed request is moved away, and another one stands in its place.
            let body = try #require(text.range(of: "<samlp:LogoutRequest"))
            let end = try #require(text.range(of: "</samlp:LogoutRequest>"))
            let signed = String(text[body.lowerBound..<end.upperBound])
            let other = signed.replacing(Self.name, with: "s00000000:999999990").replacing(
                /(?s)<ds:Signature.*<\/ds:Signature>/, with: ""
            ).replacing(/\ ID="[^"]*"/, with: " ID=\"_other\"")
            let signature = try #require(signed.firstMatch(of: /(?s)<ds:Signature.*<\/ds:Signature>/)).output
            let moved = other.replacing("</saml:Issuer>", with: "</saml:Issuer>" + signature)
            let wrapped = text.replacing(
                signed, with: other.replacing("</samlp:LogoutRequest>", with: signed + "</samlp:LogoutRequest>"))
            let cases: [([UInt8], RelyingPartyError.Reason)] = [
                (Array(wrapped.utf8), .signatureInvalid),
                (Array(text.replacing(signed, with: moved).utf8), .signatureInvalid),
                (Array(text.replacing(Self.name, with: "s00000000:999999990").utf8), .signatureInvalid),
                (try request(fixture, issuer: "https://another.test"), .issuerMismatch),
                // The time is checked before the ID, and the ID before the destination.
                (elsewhere, .audienceMismatch), (elsewhere, .replayed),
                (try request(fixture, destination: "https://another.test/", age: 360), .tooOld),
                (try request(fixture, age: 360), .tooOld),
                (try request(fixture, by: fixture.digiD.parties.other), .signatureInvalid), ([], .malformed),
            ]
            for (index, (envelope, reason)) in cases.enumerated() {
                let (answer, ended) = await answer(fixture, envelope)
                #expect(answer.status == 403 && answer.body.isEmpty && ended.isEmpty, "\(index)")
                #expect(answer.error?.reason == reason, "\(index)")
            }
            let (accepted, ended) = await answer(fixture, good)
            #expect(accepted.status == 200 && accepted.error == nil && ended == [Self.name])
            let document = try XMLDocument(accepted.body)
            let response = try #require(document.root.children.last?.children.first)
            try response.verify(by: [try fixture.digiD.parties.service.verifying])
            let reply = String(decoding: accepted.body, as: UTF8.self)
            #expect(reply.contains("status:Success") && reply.contains("InResponseTo="))
            let (repeated, none) = await answer(fixture, good)
            #expect(repeated.status == 403 && repeated.error?.reason == .replayed && none.isEmpty)
            // A user without sessions at the service is answered in the same way.
            let stranger = "s00000000:999999990"
            let (unknown, asked) = await answer(fixture, try request(fixture, of: stranger))
            #expect(unknown.status == 200 && unknown.error == nil && asked == [stranger])
            #expect(String(decoding: unknown.body, as: UTF8.self).contains("status:Success"))
            #expect(
                DigiDUserSession(nameID: "S00000000:12345672").number
                    == DigiDUserSession(nameID: "s00000000:012345672").number)
        }

        @Test("DigiD case 41: of two copies of a request that arrive together, one ends the sessions")
        func copies() async throws {
            let fixture = try DigiDFixture.withLogout()
            let envelope = try request(fixture)
            let (entered, enter) = AsyncStream<Void>.makeStream()
            let (gate, open) = AsyncStream<Void>.makeStream()
            let first = Task {
                await fixture.party.respondToLogout(envelope, clientCertificate: DigiDFixture.clientCertificate) { _ in
                    enter.yield()
                    for await _ in gate { break }
                }.status
            }
            for await _ in entered { break }
            let (second, ended) = await answer(fixture, envelope)
            #expect(second.status == 403 && second.error?.reason == .replayed && ended.isEmpty)
            open.yield()
            #expect(await first.value == 200)
        }

        @Test("a request whose sessions could not be ended is answered with 503, and may be sent again")
        func unavailable() async throws {
            let fixture = try DigiDFixture.withLogout()
            let envelope = try request(fixture)
            let (failed, _) = await answer(fixture, envelope, fails: true)
            #expect(failed.status == 503 && failed.error?.action == .retry)
            // So is one whose task was cancelled meanwhile.
            let cancelled = await Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await answer(fixture, envelope, fails: true).0.status
            }.value
            #expect(cancelled == 503)
            let (later, ended) = await answer(fixture, envelope)
            #expect(later.status == 200 && ended == [Self.name])
        }

        @Test("DigiD case 42: a request without DigiD's client certificate is answered with 403") func certificates()
            async throws
        {
            let fixture = try DigiDFixture.withLogout()
            let envelope = try request(fixture)
            for certificate in [nil, [], [UInt8](repeating: 8, count: 32)] as [[UInt8]?] {
                let (answer, ended) = await answer(fixture, envelope, certificate: certificate)
                #expect(answer.status == 403 && ended.isEmpty)
            }
            #expect(await answer(fixture, envelope).0.status == 200)
        }

        @Test("DigiD case 43: the logout of a login with the app, or without endpoints, is a configuration error")
        func appLogins() async throws {
            let fixture = try DigiDFixture.withLogout()
            let user = try await fixture.login()
            let failure = await #expect(throws: RelyingPartyError.self) {
                try await fixture.party.beginLogout(user.session)
            }
            #expect(failure?.reason == .configurationError)
            let without = try DigiDFixture()
            let missing = await #expect(throws: RelyingPartyError.self) {
                try await without.party.beginLogout(DigiDUserSession(nameID: Self.name))
            }
            #expect(missing?.reason == .configurationError)
            #expect(try await !begin(fixture).isEmpty)
        }

        @Test("DigiD case 45: the bindings of the endpoints for logouts, and the services, are those of the interface")
        func metadata() throws {
            let parties = try Parties.made()
            func error(
                _ interface: DigiDConnection.Interface, _ bindings: [String], hasServices: Bool
            ) -> RelyingPartyError.Reason? {
                var metadata = ServiceProviderMetadata(
                    interface, entityID: Parties.service, assertionConsumers: [(0, Parties.consumerURL)],
                    signing: [parties.service.certificate])
                metadata.singleLogout = bindings.map {
                    SAMLEndpoint(
                        binding: $0, location: DigiDFixture.requestURL, responseLocation: DigiDFixture.responseURL)
                }
                if hasServices { metadata.services = [(1, "Service", "6a1cc4b2-0000-4000-8000-000000000000")] }
                do throws(RelyingPartyError) {
                    let text = String(decoding: try metadata.signed(with: parties.service.key), as: UTF8.self)
                    let first = text.range(of: "<md:SingleLogoutService")?.lowerBound
                    #expect((first != nil) == !bindings.isEmpty)
                    if let first {
                        #expect(first < text.range(of: "<md:AssertionConsumerService")?.lowerBound ?? first)
                    }
                    #expect(text.contains("ResponseLocation=\"\(DigiDFixture.responseURL)\"") == !bindings.isEmpty)
                    return nil
                } catch { return error.reason }
            }
            let (post, soap, redirect) = (SAMLNames.postBinding, SAMLNames.soapBinding, SAMLNames.redirectBinding)
            // A connection of saml4 for the services of another party has none of its own.
            for hasServices in [true, false] {
                for (bindings, isAccepted) in [
                    ([post], true), ([post, soap], true), ([], true), ([soap, post], false), ([soap], false),
                    ([redirect], false), ([soap, redirect], false),
                ] {
                    #expect(
                        error(.saml4, bindings, hasServices: hasServices) == (isAccepted ? nil : .configurationError),
                        "\(bindings) \(hasServices)")
                }
            }
            for (bindings, isAccepted) in [
                ([soap, redirect], true), ([redirect], true), ([], true), ([post], false), ([soap, post], false),
            ] {
                #expect(
                    error(.saml3, bindings, hasServices: false) == (isAccepted ? nil : .configurationError),
                    "\(bindings)")
            }
            #expect(error(.saml3, [soap, redirect], hasServices: true) == .configurationError)
        }

        @Test("a connection of saml4 has no URL for requests by SOAP, which DigiD sends in saml3 alone")
        func soapInterface() async throws {
            for (interface, url, isAccepted) in [
                (DigiDConnection.Interface.saml3, DigiDFixture.requestURL, true), (.saml4, nil, true),
                (.saml4, DigiDFixture.requestURL, false),
            ] as [(DigiDConnection.Interface, String?, Bool)] {
                var connection = try DigiDFixture.withLogout(interface).connection
                connection.logout?.requestURL = url
                var failure: RelyingPartyError?
                do {
                    _ = try DigiDRelyingParty(
                        connection, transport: ScriptedDigiD(.saml3, clock: TestClock()), store: MemoryLoginStore())
                } catch let error as RelyingPartyError { failure = error }
                let refused = RelyingPartyError(.configurationError, in: .configuration)
                #expect(failure == (isAccepted ? nil : refused))
            }
            let later = try DigiDFixture.withLogout(.saml4)
            #expect(await answer(later, try request(later)).0.status == 403)
            let earlier = try DigiDFixture.withLogout()
            #expect(await answer(earlier, try request(earlier)).0.status == 200)
        }
    }
#endif
