#if SAML
    import Foundation
    import JOSE
    import JOSEKeySets
    import JOSERelyingParty
    import JOSESAML
    import JOSETesting
    import JOSETokens
    import Testing

    @Suite("Logging in with DigiD by SAML") struct DigiDLoginTests {
        @Test("DigiD case 9: a user logs in with either interface: sector, number and level")
        func login() async throws {
            for interface in [DigiDConnection.Interface.saml3, .saml4] {
                let desk = try DigiDDesk(interface)
                var request = DigiDRequest()
                request.returnTo = "/home"
                let user = try await desk.login(request)
                #expect(user.number == DigiDNumber(Parties.number) && user.number.sector == .bsn)
                #expect(user.level == .midden && user.returnTo == "/home" && user.locality == "127.0.0.1")
                #expect(user.pseudonym == (interface == .saml3 ? nil : "pseudonym-1"))
                for text in ["\(user)", String(reflecting: user)] { #expect(!text.contains(Parties.number)) }
            }
        }

        @Test("the request says who asks, for what level, and where the answer goes; its link is short")
        func request() async throws {
            for interface in [DigiDConnection.Interface.saml3, .saml4] {
                let desk = try DigiDDesk(interface) { $0.host = "preprod1.digid.nl" }
                var wanted = DigiDRequest()
                wanted.level = .substantieel
                let start = try await desk.party.beginLogin(wanted)
                #expect(start.url.utf8.count <= 2000 && start.url.hasPrefix("https://app.digid.nl/digid-app?app-app="))
                #expect(start.expires == desk.clock.now + 900 && start.urlExpires == desk.clock.now + 58)
                let envelope = try DigiDAppRequest(link: start.url)
                #expect(envelope.host == "preprod1.digid.nl" && envelope.returnURL == DigiDDesk.returnURL)
                #expect((envelope.signature == nil) == (interface == .saml4))
                let (request, relayState) = try desk.digiD.read(start.url)
                #expect(request.issuer == Parties.service && request.destination == Parties.signOn)
                #expect(request.consumer == .index(0) && !request.forceAuthn)
                #expect(request.classReference == DigiDLevel.substantieel.classReference)
                #expect(request.issueInstant == desk.clock.now - 2 && relayState?.utf8.count == 43)
            }
        }

        @Test("what is asked of the resolution service, and where: SOAP to the address of the metadata alone")
        func resolving() async throws {
            let desk = try DigiDDesk()
            _ = try await desk.login()
            let request = try #require(desk.digiD.requests.first)
            #expect(desk.digiD.requests.count == 1 && request.url == Parties.resolution && request.method == .post)
            #expect(request.redirectLimit == 0 && request.bodyLimit == 256 * 1024)
            #expect(request.headers.contains(HTTPField("Content-Type", "text/xml; charset=utf-8")))
            #expect(request.headers.contains { $0.name == "SOAPAction" })
        }

        @Test("DigiD cases 10 and 12: an artifact is taken of its own session, once, and nothing is asked otherwise")
        func sessions() async throws {
            let desk = try DigiDDesk()
            let (victim, attacker) = (try await desk.party.beginLogin(), try await desk.party.beginLogin())
            let query = try desk.digiD.open(attacker.url)
            func complete(_ query: String, _ binding: String?) async -> RelyingPartyFailure? {
                do throws(RelyingPartyError) {
                    _ = try await desk.party.completeLogin(callback: .query(query), binding: binding)
                    return nil
                } catch {
                    return error.failure
                }
            }
            #expect(await complete(query, nil) == .stateMismatch)
            #expect(await complete(query, victim.binding) == .stateMismatch)
            #expect(desk.digiD.requests.isEmpty)
            #expect(await complete(query, attacker.binding) == nil)
            #expect(await complete(query, attacker.binding) == .stateMismatch)
            #expect(desk.digiD.requests.count == 1)
            // The victim's own login was not disturbed (threat D09).
            #expect(await complete(try desk.digiD.open(victim.url), victim.binding) == nil)
        }

        @Test("DigiD case 11: an attacker's artifact with the victim's pending login answers another request")
        func foreignArtifact() async throws {
            let desk = try DigiDDesk()
            for isForeign in [true, false] {
                let (victim, attacker) = (try await desk.party.beginLogin(), try await desk.party.beginLogin())
                let (request, relayState) = try desk.digiD.read(victim.url)
                let (other, _) = try desk.digiD.read(attacker.url)
                let artifact = try desk.digiD.artifact(of: isForeign ? other : request)
                let callback = Callback.query(
                    DigiDReturn(artifact: artifact, relayState: relayState, errorMessage: nil).query)
                var failure: RelyingPartyFailure?
                do throws(RelyingPartyError) {
                    _ = try await desk.party.completeLogin(callback: callback, binding: victim.binding)
                } catch {
                    failure = error.failure
                }
                #expect(failure == (isForeign ? .inResponseToMismatch : nil))
            }
        }

        @Test("D08: an artifact is used up before it is resolved, whatever comes of it")
        func usedBefore() async throws {
            let desk = try DigiDDesk()
            let start = try await desk.party.beginLogin()
            let query = try desk.digiD.open(start.url)
            desk.digiD.script.fault = .deadlineExceeded
            var errors: [RelyingPartyError] = []
            for _ in 0..<2 {
                do throws(RelyingPartyError) {
                    _ = try await desk.party.completeLogin(callback: .query(query), binding: start.binding)
                } catch {
                    errors.append(error)
                }
                desk.digiD.script.fault = nil
            }
            #expect(errors.map(\.failure) == [.unreachable, .stateMismatch])
            #expect(errors.map(\.remedy) == [.restart, .restart] && desk.digiD.requests.count == 1)
            #expect(try await desk.failure() == nil)
        }

        @Test("D06: InResponseTo, Recipient, audience, times and level: each that is another is its own error")
        func assertionChecks() async throws {
            let desk = try DigiDDesk()
            let now = desk.clock.now
            let cases: [(@Sendable (inout ArtifactResponseMessage) -> Void, RelyingPartyFailure?)] = [
                ({ _ in }, nil), ({ $0.resolveID = "_other" }, .inResponseToMismatch),
                ({ $0.requestID = "_other" }, .inResponseToMismatch),
                ({ $0.audience = "https://another.test" }, .audienceMismatch),
                ({ $0.consumerURL = "https://another.test" }, .audienceMismatch),
                ({ $0.issuer = "https://another.test" }, .issuerMismatch),
                ({ $0.now = now - 151 }, .expired), ({ $0.now = now - 149 }, nil),
                ({ $0.now = now - 301 }, .tooOld), ({ $0.now = now + 31 }, .issuedInFuture),
                ({ $0.now = now + 29 }, nil),
                ({ $0.isEmpty = true }, .expired),
                ({ $0.classReference = DigiDLevel.basis.classReference }, .acrTooLow),
                ({ $0.classReference = "urn:other" }, .acrTooLow),
                ({ $0.classReference = DigiDLevel.hoog.classReference }, nil),
                ({ $0.signsAssertion = false }, .signatureInvalid),
                ({ $0.nameID = "s00000001:111222333" }, .sectorUnexpected),
                ({ $0.nameID = "s00000000:111222334" }, .claimType("BSN")),
            ]
            for (place, (change, failure)) in cases.enumerated() {
                let error = try await desk.failure(change)
                #expect(error?.failure == failure, "\(place)")
                #expect(error.map { !"\($0)".contains("11122233") } ?? true)
            }
        }

        @Test("DigiD case 25: a sector that the service takes is good")
        func sectors() async throws {
            let desk = try DigiDDesk { $0.sectors = [.bsn, .sofi] }
            desk.digiD.script.message = { $0.nameID = "S00000001:" + Parties.number }
            #expect(try await desk.login().number.sector == .sofi)
        }

        @Test("DigiD case 24 in the later interface, and numbers that are not there")
        func laterInterface() async throws {
            let desk = try DigiDDesk(.saml4)
            let cases: [(@Sendable (inout ArtifactResponseMessage) -> Void, RelyingPartyFailure?)] = [
                ({ _ in }, nil), ({ $0.classReference = "http://eidas.europa.eu/LoA/high" }, nil),
                ({ $0.classReference = "http://eidas.europa.eu/LoA/none" }, .acrTooLow),
                ({ $0.identifiers.removeLast() }, .sectorUnexpected),
                ({ $0.identifiers[1].text = "111222334" }, .claimType("BSN")),
                ({ $0.recipients = [("https://another.test", $0.recipients[0].certificate)] }, .keyNotFound),
            ]
            for (place, (change, failure)) in cases.enumerated() {
                #expect(try await desk.failure(change)?.failure == failure, "\(place)")
            }
        }
    }
#endif
