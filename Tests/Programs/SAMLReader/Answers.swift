#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD

    /// The responses of one provider to one request, and their outcomes.
    struct Answers {
        static let number = "111222333"
        /// The number of the person on whose behalf the user acts.
        static let legalNumber = "123456782"
        static let provider = "https://provider.test"
        static let service = "https://service.test"
        static let consumerURL = "https://service.test/acs"
        let key: SAMLKey
        let metadata: IdentityProviderMetadata
        let now: Double
        let rules: ArtifactResponseRules

        init(_ key: SAMLKey) throws {
            self.key = key
            now = key.certificate.notBefore.secondsSince1970 + 3600
            let description = IdentityProviderDescription(
                entityID: Self.provider, signing: [key.certificate],
                signOn: [SAMLEndpoint(binding: SAMLNames.redirectBinding, location: "https://provider.test/request")],
                artifactResolution: [
                    SAMLEndpoint(
                        binding: "urn:oasis:names:tc:SAML:2.0:bindings:SOAP",
                        location: "https://provider.test/resolve", index: 0)
                ])
            metadata = try IdentityProviderMetadata(
                description.signed(with: key), entityID: description.entityID, signedBy: [key.certificate],
                now: NumericDate(secondsSince1970: now))
            var rules = ArtifactResponseRules(
                .saml3, from: metadata, to: Self.service, consumerURL: Self.consumerURL, resolveID: "_resolve",
                requestID: "_request", now: now)
            rules.decryption = [key]
            self.rules = rules
        }

        func message(
            _ generation: SAMLGeneration, actsForOther: Bool = false
        ) throws -> ArtifactResponseMessage {
            var message = ArtifactResponseMessage(
                generation, issuer: Self.provider, audience: Self.service, consumerURL: Self.consumerURL,
                resolveID: "_resolve", requestID: "_request", classReference: "urn:x", now: now)
            if generation == .saml3 {
                message.nameID = Self.number
            } else {
                message.identifiers = [("urn:nl-eid-gdi:1.0:id:BSN", Self.number)]
                if actsForOther {
                    message.legalSubject = [("urn:nl-eid-gdi:1.0:id:BSN", Self.legalNumber)]
                    message.mandateServices = ["b8d5b9a5-f2c1-4a58-8ea5-2a6e0f0f9b0b"]
                }
                message.recipients = [(Self.service, try SAMLCertificate(key.certificate))]
            }
            return message
        }

        func honest(_ generation: SAMLGeneration) throws -> [UInt8] {
            try message(generation).envelope(signedWith: key)
        }

        enum Outcome: Equatable {
            case login(String)
            case refused(RelyingPartyError.Reason)

            var text: String {
                switch self {
                case .login: "login"
                // The code is left out, because the fuzzer may change it.
                case .refused(.providerError): "providerError"
                case .refused(let failure): "\(failure)"
                }
            }
        }

        func outcome(_ bytes: [UInt8], _ generation: SAMLGeneration = .saml4) -> Outcome {
            var rules = rules
            rules.generation = generation
            do throws(SAMLRejection) {
                let login = try SAMLLogin.read(bytes, rules)
                let told = login.identifiers + (login.legalSubject ?? [])
                return .login((told.map(\.text) + login.mandateServices).joined(separator: ","))
            } catch {
                return .refused(error.reason)
            }
        }

        func refusal(ofRequest text: String) -> RelyingPartyError.Reason? {
            do throws(RelyingPartyError.Reason) {
                _ = try ReceivedAuthnRequest(redirectValue: text)
                return nil
            } catch {
                return error
            }
        }
    }
#endif
