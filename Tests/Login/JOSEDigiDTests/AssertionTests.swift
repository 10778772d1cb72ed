#if SAML
    import Foundation
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETokens
    import Testing

    /// Checks of the response and the assertion. The tests change messages before they are signed, so that the signatures are
    /// valid.
    @Suite("SAML: responses and assertions") struct AssertionTests {
        private func failure(_ old: String, _ new: String) throws -> RelyingPartyError.Reason? {
            try Exchange().failure { $0.edit = { $0.swap(old, new) } }
        }

        @Test(
            "DigiD case 22: D06 a missing or foreign issuer, InResponseTo, Destination, Recipient or Audience is rejected"
        )
        func members() throws {
            #expect(try failure("Version=\"2.0\"", "Version=\"2.0\"") == nil)
            #expect(try failure("Version=\"2.0\"", "Version=\"1.1\"") == .malformed)
            #expect(
                try failure("<saml:Issuer>" + Parties.entityID, "<saml:Issuer>https://other.test") == .issuerMismatch)
            #expect(try failure("<saml:Issuer>\(Parties.entityID)</saml:Issuer>", "") == .issuerMismatch)
            #expect(try failure(" InResponseTo=\"_resolve\"", " InResponseTo=\"_Resolve\"") == .inResponseToMismatch)
            #expect(try failure(" InResponseTo=\"_resolve\"", "") == .inResponseToMismatch)
            // This is a response to another user's request.
            #expect(try failure(" InResponseTo=\"_request\"", " InResponseTo=\"_other\"") == .inResponseToMismatch)
            #expect(try failure(" InResponseTo=\"_request\"", "") == .inResponseToMismatch)
            #expect(
                try failure("Destination=\"\(Parties.consumerURL)\"", "Destination=\"https://other.test/\"")
                    == .audienceMismatch)
            #expect(try failure(" Destination=\"\(Parties.consumerURL)\"", "") == nil)
            #expect(
                try failure("Recipient=\"\(Parties.consumerURL)\"", "Recipient=\"https://other.test/\"")
                    == .audienceMismatch)
            #expect(try failure(" Recipient=\"\(Parties.consumerURL)\"", "") == .audienceMismatch)
            #expect(try failure("cm:bearer", "cm:holder-of-key") == .malformed)
            // These assertions are issued for other services, or for others besides ours.
            #expect(
                try failure("<saml:Audience>" + Parties.service, "<saml:Audience>https://other.test")
                    == .audienceMismatch)
            #expect(try failure("<saml:Audience>\(Parties.service)</saml:Audience>", "") == .audienceMismatch)
            #expect(
                try failure("</saml:Audience>", "</saml:Audience><saml:Audience>https://other.test</saml:Audience>")
                    == nil)
            #expect(
                try failure(
                    "</saml:AudienceRestriction>",
                    "</saml:AudienceRestriction><saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>"
                )
                    == .audienceMismatch)
            #expect(try failure("<saml:AudienceRestriction>", "<saml:OneTimeUse/><saml:AudienceRestriction>") == nil)
            #expect(
                try failure("<saml:AudienceRestriction>", "<saml:Condition/><saml:AudienceRestriction>") == .malformed)
        }

        @Test("D10 an assertion without AudienceRestriction is rejected (SAML 2.0 Profiles, 4.1.4.2)")
        func unrestricted() throws {
            let restriction =
                "<saml:AudienceRestriction><saml:Audience>\(Parties.service)</saml:Audience></saml:AudienceRestriction>"
            for generation in [SAMLGeneration.saml3, .saml4] {
                let exchange = try Exchange(generation)
                for (replacement, failure) in [
                    (restriction, nil), ("", .audienceMismatch), ("<saml:OneTimeUse/>", .audienceMismatch),
                    ("<saml:AudienceRestriction/>", .audienceMismatch), ("<saml:OneTimeUse/>" + restriction, nil),
                ] as [(String, RelyingPartyError.Reason?)] {
                    let found = try exchange.failure { $0.edit = { $0.swap(restriction, replacement) } }
                    #expect(found == failure, "\(generation): \(replacement)")
                }
            }
        }

        @Test("D06 a swapped or foreign InResponseTo is rejected in the resolution, the response and the confirmation")
        func swapped() throws {
            let exchange = try Exchange()
            let failure = try exchange.failure {
                $0.edit = { text in
                    text.swap("\"_resolve\"", "\"_kept\"")
                    text.swap("\"_request\"", "\"_resolve\"")
                    text.swap("\"_kept\"", "\"_request\"")
                }
            }
            #expect(failure == .inResponseToMismatch)
            #expect(try exchange.failure { $0.rules.requestID = "_other" } == .inResponseToMismatch)
            #expect(try exchange.failure { $0.rules.resolveID = "_other" } == .inResponseToMismatch)
            let inner = try exchange.failure {
                $0.edit = { text in
                    let data = "<saml:SubjectConfirmationData InResponseTo=\"_request\""
                    text.swap(data, "<saml:SubjectConfirmationData InResponseTo=\"_other\"")
                }
            }
            #expect(inner == .inResponseToMismatch)
        }

        @Test("DigiD case 23: D06 an assertion is valid from NotBefore to NotOnOrAfter, with a leeway of 30 seconds")
        func times() throws {
            let exchange = try Exchange()
            func at(_ seconds: Double, leeway: Double = 30) throws -> RelyingPartyError.Reason? {
                try exchange.failure {
                    $0.rules.now += seconds
                    $0.rules.leeway = leeway
                }
            }
            #expect(try at(0) == nil)
            #expect(try at(149) == nil)
            #expect(try at(150) == .expired)
            #expect(try at(151) == .expired)
            #expect(try at(119, leeway: 0) == nil)
            #expect(try at(120, leeway: 0) == .expired)
            // A leeway above 30 seconds counts as 30.
            #expect(try at(151, leeway: 3600) == .expired)
            #expect(try at(-30) == nil)
            #expect(try at(-31) == .issuedInFuture)
            let missing = try exchange.failure {
                $0.edit = { text in
                    text = text.replacingOccurrences(
                        of: " NotOnOrAfter=\"[^\"]*\"", with: "", options: .regularExpression)
                }
            }
            #expect(missing == .claimMissing("NotOnOrAfter"))
            func replaced(_ name: String, _ value: String) throws -> RelyingPartyError.Reason? {
                try exchange.failure {
                    $0.edit = { text in
                        text = text.replacingOccurrences(
                            of: " \(name)=\"[^\"]*\"", with: " \(name)=\"\(value)\"", options: .regularExpression)
                    }
                }
            }
            let now = exchange.rules.now
            #expect(try replaced("NotBefore", XMLTime.text(now + 30)) == nil)
            #expect(try replaced("NotBefore", XMLTime.text(now + 31)) == .notYetValid)
            #expect(try replaced("NotBefore", "yesterday") == .malformed)
            #expect(try replaced("IssueInstant", XMLTime.text(now - 300)) == nil)
            #expect(try replaced("IssueInstant", XMLTime.text(now - 301)) == .tooOld)
            #expect(try replaced("IssueInstant", "2026-11-22 07:00:00") == .malformed)
        }

        @Test("a response with two assertions, none, or an encrypted one is rejected")
        func counts() throws {
            let exchange = try Exchange()
            #expect(
                try exchange.failure {
                    $0.message.signsAssertion = false
                    $0.rules.wantsSignedAssertion = false
                    $0.edit = { text in
                        guard let assertion = try? text.element("saml:Assertion") else { return }
                        text.swap(
                            assertion, assertion + assertion.replacingOccurrences(of: " ID=\"_", with: " ID=\"_2"))
                    }
                } == .malformed)
            #expect(
                try exchange.failure {
                    $0.edit = { text in
                        if let assertion = try? text.element("saml:Assertion") { text = text.without(assertion) }
                    }
                } == .malformed)
            #expect(
                try exchange.failure {
                    $0.edit = { $0.swap("<saml:Assertion ", "<saml:EncryptedAssertion/><saml:Assertion ") }
                }
                    == .malformed)
        }

        @Test("a SOAP 1.1 envelope with one message in its body is accepted, and any other is rejected")
        func envelopes() throws {
            #expect(try failure("<soapenv:Body>", "<soapenv:Header/><soapenv:Body>") == nil)
            let exchange = try Exchange()
            let body = try exchange.body()
            #expect(exchange.read(body).failure == nil)
            for (old, new) in [
                ("<soapenv:Body>", "<soapenv:Body><x/>"), ("</soapenv:Body>", "<x/></soapenv:Body>"),
                ("</soapenv:Body>", "</soapenv:Body><soapenv:Body/>"),
                ("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"),
            ] { #expect(exchange.read(body.replacingOccurrences(of: old, with: new)).failure == .malformed, "\(new)") }
            #expect(exchange.read(try body.element("samlp:ArtifactResponse")).failure == .malformed)
            #expect(exchange.read("").failure == .malformed)
        }

        @Test("a status other than Success is reported with both its codes")
        func status() throws {
            var exchange = try Exchange()
            exchange.message.innerStatus = ("Responder", "AuthnFailed")
            guard case .failure(let inner) = try exchange.outcome() else {
                Issue.record("a login")
                return
            }
            #expect(inner.reason == .providerError(ProviderErrorCode("AuthnFailed")!))
            #expect(inner.status?.topWord == "Responder" && inner.status?.secondWord == "AuthnFailed")
            #expect(inner.status?.isInner == true)
            exchange.message.innerStatus = nil
            exchange.message.outerStatus = ("Requester", "RequestDenied")
            guard case .failure(let outer) = try exchange.outcome() else {
                Issue.record("a login")
                return
            }
            #expect(outer.reason == .providerError(ProviderErrorCode("RequestDenied")!))
            #expect(outer.status?.isInner == false)
            exchange.message.outerStatus = nil
            // An expired artifact has the status Success and no response.
            exchange.message.isEmpty = true
            #expect(try exchange.outcome().failure == .expired)
            exchange.message.isEmpty = false
            #expect(try exchange.outcome().failure == nil)
        }

        @Test("a login has the ID and the expiration of its assertion, for replay protection")
        func ends() throws {
            let exchange = try Exchange()
            let body = try exchange.body()
            let login = try #require(exchange.read(body).login)
            #expect(login.assertionID == (try body.element("saml:Assertion").attribute("ID")))
            #expect(login.assertionEnd == exchange.rules.now + 150)
            #expect("\(login) \(String(reflecting: login)) \(login.identifiers)".contains(Parties.number) == false)
            var dumped = ""
            dump(login, to: &dumped)
            #expect(!dumped.contains(Parties.number))
        }
    }
#endif
