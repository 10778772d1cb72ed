#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD
    import TestSupport
    import Testing

    @Suite("SAML: requests") struct RequestTests {
        private let now = 1_795_330_800.75

        private func content(_ generation: SAMLGeneration = .saml3) -> AuthnRequest.Content {
            var content = AuthnRequest.Content(
                generation, issuer: Parties.service, destination: Parties.signOn, consumer: .index(3),
                classReference: Parties.midden)
            if generation == .saml4 { content.service = .index(1) }
            return content
        }

        private func failure(_ content: AuthnRequest.Content) -> RelyingPartyError.Reason? {
            do throws(RelyingPartyError.Reason) {
                _ = try AuthnRequest(content, now: now)
                return nil
            } catch {
                return error
            }
        }

        @Test("DigiD case 6: the issue time of a request is never in the future")
        func instant() throws {
            let request = try AuthnRequest(content(), now: now)
            #expect(request.issueInstant == 1_795_330_798)
            #expect(
                String(decoding: try request.xml(), as: UTF8.self).contains("IssueInstant=\"2026-11-22T06:59:58Z\""))
            let read = try ReceivedAuthnRequest(redirectValue: request.redirectValue())
            #expect(read.issueInstant == request.issueInstant && read.issueInstant < now)
            #expect(read.id == request.id && read.issuer == Parties.service && read.destination == Parties.signOn)
            #expect(read.consumer == .index(3) && read.classReference == Parties.midden && !read.forceAuthn)
        }

        @Test("DigiD case 7: a request that DigiD would reject cannot be created")
        func builder() throws {
            #expect(failure(content()) == nil)
            for destination in [
                "", "https://", "http://preprod1.digid.nl/", "ftp://x/", "https://x/ y", "https://x/\"", "/x",
            ] {
                var changed = content()
                changed.destination = destination
                #expect(failure(changed) == .configurationError, "\(destination)")
            }
            var url = content()
            url.consumer = .url(Parties.consumerURL)
            #expect(failure(url) == nil)
            let text = String(decoding: try AuthnRequest(url, now: now).xml(), as: UTF8.self)
            #expect(text.contains("AssertionConsumerServiceURL=") && !text.contains("AssertionConsumerServiceIndex"))
            let other = String(decoding: try AuthnRequest(content(), now: now).xml(), as: UTF8.self)
            #expect(!other.contains("AssertionConsumerServiceURL=") && !other.contains("ProtocolBinding"))
            url.consumer = .url("service://acs")
            #expect(failure(url) == .configurationError)
            for issuer in ["", "a b", "é", "x\u{1}", String(repeating: "x", count: 1025)] {
                var changed = content()
                changed.issuer = issuer
                #expect(failure(changed) == .configurationError)
            }
            var named = content()
            named.providerName = "Café <&> \"Z\""
            #expect(failure(named) == nil)
            #expect(
                String(decoding: try AuthnRequest(named, now: now).xml(), as: UTF8.self).contains(
                    "ProviderName=\"Café &lt;&amp;&gt; &quot;Z&quot;\""))
            named.providerName = "x\ny"
            #expect(failure(named) == .configurationError)
            var service = content()
            service.service = .index(1)
            #expect(failure(service) == .configurationError)
            service.generation = .saml4
            #expect(failure(service) == nil)
            service.service = nil
            #expect(failure(service) == .configurationError)
            service.service = .audience("urn:nl-eid-gdi:1.0:DV:1", serviceUUID: "b8d5b9a5-f2c1-4a58-8ea5-2a6e0f0f9b0b")
            #expect(failure(service) == nil)
        }

        @Test("DigiD case 8: a request contains the consumer's index or its URL, and one with both is malformed")
        func consumers() throws {
            var named = content()
            named.consumer = .url(Parties.consumerURL)
            let withURL = try AuthnRequest(named, now: now).redirectValue()
            #expect(try ReceivedAuthnRequest(redirectValue: withURL).consumer == .url(Parties.consumerURL))
            let text = String(decoding: try AuthnRequest(content(), now: now).xml(), as: UTF8.self)
            #expect(try ReceivedAuthnRequest(redirectValue: Raw.deflated(Array(text.utf8))).consumer == .index(3))
            let index = " AssertionConsumerServiceIndex=\"3\""
            for more in [
                " AssertionConsumerServiceURL=\"\(Parties.consumerURL)\"",
                " ProtocolBinding=\"\(SAMLNames.artifactBinding)\"",
            ] {
                var both = text
                both.swap(index, index + more)
                #expect(throws: RelyingPartyError.Reason.malformed) {
                    try ReceivedAuthnRequest(redirectValue: Raw.deflated(Array(both.utf8)))
                }
            }
        }

        @Test("IDs have 128 random bits and do not repeat")
        func identifiers() throws {
            let ids = try (0..<100).map { _ in try AuthnRequest(content(), now: now).id }
            #expect(Set(ids).count == 100)
            #expect(try ids.allSatisfy { try $0.wholeMatch(of: Regex("_[0-9a-f]{32}")) != nil })
        }

        @Test("a request of the later generation contains its signature, which its reader verifies")
        func signed() throws {
            let parties = try Parties.made()
            var content = content(.saml4)
            content.service = .audience("urn:nl-eid-gdi:1.0:DV:1", serviceUUID: "b8d5b9a5-f2c1-4a58-8ea5-2a6e0f0f9b0b")
            content.requesterID = "urn:nl-eid-gdi:1.0:DV:2"
            let request = try AuthnRequest(content, now: now)
            let xml = try request.draft(for: parties.service.certificate).signed(with: parties.service.key)
            #expect(try ReceivedAuthnRequest(signed: xml, by: [parties.service.verifying]).id == request.id)
            #expect(throws: RelyingPartyError.Reason.signatureInvalid) {
                try ReceivedAuthnRequest(signed: xml, by: [parties.other.verifying])
            }
            var text = String(decoding: xml, as: UTF8.self)
            text.swap("Index=\"3\"", "Index=\"4\"")
            #expect(throws: RelyingPartyError.Reason.signatureInvalid) {
                try ReceivedAuthnRequest(signed: Array(text.utf8), by: [parties.service.verifying])
            }
        }

        @Test("ArtifactResolve is signed and contains the artifact")
        func resolve() throws {
            let parties = try Parties.made()
            let artifact = "AAQAAE4ag/8+Y2E4ZDQ5Y2E4ZDQ5Y2E4ZDQ5Y2E4ZDQ5Y2E4ZDQ5Y2E4"
            let resolve = try ArtifactResolve(
                artifact, issuer: Parties.service, destination: Parties.resolution, now: now)
            let envelope = try resolve.draft(for: parties.service.certificate).signed(with: parties.service.key)
            let read = try ReceivedArtifactResolve(envelope: envelope, by: [parties.service.verifying])
            #expect(read.id == resolve.id && read.issuer == Parties.service && read.artifact == artifact)
            #expect(throws: RelyingPartyError.Reason.signatureInvalid) {
                try ReceivedArtifactResolve(envelope: envelope, by: [parties.other.verifying])
            }
            for bad in ["", "a b", "a\u{0}", "é"] {
                #expect(throws: RelyingPartyError.Reason.configurationError) {
                    try ArtifactResolve(bad, issuer: Parties.service, now: now)
                }
            }
        }

        @Test("D04 the inflated size of a request is bounded")
        func inflation() throws {
            func value(_ count: Int) throws -> String {
                let xml = try AuthnRequest(content(), now: now).xml()
                let padding = String(repeating: " ", count: count - xml.count)
                let text = String(decoding: xml, as: UTF8.self) + padding
                return try Raw.deflated(Array(text.utf8))
            }
            #expect(try ReceivedAuthnRequest(redirectValue: value(262_144)).issuer == Parties.service)
            #expect(throws: RelyingPartyError.Reason.malformed) {
                try ReceivedAuthnRequest(redirectValue: value(262_145))
            }
            #expect(throws: RelyingPartyError.Reason.malformed) {
                try ReceivedAuthnRequest(redirectValue: Raw.deflated([UInt8](repeating: 0x20, count: 50_000_000)))
            }
            #expect(throws: RelyingPartyError.Reason.malformed) { try ReceivedAuthnRequest(redirectValue: "AAAA") }
            #expect(throws: RelyingPartyError.Reason.malformed) {
                try ReceivedAuthnRequest(redirectValue: "not base64")
            }
        }

        @Test("a key that is not RSA or does not belong to the certificate is rejected")
        func keys() throws {
            let parties = try Parties.made()
            let issued = try parties.maker.issue("curve", .p256, extensions: [])
            #expect(throws: RelyingPartyError(.keyUnsuitable, in: .configuration)) {
                try SAMLKey(PrivateKey(pem: issued.keyPEM), certificate: Certificate(pem: issued.pem))
            }
            #expect(throws: RelyingPartyError.Reason.keyUnsuitable) {
                try SAMLCertificate(Certificate(pem: issued.pem))
            }
            let service = parties.service
            #expect(throws: RelyingPartyError(.keyUnsuitable, in: .configuration)) {
                try SAMLKey(PrivateKey(pem: service.issued.keyPEM), certificate: parties.other.certificate)
            }
            let key = try SAMLKey(PrivateKey(pem: service.issued.keyPEM), certificate: service.certificate)
            #expect("\(key)" == "SAMLKey")
        }
    }
#endif
