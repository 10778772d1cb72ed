#if SAML
    import JOSE
    import JOSESupport
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETesting
    import TestSupport
    import Testing

    @Suite("Logins on DigiD's web page") struct DigiDBrowserTests {
        @Test("a login in the browser returns the user, and the session at DigiD that a logout needs")
        func logins() async throws {
            for interface in [DigiDConnection.Interface.saml3, .saml4] {
                let fixture = try DigiDFixture(interface)
                var request = DigiDRequest()
                request.returnTo = "/home"
                let start = try await fixture.party.beginBrowserLogin(request)
                #expect(start.cookie.contains("SameSite=Lax") && start.cookie.contains("HttpOnly"))
                #expect(start.expires == fixture.clock.now + .seconds(900))
                let query = try fixture.visit(start)
                let callback = AuthorizationCallback.query(query)
                let cookie = String(start.cookie.prefix { $0 != ";" })
                #expect(callback.binding(inCookies: cookie) == start.binding)
                let user = try await fixture.party.completeBrowserLogin(callback: callback, binding: start.binding)
                #expect(user.number == DigiDNumber(Parties.number) && user.returnTo == "/home")
                let name = try #require(user.session).nameID
                #expect(interface == .saml3 ? name == "s00000000:" + Parties.number : !name.isEmpty)
                #expect("\(start) \(start.message) \(user.session as Any)".contains(Parties.number) == false)
                // A login with DigiD's app begins no session there.
                #expect(try await fixture.login().session == nil)
            }
        }

        @Test("an action may require a higher level than the login, and a renewed authentication")
        func higherLevel() async throws {
            for interface in [DigiDConnection.Interface.saml3, .saml4] {
                let fixture = try DigiDFixture(interface)
                var request = DigiDRequest()
                for (level, forceAuthn) in [(nil, false), (DigiDLevel.hoog, true)] as [(DigiDLevel?, Bool)] {
                    (request.level, request.forceAuthn) = (level, forceAuthn)
                    let start = try await fixture.party.beginBrowserLogin(request)
                    let (sent, _) = try fixture.received(start.message)
                    #expect(sent.forceAuthn == forceAuthn)
                    #expect(sent.classReference == (level ?? fixture.connection.level).classReference)
                    #expect(await fixture.browserFailure(try fixture.visit(start), start.binding) == nil)
                }
                // What was accepted for the login is too low for the action.
                let start = try await fixture.party.beginBrowserLogin(request)
                let query = try fixture.visit(start)
                fixture.digiD.script.message = { message in
                    let midden = DigiDLevel.midden
                    message.classReference = interface == .saml3 ? midden.classReference : midden.eIDAS ?? ""
                }
                #expect(await fixture.browserFailure(query, start.binding)?.reason == .acrTooLow)
            }
        }

        @Test(
            "DigiD case 34: the redirect signature covers the octets that are sent, after a query of the location; saml4 sends a form without DEFLATE"
        )
        func requests() async throws {
            for location in [Parties.signOn, Parties.signOn + "?tenant=1"] {
                var description = try Parties.made().description()
                description.signOn = [SAMLEndpoint(binding: SAMLNames.redirectBinding, location: location)]
                let metadata = try IdentityProviderMetadata(
                    description.signed(with: Parties.made().provider.key), entityID: Parties.entityID,
                    signedBy: [Parties.made().provider.certificate], now: .now)
                let fixture = try DigiDFixture(provider: metadata)
                let start = try await fixture.party.beginBrowserLogin()
                guard case .redirect(let url) = start.message else { throw Missing() }
                #expect(url.hasPrefix(location + (location == Parties.signOn ? "?" : "&") + "SAMLRequest="))
                let (request, relayState) = try fixture.received(start.message)
                #expect(request.destination == location && relayState?.utf8.count == 43)
                // One changed octet, and the signature is that of another query.
                let visit = try BrowserVisit(start.message)
                var octets = visit.octets
                octets[octets.count - 1] ^= 1
                #expect(throws: RelyingPartyError.Reason.signatureInvalid) {
                    try RedirectSignature(octets: octets).verify(
                        visit.fields["Signature"] ?? "", with: fixture.digiD.parties.service.certificate.publicKey())
                }
            }
            let later = try DigiDFixture(.saml4)
            let start = try await later.party.beginBrowserLogin()
            guard case .form(let form) = start.message else { throw Missing() }
            #expect(form.url == Parties.signOn && form.fields.map(\.name) == ["SAMLRequest", "RelayState"])
            let xml = try #require(Base64.decode(Array(form.fields[0].value.utf8)))
            #expect(String(decoding: xml, as: UTF8.self).contains("<samlp:AuthnRequest"))
            #expect(try later.received(start.message).request.destination == Parties.signOn)
            #expect(form.page.contains("Log in with DigiD") && form.page.contains(form.fields[0].value.prefix(40)))
        }

        @Test("DigiD case 35: an artifact with %2B is accepted, and one with a raw + is malformed") func encoding()
            async throws
        {
            // The handles give artifacts with a plus sign.
            let fixture = try DigiDFixture()
            var tried = 0
            while tried < 2 {
                let start = try await fixture.party.beginBrowserLogin()
                let (request, relayState) = try fixture.received(start.message)
                let artifact = try fixture.digiD.artifact(of: request)
                guard artifact.contains("+") else { continue }
                tried += 1
                let raw = "SAMLart=\(artifact.replacing("=", with: "%3D"))&RelayState=\(relayState ?? "")"
                let good = DigiDFixture.query(artifact, relayState)
                let failure = await fixture.browserFailure(tried == 1 ? raw : good, start.binding)
                #expect(failure?.reason == (tried == 1 ? .malformed : nil))
            }
        }

        @Test("DigiD case 36: an artifact that resolves to AuthnFailed is a cancelled login") func cancelled()
            async throws
        {
            let fixture = try DigiDFixture()
            for isCancelled in [true, false] {
                fixture.digiD.script.message = { if isCancelled { $0.innerStatus = ("Responder", "AuthnFailed") } }
                let start = try await fixture.party.beginBrowserLogin()
                let failure = await fixture.browserFailure(try fixture.visit(start), start.binding)
                #expect(failure?.reason == (isCancelled ? .cancelled : nil))
            }
        }

        @Test("DigiD case 37: a login of the app does not end in the browser, and one of the browser not in the app")
        func kinds() async throws {
            let fixture = try DigiDFixture()
            let app = try await fixture.party.beginLogin()
            let (ofApp, appState) = try fixture.digiD.read(app.url)
            let toBrowser = DigiDFixture.query(try fixture.digiD.artifact(of: ofApp), appState)
            #expect(await fixture.browserFailure(toBrowser, app.binding)?.reason == .stateMismatch)
            let browser = try await fixture.party.beginBrowserLogin()
            let (ofBrowser, browserState) = try fixture.received(browser.message)
            let toApp = DigiDReturn(
                artifact: try fixture.digiD.artifact(of: ofBrowser), relayState: browserState, errorMessage: nil
            ).query
            let failure = await #expect(throws: RelyingPartyError.self) {
                try await fixture.party.completeLogin(callback: .query(toApp), binding: browser.binding)
            }
            #expect(failure?.reason == .stateMismatch && fixture.digiD.requests.isEmpty)
            // Each ends where it began.
            #expect(try await fixture.failure() == nil)
            let again = try await fixture.party.beginBrowserLogin()
            #expect(await fixture.browserFailure(try fixture.visit(again), again.binding) == nil)
        }

        @Test(
            "DigiD case 38: an artifact without the browser's cookie is not resolved, and one of another login is rejected by InResponseTo"
        )
        func foreign() async throws {
            let fixture = try DigiDFixture()
            let victim = try await fixture.party.beginBrowserLogin()
            let attacker = try await fixture.party.beginBrowserLogin()
            let query = try fixture.visit(attacker)
            for binding in [nil, "", victim.binding] {
                #expect(await fixture.browserFailure(query, binding)?.reason == .stateMismatch)
            }
            #expect(fixture.digiD.requests.isEmpty)
            let (other, _) = try fixture.received(attacker.message)
            let (_, relayState) = try fixture.received(victim.message)
            let planted = DigiDFixture.query(try fixture.digiD.artifact(of: other), relayState)
            #expect(await fixture.browserFailure(planted, victim.binding)?.reason == .inResponseToMismatch)
            #expect(await fixture.browserFailure(query, attacker.binding) == nil)
            #expect(await fixture.browserFailure(query, attacker.binding)?.reason == .stateMismatch)
        }

        @Test("a return that is repeated, empty, that of the app, a form or too long is rejected, and uses up no login")
        func forms() async throws {
            let fixture = try DigiDFixture()
            let start = try await fixture.party.beginBrowserLogin()
            let good = try fixture.visit(start)
            let cases: [(String, RelyingPartyError.Reason)] = [
                (good + "&SAMLart=AA", .duplicateParameter("SAMLart")),
                (good + "&RelayState=AA", .duplicateParameter("RelayState")), ("", .missingParameter("SAMLart")),
                (good + "&app-app=AA", .malformed),
                (good.replacing("RelayState=", with: "RelayState=x"), .stateMismatch),
                (good + "&x=" + String(repeating: "a", count: 4_096), .tooLarge),
            ]
            for (query, reason) in cases {
                #expect(await fixture.browserFailure(query, start.binding)?.reason == reason, "\(query.prefix(60))")
            }
            let failure = await #expect(throws: RelyingPartyError.self) {
                try await fixture.party.completeBrowserLogin(
                    callback: .form(Array(good.utf8), contentType: "application/x-www-form-urlencoded"),
                    binding: start.binding)
            }
            #expect(failure?.reason == .contentTypeMismatch)
            fixture.clock.advance(by: .seconds(899))
            #expect(await fixture.browserFailure(good, start.binding) == nil)
            let late = try await fixture.party.beginBrowserLogin()
            let query = try fixture.visit(late)
            fixture.clock.advance(by: .seconds(901))
            #expect(await fixture.browserFailure(query, late.binding)?.reason == .stateMismatch)
        }

        private struct Missing: Error {}
    }
#endif
