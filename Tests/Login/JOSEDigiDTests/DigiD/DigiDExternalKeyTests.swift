#if SAML
    import JOSE
    import JOSESupport
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETesting
    import TestSupport
    import Testing

    /// The service's signing key is outside the process, and what it signs is what DigiD verifies with the service's certificate.
    @Suite("DigiD with a signing key outside the process") struct DigiDExternalKeyTests {
        private func signer(_ mood: RemoteService.Mood = .well) throws -> RemoteSigner {
            RemoteSigner(try PrivateKey(pem: Parties.made().service.issued.keyPEM), RemoteService(mood))
        }

        private func reason<Value>(
            _ body: () async throws(RelyingPartyError) -> Value
        ) async -> RelyingPartyError.Reason? {
            do throws(RelyingPartyError) {
                _ = try await body()
                return nil
            } catch {
                return error.reason
            }
        }

        @Test(
            "logins in the app and in the browser, and logouts in both directions of each interface, are signed outside the process"
        )
        func messages() async throws {
            for interface in [DigiDConnection.Interface.saml3, .saml4] {
                let signer = try signer()
                let fixture = try DigiDFixture.withLogout(interface, signer: signer)
                // The request and the resolution of the artifact are signed.
                #expect(try await fixture.login().number == DigiDNumber(Parties.number))
                #expect(await signer.service.calls == 2)
                let start = try await fixture.party.beginBrowserLogin()
                #expect(await fixture.browserFailure(try fixture.visit(start), start.binding) == nil)
                #expect(await signer.service.calls == 4)

                let message = try await fixture.party.beginLogout(DigiDUserSession(nameID: "s00000000:1"))
                let visit = try BrowserVisit(message)
                let service = fixture.digiD.parties.service
                if interface == .saml3 {
                    try RedirectSignature(octets: visit.octets).verify(
                        visit.fields["Signature"] ?? "", with: service.certificate.publicKey())
                } else {
                    let xml = try #require(Base64.decode(Array(try visit.xml.utf8)))
                    try XMLDocument(xml).root.verify(by: [try service.verifying])
                }
                #expect(await signer.service.calls == 5)
                // DigiD asks by SOAP in its earlier interface alone.
                guard interface == .saml3 else { continue }
                let request = try LogoutRequest(
                    of: "s00000000:1", issuer: Parties.entityID, destination: DigiDFixture.requestURL,
                    now: fixture.clock.now.secondsSince1970
                ).envelope(signedWith: fixture.digiD.parties.provider.key)
                let answer = await fixture.party.respondToLogout(
                    request, clientCertificate: DigiDFixture.clientCertificate
                ) { _ in }
                #expect(answer.status == 200)
                let response = try XMLDocument(answer.body).root.all(.soap("Body"))[0].children[0]
                try response.verify(by: [try service.verifying])
                #expect(await signer.service.calls == 6)
            }
        }

        @Test("a key that does not sign, or signs something else, ends the call, and nothing is sent")
        func faults() async throws {
            let moods: [(RemoteService.Mood, RelyingPartyError.Reason?)] = [
                (.well, nil), (.failing(RemoteService.Fault.offline), .internalFault),
                (.lying { $0.reversed() }, .internalFault), (.lying { Array($0.dropLast()) }, .internalFault),
            ]
            for (mood, expected) in moods {
                let signer = try signer()
                let fixture = try DigiDFixture.withLogout(signer: signer)
                let start = try await fixture.party.beginLogin()
                let query = try fixture.digiD.open(start.url)
                await signer.service.set(mood)
                #expect(
                    await reason { () async throws(RelyingPartyError) in try await fixture.party.beginLogin() }
                        == expected)
                #expect(
                    await reason { () async throws(RelyingPartyError) in try await fixture.party.beginBrowserLogin() }
                        == expected)
                let session = DigiDUserSession(nameID: "s00000000:1")
                #expect(
                    await reason { () async throws(RelyingPartyError) in try await fixture.party.beginLogout(session) }
                        == expected)
                let completed = await reason { () async throws(RelyingPartyError) in
                    try await fixture.party.completeLogin(callback: .query(query), binding: start.binding)
                }
                #expect(completed == expected)
                #expect(fixture.digiD.requests.count == (expected == nil ? 1 : 0))

                // DigiD may send its request to log out again, until the response is signed.
                let request = try LogoutRequest(
                    of: "s00000000:1", issuer: Parties.entityID, destination: DigiDFixture.requestURL,
                    now: fixture.clock.now.secondsSince1970
                ).envelope(signedWith: fixture.digiD.parties.provider.key)
                func status() async -> Int {
                    let certificate = DigiDFixture.clientCertificate
                    return await fixture.party.respondToLogout(request, clientCertificate: certificate) { _ in }.status
                }
                #expect(await status() == (expected == nil ? 200 : 503))
                await signer.service.set(.well)
                #expect(await status() == (expected == nil ? 403 : 200))
            }
        }

        @Test("a key that is not RSA or not the certificate's is rejected, and saml4 without a key for decryption")
        func configuration() async throws {
            let parties = try Parties.made()
            let other = RemoteSigner(try PrivateKey(pem: parties.other.issued.keyPEM))
            let elliptic = RemoteSigner(try PrivateKey.generate(.p256))
            #expect(throws: Never.self) { try DigiDFixture(signer: signer()) }
            for wrong in [other, elliptic] {
                let error = #expect(throws: RelyingPartyError.self) { try DigiDFixture(signer: wrong) }
                #expect(error?.reason == .keyUnsuitable && error?.step == .configuration)
            }
            #expect(throws: Never.self) {
                try DigiDFixture(.saml4, signer: signer()) { $0.decryption = [parties.service.key] }
            }
            let error = #expect(throws: RelyingPartyError.self) { try DigiDFixture(.saml4, signer: signer()) }
            #expect(error?.reason == .configurationError && error?.step == .configuration)
        }

        @Test("metadata of the service, and the request of its app, are signed outside the process")
        func documents() async throws {
            let parties = try Parties.made()
            let signer = try signer()
            let metadata = ServiceProviderMetadata(
                entityID: Parties.service, assertionConsumers: [(0, Parties.consumerURL)],
                signing: [parties.service.certificate])
            let xml = try await metadata.signed(by: signer, certificate: parties.service.certificate)
            try XMLDocument(xml).root.verify(by: [parties.service.verifying])
            let other = RemoteSigner(try PrivateKey(pem: parties.other.issued.keyPEM))
            // The certificate is not in the metadata; then it is that of another key.
            for (key, certificate, expected) in [
                (other, parties.other.certificate, RelyingPartyError.Reason.configurationError),
                (other, parties.service.certificate, .keyUnsuitable),
            ] {
                let found = await reason { () async throws(RelyingPartyError) in
                    try await metadata.signed(by: key, certificate: certificate)
                }
                #expect(found == expected)
            }

            let app = try DigiDApp(
                name: "Service", returnURL: DigiDFixture.returnURL, icon: "https://service.test/icon.png")
            let key = try PrivateKey(pem: parties.service.issued.keyPEM)
            let inside = try DigiDAppRequest(of: app, samlRequest: "c2FtbA==", relayState: "r", signedBy: key)
            let outside = try await DigiDAppRequest(
                of: app, samlRequest: "c2FtbA==", relayState: "r", signedBy: signer)
            // The signatures of RSASSA-PKCS1-v1_5 are deterministic.
            #expect(outside.value == inside.value && outside.signature != nil)
            let elliptic = RemoteSigner(try PrivateKey.generate(.p256))
            let found = await reason { () async throws(RelyingPartyError) in
                try await DigiDAppRequest(of: app, samlRequest: "c2FtbA==", relayState: "r", signedBy: elliptic)
            }
            #expect(found == .keyUnsuitable)
        }
    }
#endif
