#if SAML
    import Foundation
    import JOSE
    import JOSEKeySets
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETesting
    import JOSETokens
    import TestSupport
    import Testing

    /// The samples of the article "Logging in with DigiD".
    private struct DigiDSample {
        let party: DigiDRelyingParty
        let sessions = Sessions()

        /// The sessions of the service.
        actor Sessions {
            private(set) var ended: [DigiDNumber?] = []
            func end(of number: DigiDNumber?) { ended.append(number) }
        }

        init(
            metadata: [UInt8], theirs: Certificate, key: PrivateKey, certificate: Certificate,
            transport: any HTTPTransport, now: NumericDate
        ) throws {
            // Sample: a connection with DigiD
            let provider = try IdentityProviderMetadata(
                metadata, entityID: "https://was-preprod1.digid.nl/saml/idp/metadata", signedBy: [theirs], now: now)
            let app = try DigiDApp(
                name: "Service", returnURL: "https://service.test/digid", icon: "https://service.test/icon.png")
            var connection = try DigiDConnection(
                .saml3, entityID: "https://service.test/saml", apps: [app],
                consumer: DigiDConnection.Consumer(index: 0, url: "https://service.test/acs"),
                provider: provider, key: key, certificate: certificate)
            connection.level = .substantieel
            let party = try DigiDRelyingParty(connection, transport: transport, store: MemoryLoginStore())
            // Sample: end
            self.party = party
        }

        init(party: DigiDRelyingParty) { self.party = party }

        // Sample: begin with DigiD
        func begin() async throws(RelyingPartyError) -> (link: String, binding: String) {
            let start = try await party.beginLogin()
            return (start.url, start.binding)
        }
        // Sample: end

        // Sample: complete with DigiD
        func complete(query: String, binding: String) async -> String {
            do throws(RelyingPartyError) {
                let user = try await party.completeLogin(callback: .digiDApp(query), binding: binding)
                return "welcome, at level \(user.level)"
            } catch {
                return page(for: DigiDAdvice(error))
            }
        }
        // Sample: end

        // Sample: nothing came back from DigiD
        func nothingCame(binding: String) async throws(RelyingPartyError) -> String {
            let error = try await party.endLogin(.noAnswer, binding: binding)
            return page(for: DigiDAdvice(error))
        }
        // Sample: end

        // Sample: begin with DigiD in the browser
        func beginInBrowser() async throws(RelyingPartyError) -> (answer: DigiDBrowserMessage, setCookie: String) {
            let start = try await party.beginBrowserLogin()
            return (start.message, start.cookie)
        }
        // Sample: end

        // Sample: complete with DigiD in the browser
        func completeInBrowser(query: String, cookies: String) async throws(RelyingPartyError) -> DigiDUser {
            let callback = AuthorizationCallback.query(query)
            return try await party.completeBrowserLogin(
                callback: callback, binding: callback.binding(inCookies: cookies))
        }
        // Sample: end

        // Sample: log out at DigiD
        func logOut(_ session: DigiDUserSession) async throws(RelyingPartyError) -> DigiDBrowserMessage {
            try await party.beginLogout(session)
        }

        func loggedOut(query: String) async throws(RelyingPartyError) -> String {
            switch try await party.completeLogout(query: query) {
            case .loggedOut: "you are logged out"
            case .partial: "you are logged out here; close the browser to log out everywhere"
            case .stillLoggedIn: "you are logged out here, and still logged in at DigiD"
            }
        }
        // Sample: end

        // Sample: end the sessions that DigiD names
        func receive(_ body: [UInt8], certificateDigest: [UInt8]?) async -> (status: Int, body: [UInt8]) {
            let answer = await party.respondToLogout(body, clientCertificate: certificateDigest) { session in
                await sessions.end(of: session.number)
            }
            return (answer.status, answer.body)
        }
        // Sample: end

        // Sample: the page of DigiD's return URL
        func returnPage(query: String) throws(RelyingPartyError) -> String {
            try DigiDFallbackPage(query: query, scheme: "myservice").page
        }
        // Sample: end

        // Sample: pages for DigiD's situations
        func page(for advice: DigiDAdvice) -> String {
            switch advice {
            case .offerApp: "get DigiD's app, or log in on the web page"
            case .explainActivation: "activate DigiD's app first"
            case .explainLevel: "this service wants a higher level"
            case .tellCancelled: "you cancelled"
            case .offerAgain: "that took too long; log in again"
            case .offerAnotherWay, .showFault: "logging in with DigiD did not succeed; try again later"
            }
        }
        // Sample: end
    }

    @Suite("Documentation of DigiD") struct DigiDSampleTests {
        @Test("the sample logs a user in, and reports a login for which DigiD's app did not return")
        func login() async throws {
            _ = try Parties.made()
            let clock = TestClock(NumericDate(secondsSince1970: Date().timeIntervalSince1970.rounded(.down)))
            let digiD = try ScriptedDigiD(.saml3, clock: clock)
            let service = digiD.parties.service
            let sample = try DigiDSample(
                metadata: try digiD.parties.description().signed(with: digiD.parties.provider.key),
                theirs: digiD.parties.provider.certificate, key: try PrivateKey(pem: service.issued.keyPEM),
                certificate: service.certificate, transport: digiD, now: clock.now)
            let start = try await sample.begin()
            clock.now = .now
            let query = try digiD.open(start.link)
            #expect(await sample.complete(query: query, binding: start.binding) == "welcome, at level substantieel")
            #expect(
                await sample.complete(query: query, binding: start.binding).hasPrefix("logging in with DigiD did not"))
            #expect(try await sample.nothingCame(binding: start.binding) == "that took too long; log in again")
            #expect(try sample.returnPage(query: query).contains("myservice://return?app-app="))
        }

        @Test("the samples log a user in and out in the browser, and answer a request without a certificate with 403")
        func browser() async throws {
            let fixture = try DigiDFixture.withLogout()
            let sample = DigiDSample(party: fixture.party)
            let (message, cookie) = try await sample.beginInBrowser()
            let (request, relayState) = try fixture.received(message)
            let query = DigiDFixture.query(try fixture.digiD.artifact(of: request), relayState)
            let cookies = "a=b; " + cookie.prefix { $0 != ";" }
            let user = try await sample.completeInBrowser(query: query, cookies: cookies)
            guard case .redirect = try await sample.logOut(try #require(user.session)) else {
                Issue.record("no redirect")
                return
            }
            await #expect(throws: RelyingPartyError.self) { try await sample.loggedOut(query: "SAMLResponse=AA") }
            let envelope = try LogoutRequest(
                of: "s00000000:" + Parties.number, issuer: Parties.entityID, destination: DigiDFixture.requestURL,
                now: fixture.clock.now.secondsSince1970
            ).envelope(signedWith: fixture.digiD.parties.provider.key)
            #expect(await sample.receive(envelope, certificateDigest: nil).status == 403)
            #expect(await sample.sessions.ended.isEmpty)
            let answer = await sample.receive(envelope, certificateDigest: DigiDFixture.clientCertificate)
            #expect(answer.status == 200 && !answer.body.isEmpty)
            #expect(await sample.sessions.ended == [DigiDNumber(Parties.number)])
        }
    }
#endif
