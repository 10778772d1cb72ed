#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSESAML

    /// Makes answers of one provider to one request, and reads them.
    struct Answers {
        static let number = "111222333"
        let key: SAMLKey
        private let rules: ArtifactResponseRules
        private let consumerURL = "https://service.test/acs"

        init(_ key: SAMLKey) throws {
            self.key = key
            let now = Double(key.certificate.notBefore) + 3600
            let description = IdentityProviderDescription(
                entityID: "https://provider.test", signing: [key.certificate], signOn: [], artifactResolution: [])
            let metadata = try IdentityProviderMetadata(
                description.signed(with: key), entityID: description.entityID, signedBy: [key.certificate], now: now)
            var rules = ArtifactResponseRules(
                .saml3, from: metadata, to: "https://service.test", consumerURL: consumerURL, resolveID: "_resolve",
                requestID: "_request", now: now)
            rules.decryption = [key]
            self.rules = rules
        }

        func message(_ generation: SAMLGeneration) throws -> ArtifactResponseMessage {
            var message = ArtifactResponseMessage(
                generation, issuer: "https://provider.test", audience: "https://service.test", consumerURL: consumerURL,
                resolveID: "_resolve", requestID: "_request", classReference: "urn:x", now: rules.now)
            if generation == .saml3 {
                message.nameID = Self.number
            } else {
                message.identifiers = [("urn:nl-eid-gdi:1.0:id:BSN", Self.number)]
                message.recipients = [("https://service.test", try SAMLCertificate(key.certificate))]
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

        func time(_ count: Int) throws {
            for generation in [SAMLGeneration.saml3, .saml4] {
                let body = try honest(generation)
                print("\(generation), whole: \(Self.microseconds(count) { _ = outcome(body, generation) })")
                let document = try XMLDocument(body)
                let certificate = try SAMLCertificate(key.certificate)
                guard let answer = document.root.children.last?.children.first else { fatalError("no answer") }
                print(
                    "\(generation), one signature: \(Self.microseconds(count) { try? answer.verify(by: [certificate]) })"
                )
            }
        }

        private static func microseconds(_ count: Int, _ body: () -> Void) -> Int64 {
            let taken = ContinuousClock().measure { for _ in 0..<count { body() } }
            let (seconds, parts) = taken.components
            return (seconds * 1_000_000 + parts / 1_000_000_000_000) / Int64(max(1, count))
        }
    }
#endif
