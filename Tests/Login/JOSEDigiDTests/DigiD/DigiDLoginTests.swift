#if SAML
    import Foundation
    import JOSE
    import JOSEKeySets
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETesting
    import JOSETokens
    import Testing

    @Suite("Logging in with DigiD by SAML") struct DigiDLoginTests {
        @Test("DigiD case 9: a login with either interface returns the sector, the number and the level")
        func login() async throws {
            for interface in [DigiDConnection.Interface.saml3, .saml4] {
                let fixture = try DigiDFixture(interface)
                var request = DigiDRequest()
                request.returnTo = "/home"
                let user = try await fixture.login(request)
                #expect(user.number == DigiDNumber(Parties.number) && user.number.sector == .bsn)
                #expect(user.level == .midden && user.returnTo == "/home" && user.locality == "127.0.0.1")
                #expect(user.pseudonym == (interface == .saml3 ? nil : "pseudonym-1"))
                for text in ["\(user)", String(reflecting: user)] { #expect(!text.contains(Parties.number)) }
            }
        }

        @Test("the request contains issuer, level and consumer, and its link has at most 2000 characters")
        func request() async throws {
            for interface in [DigiDConnection.Interface.saml3, .saml4] {
                let fixture = try DigiDFixture(interface) { $0.host = "preprod1.digid.nl" }
                var wanted = DigiDRequest()
                wanted.level = .substantieel
                let start = try await fixture.party.beginLogin(wanted)
                #expect(start.url.utf8.count <= 2000 && start.url.hasPrefix("https://app.digid.nl/digid-app?app-app="))
                let now = fixture.clock.now
                #expect(start.expires == now + .seconds(900) && start.urlExpires == now + .seconds(58))
                let envelope = try DigiDAppRequest(link: start.url)
                #expect(envelope.host == "preprod1.digid.nl" && envelope.returnURL == DigiDFixture.returnURL)
                #expect((envelope.signature == nil) == (interface == .saml4))
                let (request, relayState) = try fixture.digiD.read(start.url)
                #expect(request.issuer == Parties.service && request.destination == Parties.signOn)
                #expect(request.consumer == .index(0) && !request.forceAuthn)
                #expect(request.classReference == DigiDLevel.substantieel.classReference)
                #expect(request.issueInstant == now.secondsSince1970 - 2 && relayState?.utf8.count == 43)
            }
        }

        @Test("an artifact is resolved by SOAP at the URL in the metadata, without redirects")
        func resolving() async throws {
            let fixture = try DigiDFixture()
            _ = try await fixture.login()
            let request = try #require(fixture.digiD.requests.first)
            #expect(fixture.digiD.requests.count == 1 && request.url == Parties.resolution && request.method == .post)
            #expect(request.redirectLimit == 0 && request.bodyLimit == 256 * 1024)
            #expect(request.headers.contains(TransportHeaderField("Content-Type", "text/xml; charset=utf-8")))
            #expect(request.headers.contains { $0.name == "SOAPAction" })
        }

        @Test("an artifact is accepted once and from its own session; any other is rejected without a request")
        func sessions() async throws {
            let fixture = try DigiDFixture()
            let (victim, attacker) = (try await fixture.party.beginLogin(), try await fixture.party.beginLogin())
            let query = try fixture.digiD.open(attacker.url)
            func complete(_ query: String, _ binding: String?) async -> RelyingPartyError.Reason? {
                do throws(RelyingPartyError) {
                    _ = try await fixture.party.completeLogin(callback: .query(query), binding: binding)
                    return nil
                } catch {
                    return error.reason
                }
            }
            #expect(await complete(query, nil) == .stateMismatch)
            #expect(await complete(query, victim.binding) == .stateMismatch)
            #expect(fixture.digiD.requests.isEmpty)
            #expect(await complete(query, attacker.binding) == nil)
            #expect(await complete(query, attacker.binding) == .stateMismatch)
            #expect(fixture.digiD.requests.count == 1)
            // The victim's own login remains pending (threat D09).
            #expect(await complete(try fixture.digiD.open(victim.url), victim.binding) == nil)
        }

        @Test("DigiD case 11: an attacker's artifact in the victim's pending login is rejected by InResponseTo")
        func foreignArtifact() async throws {
            let fixture = try DigiDFixture()
            for isForeign in [true, false] {
                let (victim, attacker) = (try await fixture.party.beginLogin(), try await fixture.party.beginLogin())
                let (request, relayState) = try fixture.digiD.read(victim.url)
                let (other, _) = try fixture.digiD.read(attacker.url)
                let artifact = try fixture.digiD.artifact(of: isForeign ? other : request)
                let callback = AuthorizationCallback.query(
                    DigiDReturn(artifact: artifact, relayState: relayState, errorMessage: nil).query)
                var failure: RelyingPartyError.Reason?
                do throws(RelyingPartyError) {
                    _ = try await fixture.party.completeLogin(callback: callback, binding: victim.binding)
                } catch {
                    failure = error.reason
                }
                #expect(failure == (isForeign ? .inResponseToMismatch : nil))
            }
        }

        @Test("DigiD case 14: the artifact of DigiD's demonstration mode is rejected, in production and in tests")
        func demonstration() async throws {
            for host in [nil, "preprod1.digid.nl"] as [String?] {
                // The text is base64, and an artifact of any length is accepted.
                let fixture = try DigiDFixture {
                    $0.host = host
                    $0.acceptsShortArtifacts = true
                }
                let start = try await fixture.party.beginLogin()
                let (_, relayState) = try fixture.digiD.read(start.url)
                let callback = AuthorizationCallback.query(
                    DigiDReturn(artifact: DigiDArtifact.demo, relayState: relayState, errorMessage: nil).query)
                var failure: RelyingPartyError.Reason?
                do throws(RelyingPartyError) {
                    _ = try await fixture.party.completeLogin(callback: callback, binding: start.binding)
                } catch {
                    failure = error.reason
                }
                #expect(failure == .invalidParameter("SAMLart") && fixture.digiD.requests.isEmpty)
                #expect(try await fixture.failure() == nil)
            }
        }

        @Test("D08 an artifact is used up before it is resolved, whatever the result")
        func usedBefore() async throws {
            let fixture = try DigiDFixture()
            let start = try await fixture.party.beginLogin()
            let query = try fixture.digiD.open(start.url)
            fixture.digiD.script.fault = .deadlineExceeded
            var errors: [RelyingPartyError] = []
            for _ in 0..<2 {
                do throws(RelyingPartyError) {
                    _ = try await fixture.party.completeLogin(callback: .query(query), binding: start.binding)
                } catch {
                    errors.append(error)
                }
                fixture.digiD.script.fault = nil
            }
            #expect(errors.map(\.reason) == [.unreachable, .stateMismatch])
            #expect(errors.map(\.action) == [.restart, .restart] && fixture.digiD.requests.count == 1)
            #expect(try await fixture.failure() == nil)
        }

        @Test(
            "DigiD case 24: D06 another InResponseTo, Recipient, audience, time or level is rejected with an error of its own"
        )
        func assertionChecks() async throws {
            let fixture = try DigiDFixture()
            let now = fixture.clock.now.secondsSince1970
            let cases: [(@Sendable (inout ArtifactResponseMessage) -> Void, RelyingPartyError.Reason?)] = [
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
            for (index, (change, failure)) in cases.enumerated() {
                let error = try await fixture.failure(change)
                #expect(error?.reason == failure, "\(index)")
                #expect(error.map { !"\($0)".contains("11122233") } ?? true)
            }
        }

        @Test("a number of any sector that the service accepts is returned")
        func sectors() async throws {
            let fixture = try DigiDFixture { $0.sectors = [.bsn, .sofi] }
            fixture.digiD.script.message = { $0.nameID = "S00000001:" + Parties.number }
            #expect(try await fixture.login().number.sector == .sofi)
        }

        @Test(
            "the interface after 3.7 rejects an unknown level, a missing or invalid number, and one for another recipient"
        )
        func laterInterface() async throws {
            let fixture = try DigiDFixture(.saml4)
            let cases: [(@Sendable (inout ArtifactResponseMessage) -> Void, RelyingPartyError.Reason?)] = [
                ({ _ in }, nil), ({ $0.classReference = "http://eidas.europa.eu/LoA/high" }, nil),
                ({ $0.classReference = "http://eidas.europa.eu/LoA/none" }, .acrTooLow),
                ({ $0.identifiers.removeLast() }, .sectorUnexpected),
                ({ $0.identifiers[1].text = "111222334" }, .claimType("BSN")),
                ({ $0.recipients = [("https://another.test", $0.recipients[0].certificate)] }, .keyNotFound),
            ]
            for (index, (change, failure)) in cases.enumerated() {
                #expect(try await fixture.failure(change)?.reason == failure, "\(index)")
            }
        }
    }
#endif
