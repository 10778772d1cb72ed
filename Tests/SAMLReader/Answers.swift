#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSESAML

    /// Makes answers of one provider to one request, and reads them.
    struct Answers {
        static let number = "111222333"
        static let provider = "https://provider.test"
        static let service = "https://service.test"
        static let consumerURL = "https://service.test/acs"
        let key: SAMLKey
        let metadata: IdentityProviderMetadata
        let now: Double
        private let rules: ArtifactResponseRules

        init(_ key: SAMLKey) throws {
            self.key = key
            now = Double(key.certificate.notBefore) + 3600
            let description = IdentityProviderDescription(
                entityID: Self.provider, signing: [key.certificate],
                signOn: [SAMLEndpoint(binding: SAMLNames.redirectBinding, location: "https://provider.test/request")],
                artifactResolution: [
                    SAMLEndpoint(
                        binding: "urn:oasis:names:tc:SAML:2.0:bindings:SOAP",
                        location: "https://provider.test/resolve", index: 0)
                ])
            metadata = try IdentityProviderMetadata(
                description.signed(with: key), entityID: description.entityID, signedBy: [key.certificate], now: now)
            var rules = ArtifactResponseRules(
                .saml3, from: metadata, to: Self.service, consumerURL: Self.consumerURL, resolveID: "_resolve",
                requestID: "_request", now: now)
            rules.decryption = [key]
            self.rules = rules
        }

        func message(_ generation: SAMLGeneration) throws -> ArtifactResponseMessage {
            var message = ArtifactResponseMessage(
                generation, issuer: Self.provider, audience: Self.service, consumerURL: Self.consumerURL,
                resolveID: "_resolve", requestID: "_request", classReference: "urn:x", now: now)
            if generation == .saml3 {
                message.nameID = Self.number
            } else {
                message.identifiers = [("urn:nl-eid-gdi:1.0:id:BSN", Self.number)]
                message.recipients = [(Self.service, try SAMLCertificate(key.certificate))]
            }
            return message
        }

        func honest(_ generation: SAMLGeneration) throws -> [UInt8] {
            try message(generation).envelope(signedWith: key)
        }

        enum Outcome: Equatable {
            case login(String)
            case refused(RelyingPartyFailure)

            var text: String {
                switch self {
                case .login: "login"
                // Whatever its code was changed to.
                case .refused(.providerError): "providerError"
                case .refused(let failure): "\(failure)"
                }
            }
        }

        func outcome(_ bytes: [UInt8], _ generation: SAMLGeneration = .saml4) -> Outcome {
            var rules = rules
            rules.generation = generation
            do throws(SAMLRefusal) {
                let login = try SAMLLogin.read(bytes, rules)
                return .login(login.identifiers.map(\.text).joined(separator: ","))
            } catch {
                return .refused(error.failure)
            }
        }

        func refusal(ofRequest text: String) -> RelyingPartyFailure? {
            do throws(RelyingPartyFailure) {
                _ = try ReceivedAuthnRequest(redirectValue: text)
                return nil
            } catch {
                return error
            }
        }

        /// Microseconds a call: what the library does, beside xmlsec's verification of an answer that was parsed before.
        func time(_ count: Int, key: PrivateKey) async throws {
            print("microseconds a call")
            for generation in [SAMLGeneration.saml3, .saml4] {
                let body = try honest(generation)
                let document = try XMLDocument(body)
                let certificate = try SAMLCertificate(self.key.certificate)
                guard let answer = document.root.children.last?.children.first else { fatalError("no answer") }
                try answer.verify(by: [certificate])
                let verification = Self.microseconds(count) { try? answer.verify(by: [certificate]) }
                print("\(generation), xmlsec's verification: \(verification)")
                let reading = Self.microseconds(count) { _ = outcome(body, generation) }
                print("\(generation), an answer read, two signatures: \(reading)")
            }
            let completion = Self.microseconds(try await timeCompletions(count, key: key), count)
            print("saml3, a login completed, two signatures and one of its own: \(completion)")
        }

        private static func microseconds(_ count: Int, _ body: () -> Void) -> Int64 {
            microseconds(ContinuousClock().measure { for _ in 0..<count { body() } }, count)
        }

        private static func microseconds(_ taken: Duration, _ count: Int) -> Int64 {
            let (seconds, parts) = taken.components
            return (seconds * 1_000_000 + parts / 1_000_000_000_000) / Int64(max(1, count))
        }
    }
#endif
