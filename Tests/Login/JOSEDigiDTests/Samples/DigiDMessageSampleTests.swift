#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD
    import TestSupport
    import Testing

    @Suite("Samples of DigiD's interface specification") struct DigiDMessageSampleTests {
        @Test(
            "R41 DigiD: every member of every sample is read, or listed with a reason", arguments: table.keys.sorted())
        func samples(_ name: String) throws {
            let sample = try ProviderSample(name)
            let read = try #require(Self.table[name])
            let members = try SampleXML(try #require(sample.message.string)).members
            #expect(try read(sample).faults(members) == [])
        }

        @Test("R41 every sample of DigiD has an entry in the table, and every entry its sample") func coverage() throws
        {
            #expect(Self.table.keys.sorted() == (try ProviderSample.names.filter { $0.hasPrefix("digid/") }))
        }

        private static let form = "The reader requires exactly this value, and therefore does not return it."

        static let table: [String: @Sendable (ProviderSample) throws -> SampleReading] = [
            "digid/authn-request-redirect": { _ in
                try request(issuer: "http://sp.example.com", besides: ["AuthnRequest@Destination": destination])
            },
            "digid/authn-request-post": { _ in
                var reading = try request(issuer: "https://sp.example.com", besides: [:])
                reading.read["AuthnRequest@Destination"] = destination
                reading.differs["AuthnRequest@ForceAuthn"] = (nil, "False is the default (SAML 2.0 Core, 3.4.1).")
                return reading
            },
            "digid/artifact-resolve": { sample in
                let key = try Parties.made().service.key
                let resolve = try ArtifactResolve(
                    "AAQAAMh48/1oXIMRdUmllwn9jJHyEgIi8=", issuer: "http://sp.example.com", now: instant + 2)
                let envelope = String(
                    decoding: try resolve.draft(for: key.certificate).signed(with: key), as: UTF8.self)
                let sent = try SampleXML(envelope.element("samlp:ArtifactResolve")).members
                #expect(try SampleXML(sample.message.string ?? "").members.keys.allSatisfy { sent[$0] != nil })
                return SampleReading(
                    [
                        "ArtifactResolve@Version": sent["ArtifactResolve@Version"],
                        "ArtifactResolve@IssueInstant": sent["ArtifactResolve@IssueInstant"],
                        "ArtifactResolve/Issuer": sent["ArtifactResolve/Issuer"],
                        "ArtifactResolve/Artifact": sent["ArtifactResolve/Artifact"],
                    ], differs: ["ArtifactResolve@ID": (resolve.id, "Every message has an identifier of its own.")])
            },
            "digid/artifact-response": { sample in try response(sample) },
        ]

        private static let destination = "https://example.com"
        /// The time 2012-02-28T09:01:13Z in seconds since 1970.
        private static let instant = 1_330_419_673.0

        /// Reads the sample's request as the library writes it.
        ///
        /// - Parameter besides: The members that the library adds to those of the sample.
        private static func request(issuer: String, besides: [String: String]) throws -> SampleReading {
            var content = AuthnRequest.Content(
                .saml3, issuer: issuer, destination: destination, consumer: .index(0),
                classReference: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport")
            content.providerName = "provider name"
            let request = try AuthnRequest(content, now: instant + 2)
            var sent = try SampleXML(String(decoding: request.xml(), as: UTF8.self)).members
            let id = sent.removeValue(forKey: "AuthnRequest@ID")
            for (name, value) in besides { #expect(sent.removeValue(forKey: name) == value) }
            sent["AuthnRequest@Destination"] = nil
            return SampleReading(
                sent.mapValues { $0 as (any CustomStringConvertible)? },
                differs: ["AuthnRequest@ID": (id, "Every message has an identifier of its own.")])
        }

        /// Reads the sample's response, moved to today and signed with DigiD's key.
        private static func response(_ sample: ProviderSample) throws -> SampleReading {
            let exchange = try Exchange()
            let parties = exchange.parties
            var text = try #require(sample.message.string)
            // Certificates of today cannot sign a message of 2012: every time is moved by the same interval.
            let now = exchange.rules.now
            for second in [-120, 0, 120] {
                text.swap(time(1_356_029_427 + Double(second)), time(now + Double(second)))
            }
            // The empty signature is placed as the specification requires, over the message's own ID.
            let form = try String(decoding: exchange.message.text(signedWith: parties.provider.key), as: UTF8.self)
            let signature = try form.element("ds:Signature").replacingOccurrences(
                of: try form.element("ds:Signature").attribute("URI"), with: "#_1330416516")
            let issuer = "<saml:Issuer>https://idp.example.com</saml:Issuer>"
            let range = try #require(text.range(of: issuer))
            text.replaceSubrange(range, with: issuer + signature)
            text.swap(
                "<samlp:ArtifactResponse ", "<samlp:ArtifactResponse xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\" ")
            let envelope =
                "<soapenv:Envelope xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\"><soapenv:Body>\(text)"
                + "</soapenv:Body></soapenv:Envelope>"
            let body = try exchange.message.finished(Array(envelope.utf8), with: parties.provider.key)
            func rules(audience: String, resolve: String, request: String) throws -> ArtifactResponseRules {
                var description = parties.description()
                description.entityID = "https://idp.example.com"
                let metadata = try IdentityProviderMetadata(
                    description.signed(with: parties.provider.key), entityID: "https://idp.example.com",
                    signedBy: [parties.provider.certificate], now: NumericDate(secondsSince1970: now))
                var rules = ArtifactResponseRules(
                    .saml3, from: metadata, to: audience, consumerURL: "http://example.com/artifact_url",
                    resolveID: resolve, requestID: request, now: now)
                // The specification calls the assertion's own signature optional.
                rules.wantsSignedAssertion = false
                return rules
            }
            func read(_ rules: ArtifactResponseRules) -> Result<SAMLLogin, SAMLRejection> {
                do throws(SAMLRejection) { return .success(try SAMLLogin.read(body, rules)) } catch {
                    return .failure(error)
                }
            }
            let (audience, resolve, request) = ("http://sp.example.com", "_1330416516", "_7afa5ce49")
            let result = read(try rules(audience: audience, resolve: resolve, request: request))
            #expect(result.failure == nil)
            // Each of these values is compared: a login with another one is rejected.
            #expect(read(try rules(audience: "x", resolve: resolve, request: request)).failure == .audienceMismatch)
            #expect(
                read(try rules(audience: audience, resolve: "_x", request: request)).failure == .inResponseToMismatch)
            #expect(
                read(try rules(audience: audience, resolve: resolve, request: "_x")).failure == .inResponseToMismatch)
            let login = try #require(result.login)
            let inner = "ArtifactResponse/Response/"
            let assertion = inner + "Assertion/"
            let compared = "It is compared with what was sent, as the test shows, or with the rules."
            let moved = "The test moves every instant to today; each is compared with the clock."
            var notSurfaced: [String: String] = [
                "ArtifactResponse@ID": compared, "ArtifactResponse@IssueInstant": moved,
                assertion + "AuthnStatement@SessionIndex": "A login with the app has no session at DigiD.",
                assertion + "AuthnStatement@AuthnInstant": moved,
                assertion + "AuthnStatement/AuthnContext@Comparison": "The schema has no such attribute here.",
                inner.dropLast() + "@ID": "Its element is covered by the signature of the whole.",
            ]
            for name in [
                "ArtifactResponse@Version", "ArtifactResponse/Status/StatusCode@Value", inner.dropLast() + "@Version",
                inner + "Status/StatusCode@Value", assertion.dropLast() + "@Version",
                assertion + "Subject/SubjectConfirmation@Method",
            ] { notSurfaced[name] = form }
            for name in [
                "ArtifactResponse@InResponseTo", "ArtifactResponse/Issuer", inner + "Issuer", assertion + "Issuer",
                inner.dropLast() + "@InResponseTo",
                assertion + "Subject/SubjectConfirmation/SubjectConfirmationData@InResponseTo",
                assertion + "Subject/SubjectConfirmation/SubjectConfirmationData@Recipient",
                assertion + "Conditions/AudienceRestriction/Audience",
            ] { notSurfaced[name] = compared }
            for name in [
                inner.dropLast() + "@IssueInstant", assertion.dropLast() + "@IssueInstant",
                assertion + "Subject/SubjectConfirmation/SubjectConfirmationData@NotOnOrAfter",
                assertion + "Conditions@NotBefore", assertion + "Conditions@NotOnOrAfter",
            ] { notSurfaced[name] = moved }
            return SampleReading(
                [
                    assertion.dropLast() + "@ID": login.assertionID,
                    assertion + "Subject/NameID": login.identifiers.first?.text,
                    assertion + "AuthnStatement/SubjectLocality@Address": login.subjectLocality,
                    assertion + "AuthnStatement/AuthnContext/AuthnContextClassRef": login.classReference,
                ], notSurfaced: notSurfaced)
        }

        private static func time(_ seconds: Double) -> String {
            Date(timeIntervalSince1970: seconds).formatted(.iso8601)
        }
    }
#endif
