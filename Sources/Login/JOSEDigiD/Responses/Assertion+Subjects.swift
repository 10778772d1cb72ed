#if SAML
    internal import JOSESupport
    internal import JOSERelyingParty
    internal import JOSETokens

    extension XMLElement {
        /// Returns the user who has logged in, the person on whose behalf the user acts, and the services of the
        /// mandate. They are read from the assertion's own statements, because the assertions in its Advice are about
        /// others.
        func subjects(
            _ subject: XMLElement, _ rules: ArtifactResponseRules
        ) throws(RelyingPartyError.Reason) -> (acting: [SAMLIdentifier], legal: [SAMLIdentifier]?, services: [String]) {
            guard rules.generation == .saml4 else { return ([try subject.one(.saml("NameID")).identifier()], nil, []) }
            guard let acting = try identifiers("ActingSubjectID", SAMLNames.actingSubject, rules) else {
                throw .claimMissing("ActingSubjectID")
            }
            let legal = try identifiers("LegalSubjectID", SAMLNames.legalSubject, rules)
            let services = try mandateServices()
            guard legal != nil || services.isEmpty else { throw .claimMissing("LegalSubjectID") }
            return (acting, legal, services)
        }

        /// Returns the only Attribute with this name, nil if there is none. Throws `malformed` if there are several.
        private func attribute(named name: String) throws(RelyingPartyError.Reason) -> XMLElement? {
            let found = all(.saml("AttributeStatement")).flatMap { $0.all(.saml("Attribute")) }
                .filter { bytesEqual($0.attribute("Name"), name) }
            guard found.count <= 1 else { throw .malformed }
            return found.first
        }

        /// Returns the identifiers that are encrypted to the service, at least one. A value may be encrypted to another
        /// recipient alone.
        private func identifiers(
            _ claim: ClaimName, _ name: String, _ rules: ArtifactResponseRules
        ) throws(RelyingPartyError.Reason) -> [SAMLIdentifier]? {
            guard let attribute = try attribute(named: name) else { return nil }
            let values = attribute.all(.saml("AttributeValue")).flatMap { $0.all(.saml("EncryptedID")) }
            guard !values.isEmpty else { throw .claimMissing(claim) }
            guard values.count <= 10 else { throw .tooLarge }
            var found: [SAMLIdentifier] = []
            for value in values {
                let keys = value.all(.xenc("EncryptedKey")).filter {
                    bytesEqual($0.attribute("Recipient"), rules.recipient)
                }
                if !keys.isEmpty { found.append(try value.decryptedIdentifier(keys, rules)) }
            }
            guard !found.isEmpty else { throw .keyNotFound }
            return found
        }

        /// Returns the UUIDs of the services of a mandate; empty if the assertion names none.
        private func mandateServices() throws(RelyingPartyError.Reason) -> [String] {
            guard let attribute = try attribute(named: SAMLNames.mandateServices) else { return [] }
            var found: [String] = []
            for value in attribute.all(.saml("AttributeValue")) {
                let text = try value.text()
                guard text.isName, !found.contains(where: { bytesEqual($0, text) }) else {
                    throw .claimType("MandateServices")
                }
                found.append(text)
            }
            guard (1...100).contains(found.count) else { throw .claimType("MandateServices") }
            return found
        }

        /// Returns the identifier of a NameID.
        private func identifier() throws(RelyingPartyError.Reason) -> SAMLIdentifier {
            SAMLIdentifier(qualifier: attribute("NameQualifier"), text: try text())
        }

        /// Returns the identifier of an EncryptedID (SAML 2.0 Core, 2.2.4), decrypted with one of the EncryptedKeys for
        /// the service. Every fault in what is encrypted throws `decryptionFailed`; other reasons depend on the message
        /// in clear alone.
        private func decryptedIdentifier(
            _ ours: [XMLElement], _ rules: ArtifactResponseRules
        ) throws(RelyingPartyError.Reason) -> SAMLIdentifier {
            let data = try one(.xenc("EncryptedData"))
            var chosen: (XMLElement, [SAMLKey])?
            for encryptedKey in ours where chosen == nil {
                let name = try encryptedKey.optional(.ds("KeyInfo"))?.text(of: .ds("KeyName"))
                let keys =
                    name.map { name in rules.decryption.filter { bytesEqual($0.keyName, name) } } ?? rules.decryption
                if !keys.isEmpty { chosen = (encryptedKey, keys) }
            }
            guard let (encryptedKey, keys) = chosen else { throw .keyNotFound }
            try data.checkEncryption(encryptedKey)
            for key in keys {
                do throws(RelyingPartyError.Reason) {
                    let element = try data.decrypted(encryptedKey, with: key)
                    guard element.has(.saml("NameID")) else { throw .decryptionFailed }
                    return try element.identifier()
                } catch {
                    guard error == .decryptionFailed || error == .malformed else { throw error }
                }
            }
            throw .decryptionFailed
        }
    }
#endif
