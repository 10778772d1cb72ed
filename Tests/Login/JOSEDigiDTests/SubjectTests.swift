#if SAML
    import Foundation
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETokens
    import Testing

    /// The user and the person on whose behalf the user acts, in the interface after 3.7.
    @Suite("SAML: users who act on behalf of another person") struct SubjectTests {
        private static let legalNumber = "123456782"
        private static let services = ["b8d5b9a5-f2c1-4a58-8ea5-2a6e0f0f9b0b", "c8d5b9a5-f2c1-4a58-8ea5-2a6e0f0f9b0b"]

        private func exchange() throws -> Exchange {
            var exchange = try Exchange(.saml4)
            exchange.message.legalSubject = [(DigiDNumber.qualifiers[0], Self.legalNumber)]
            exchange.message.mandateServices = Self.services
            return exchange
        }

        @Test("LegalSubjectID and MandateServices are returned beside the user's own number")
        func reading() throws {
            let login = try #require(try exchange().outcome().login)
            #expect(login.identifiers.map(\.text) == [Parties.number])
            #expect(login.legalSubject?.map(\.text) == [Self.legalNumber])
            #expect(login.legalSubject?.map(\.qualifier) == [DigiDNumber.qualifiers[0]])
            #expect(login.mandateServices == Self.services)
            let plain = try #require(try Exchange(.saml4).outcome().login)
            #expect(plain.legalSubject == nil && plain.mandateServices.isEmpty)
            var unsaid = try exchange()
            unsaid.message.mandateServices = []
            #expect(try unsaid.outcome().login?.legalSubject?.count == 1)
        }

        @Test(
            "services without a person, duplicate, empty or malformed services, and duplicate attributes are rejected"
        )
        func strictness() throws {
            let exchange = try exchange()
            #expect(try exchange.failure { _ in } == nil)
            #expect(try exchange.failure { $0.message.legalSubject = [] } == .claimMissing("LegalSubjectID"))
            for services in [[Self.services[0], Self.services[0]], [""], ["a b"], ["é"], (0..<101).map { "s\($0)" }] {
                #expect(
                    try exchange.failure { $0.message.mandateServices = services } == .claimType("MandateServices"),
                    "\(services.count)")
            }
            #expect(try exchange.failure { $0.message.mandateServices = (0..<100).map { "s\($0)" } } == nil)
            #expect(
                try exchange.failure { $0.edit = { $0.swap(Self.services[0], "<saml:Name/>") } } == .malformed)
            for name in [SAMLNames.actingSubject, SAMLNames.legalSubject, SAMLNames.mandateServices] {
                let twice = try exchange.failure {
                    $0.edit = {
                        $0.swap(
                            "<saml:AttributeStatement>", "<saml:AttributeStatement><saml:Attribute Name=\"\(name)\"/>")
                    }
                }
                #expect(twice == .malformed, "\(name)")
            }
            // An attribute with another name is ignored.
            let other = try exchange.failure {
                $0.edit = {
                    $0.swap(
                        "<saml:AttributeStatement>", "<saml:AttributeStatement><saml:Attribute Name=\"urn:other\"/>")
                }
            }
            #expect(other == nil)
            #expect(
                try Exchange(.saml4).failure {
                    $0.edit = {
                        $0.swap(
                            "</saml:AttributeStatement>",
                            "<saml:Attribute Name=\"\(SAMLNames.legalSubject)\"/></saml:AttributeStatement>")
                    }
                } == .claimMissing("LegalSubjectID"))
        }

        @Test("an identifier for other recipients alone is ignored, and one for this service is required")
        func others() throws {
            var exchange = try Exchange(.saml4)
            exchange.message.identifiers = [
                (DigiDNumber.qualifiers[1], "of-somebody-else"), (DigiDNumber.qualifiers[0], Parties.number),
            ]
            let recipient = "Recipient=\"\(Parties.service)\""
            #expect(try exchange.outcome().login?.identifiers.count == 2)
            var first = exchange
            first.edit = { text in
                if let range = text.range(of: recipient) {
                    text.replaceSubrange(range, with: "Recipient=\"https://other.test\"")
                }
            }
            #expect(try first.outcome().login?.identifiers.map(\.text) == [Parties.number])
            #expect(
                try exchange.failure { $0.edit = { $0.swap(recipient, "Recipient=\"https://other.test\"") } }
                    == .keyNotFound)
        }

        @Test("assertions in Advice are ignored, because they are about others")
        func advice() throws {
            for generation in [SAMLGeneration.saml3, .saml4] {
                /// Returns the text with a copy of the assertion in its Advice, about another person and with other
                /// IDs.
                func advised(_ text: String) throws -> String {
                    let assertion = try text.element("saml:Assertion")
                    let copy = assertion.without(try assertion.element("ds:Signature"))
                        .replacingOccurrences(of: "=\"_", with: "=\"_other")
                        .replacingOccurrences(of: "=\"#_", with: "=\"#_other")
                        .replacingOccurrences(of: Parties.number, with: Self.legalNumber)
                    return text.replacingOccurrences(
                        of: "</saml:Conditions>", with: "</saml:Conditions><saml:Advice>\(copy)</saml:Advice>")
                }
                var exchange = try Exchange(generation)
                exchange.edit = { $0 = (try? advised($0)) ?? "" }
                #expect(try exchange.outcome().name?.hasSuffix(Parties.number) == true, "\(generation)")
                exchange.edit = { text in
                    guard let whole = try? advised(text) else { return text = "" }
                    // The outer assertion's own statement about the user is removed.
                    let name = generation == .saml3 ? "NameID" : "AttributeStatement"
                    guard let inner = try? whole.element("saml:Advice"),
                        let own = try? whole.without(inner).element("saml:" + name)
                    else { return text = "" }
                    text = whole.without(inner).without(own).replacingOccurrences(
                        of: "</saml:Conditions>", with: "</saml:Conditions>" + inner)
                }
                let refused = try exchange.outcome().failure
                #expect(refused == (generation == .saml3 ? .malformed : .claimMissing("ActingSubjectID")))
            }
        }

        @Test("a service that accepts mandates receives the person concerned; any other rejects the login")
        func mandates() async throws {
            for accepts in [true, false] {
                let fixture = try DigiDFixture(.saml4) { $0.acceptsMandates = accepts }
                #expect(try await fixture.login().mandate == nil)
                fixture.digiD.script.message = {
                    $0.legalSubject = [(DigiDNumber.qualifiers[0], Self.legalNumber)]
                    $0.mandateServices = Self.services
                }
                guard accepts else {
                    #expect(try await fixture.failure()?.reason == .claimUnexpected("LegalSubjectID"))
                    continue
                }
                let user = try await fixture.login()
                #expect(user.number == DigiDNumber(Parties.number))
                #expect(user.mandate?.number == DigiDNumber(Self.legalNumber))
                #expect(user.mandate?.services == Self.services)
                var dumped = ""
                dump(user, to: &dumped)
                dump(user.mandate, to: &dumped)
                for text in ["\(user)", "\(user.mandate as Any)", dumped] { #expect(!text.contains(Self.legalNumber)) }
            }
        }

        @Test("the user and the person concerned have one number each, of an accepted sector")
        func numbers() async throws {
            let fixture = try DigiDFixture(.saml4) { $0.acceptsMandates = true }
            let (bsn, other) = (DigiDNumber.qualifiers[0], DigiDNumber.qualifiers[1])
            let cases: [(@Sendable (inout ArtifactResponseMessage) -> Void, RelyingPartyError.Reason?)] = [
                ({ $0.legalSubject = [(bsn, Self.legalNumber)] }, nil),
                ({ $0.legalSubject = [(bsn, Self.legalNumber), (other, Self.legalNumber)] }, nil),
                ({ $0.legalSubject = [(bsn, Self.legalNumber), (other, Parties.number)] }, .malformed),
                ({ $0.legalSubject = [(bsn, "123456783")] }, .claimType("BSN")),
                ({ $0.legalSubject = [(DigiDNumber.pseudonymQualifier, "p")] }, .sectorUnexpected),
                ({ $0.identifiers.append((other, Self.legalNumber)) }, .malformed),
                ({ $0.identifiers.append((other, Parties.number)) }, nil),
            ]
            for (index, (change, failure)) in cases.enumerated() {
                let error = try await fixture.failure(change)
                #expect(error?.reason == failure, "\(index)")
                #expect(error == nil || error?.step == .assertion)
            }
        }
    }
#endif
