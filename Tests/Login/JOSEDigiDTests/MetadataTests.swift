#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD
    import Testing

    @Suite("SAML: metadata") struct MetadataTests {
        private let now = NumericDate(secondsSince1970: Date().timeIntervalSince1970.rounded(.down) + 3600)

        private func failure(
            _ xml: [UInt8], entityID: String = Parties.entityID, by certificates: [Certificate]? = nil,
            now: NumericDate? = nil
        ) throws -> RelyingPartyError.Reason? {
            let trusted = try certificates ?? [Parties.made().provider.certificate]
            do throws(RelyingPartyError) {
                _ = try IdentityProviderMetadata(xml, entityID: entityID, signedBy: trusted, now: now ?? self.now)
                return nil
            } catch {
                #expect(error.step == .discovery)
                return error.reason
            }
        }

        @Test("metadata of the provider are accepted only with a trusted signature and the expected entity ID")
        func identityProvider() throws {
            let parties = try Parties.made()
            var description = parties.description(of: [parties.provider.certificate, parties.successor.certificate])
            let xml = try description.signed(with: parties.provider.key)
            let metadata = try IdentityProviderMetadata(
                xml, entityID: Parties.entityID, signedBy: [parties.provider.certificate], now: now)
            #expect(metadata.signOn.map(\.location) == [Parties.signOn])
            #expect(metadata.artifactResolution == description.artifactResolution)
            #expect(
                try metadata.signingCertificates(at: now.secondsSince1970).map(\.certificate) == description.signing)
            #expect(try failure(xml, entityID: "https://other.test") == .discoveryMismatch)
            #expect(try failure(xml, by: [parties.other.certificate]) == .discoveryMismatch)
            #expect(try failure(xml, by: []) == .discoveryMismatch)
            #expect(try failure(xml, by: [parties.other.certificate, parties.provider.certificate]) == nil)
            var text = String(decoding: xml, as: UTF8.self)
            text.swap("https://was-preprod1.digid.nl/saml/idp/resolve_artifact", "https://other.test/")
            #expect(try failure(Array(text.utf8)) == .discoveryMismatch)
            #expect(try failure(Array("<!DOCTYPE x>".utf8) + xml) == .malformed)
            description.validUntil = now + .seconds(10)
            let bounded = try description.signed(with: parties.provider.key)
            #expect(try failure(bounded) == nil)
            #expect(try failure(bounded, now: now + .seconds(10)) == .expired)
            description.validUntil = nil
            description.signOn[0] = SAMLEndpoint(binding: SAMLNames.redirectBinding, location: "http://other.test/")
            #expect(try failure(description.signed(with: parties.provider.key)) == .malformed)
        }

        @Test("a certificate is rejected before and after its period of validity")
        func validity() throws {
            let parties = try Parties.made()
            let xml = try parties.description().signed(with: parties.provider.key)
            #expect(try failure(xml) == nil)
            #expect(try failure(xml, now: parties.provider.certificate.notAfter + .seconds(1)) == .keyNotFound)
            #expect(try failure(xml, now: parties.provider.certificate.notBefore - .seconds(1)) == .keyNotFound)
        }

        @Test("only certificates with the use signing verify signatures")
        func uses() throws {
            let parties = try Parties.made()
            var description = parties.description()
            description.encryption = [parties.other.certificate]
            let xml = try description.signed(with: parties.provider.key)
            func signers(_ change: (inout String) -> Void) throws -> [Certificate] {
                var text = String(decoding: xml, as: UTF8.self)
                change(&text)
                let document = try XMLDocument(Array(text.utf8))
                try document.root.sign(with: parties.provider.key)
                return try IdentityProviderMetadata(
                    document.write(), entityID: Parties.entityID, signedBy: [parties.provider.certificate], now: now
                ).signingCertificates(at: now.secondsSince1970).map(\.certificate)
            }
            #expect(try signers { _ in } == [parties.provider.certificate])
            #expect(
                try signers { $0.swap("use=\"encryption\"", "use=\"signing\"") }
                    == [parties.provider.certificate, parties.other.certificate])
            #expect(try signers { $0.swap(" use=\"encryption\"", "") } == [parties.provider.certificate])
        }

        @Test("metadata of the service are signed and contain what DigiD requires")
        func serviceProvider() throws {
            let parties = try Parties.made()
            var metadata = ServiceProviderMetadata(
                .saml4, entityID: Parties.service,
                assertionConsumers: [(0, Parties.consumerURL), (3, "https://service.test/app")],
                signing: [parties.service.certificate])
            metadata.tls = [parties.successor.certificate]
            metadata.encryption = [parties.service.certificate]
            metadata.services = [(1, "Inloggen", "b8d5b9a5-f2c1-4a58-8ea5-2a6e0f0f9b0b")]
            let xml = try metadata.signed(with: parties.service.key)
            let document = try XMLDocument(xml)
            try document.root.verify(by: [parties.service.verifying])
            let text = String(decoding: xml, as: UTF8.self)
            #expect(text.contains("AuthnRequestsSigned=\"true\"") && text.contains("WantAssertionsSigned=\"true\""))
            #expect(!text.contains("cacheDuration"))
            #expect(text.contains("Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact\""))
            #expect(text.contains(parties.successor.certificate.base64))
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
                try metadata.signed(with: parties.other.key)
            }
            metadata.assertionConsumers[1].index = 0
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
                try metadata.signed(with: parties.service.key)
            }
            metadata.assertionConsumers = [(0, "http://service.test/acs")]
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
                try metadata.signed(with: parties.service.key)
            }
        }

        @Test("times are read and written as xs:dateTime in UTC, and in no other form")
        func times() {
            for (text, seconds) in [
                ("1970-01-01T00:00:00Z", 0.0), ("2000-02-29T23:59:59Z", 951_868_799),
                ("2026-11-22T07:40:00Z", 1_795_333_200),
                ("2100-03-01T00:00:00Z", 4_107_542_400), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ] {
                #expect(XMLTime.seconds(text) == seconds, "\(text)")
                #expect(XMLTime.text(seconds) == text)
            }
            #expect(XMLTime.seconds("1970-01-01T00:00:01.5Z") == 1.5)
            for text in [
                "", "1970-01-01T00:00:00", "1970-01-01T00:00:00+00:00", "1970-01-01 00:00:00Z", "1970-1-01T00:00:00Z",
                "2100-02-29T00:00:00Z", "1970-13-01T00:00:00Z", "1970-00-01T00:00:00Z", "1970-01-00T00:00:00Z",
                "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z",
                "-1970-01-01T00:00:00Z", "1970-01-01T00:00:00.1.2Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:0xZ",
            ] { #expect(XMLTime.seconds(text) == nil, "\(text)") }
        }
    }
#endif
