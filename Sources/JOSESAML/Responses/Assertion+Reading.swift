#if SAML
    internal import JOSETokens
    internal import JOSERelyingParty

    extension XMLElement {
        /// Of an assertion that a verified signature covers.
        func login(_ rules: ArtifactResponseRules) throws(RelyingPartyFailure) -> SAMLLogin {
            guard attribute("Version").isSame(as: "2.0"), let id = attribute("ID"), !id.isEmpty else {
                throw .malformed
            }
            try checkIssuer(rules)
            let subject = try one(.saml("Subject"))
            let confirmedUntil = try subject.checkConfirmation(rules)
            let validUntil = try one(.saml("Conditions")).checkConditions(rules)
            let statement = try one(.saml("AuthnStatement"))
            guard let reference = try statement.one(.saml("AuthnContext")).text(of: .saml("AuthnContextClassRef"))
            else {
                throw .acrTooLow
            }
            return SAMLLogin(
                assertionID: id, assertionEnd: max(confirmedUntil, validUntil) + rules.tolerance,
                classReference: reference,
                subjectLocality: try statement.optional(.saml("SubjectLocality"))?.attribute("Address"),
                identifiers: try identifiers(subject, rules))
        }

        /// The end of a bearer confirmation (SAML 2.0 Profiles, 4.1.4.2); of a Subject.
        private func checkConfirmation(_ rules: ArtifactResponseRules) throws(RelyingPartyFailure) -> Double {
            let confirmation = try one(.saml("SubjectConfirmation"))
            guard confirmation.attribute("Method").isSame(as: SAMLNames.bearer) else { throw .malformed }
            let data = try confirmation.one(.saml("SubjectConfirmationData"))
            guard data.attribute("InResponseTo").isSame(as: rules.requestID) else { throw .inResponseToMismatch }
            guard data.attribute("Recipient").isSame(as: rules.consumerURL) else { throw .audienceMismatch }
            return try data.checkTimes(rules)
        }

        private func checkTimes(_ rules: ArtifactResponseRules) throws(RelyingPartyFailure) -> Double {
            if let start = try time("NotBefore"), rules.now < start - rules.tolerance { throw .notYetValid }
            guard let end = try time("NotOnOrAfter") else { throw .claimMissing("NotOnOrAfter") }
            guard rules.now < end + rules.tolerance else { throw .expired }
            return end
        }

        /// Of Conditions (SAML 2.0 Core, 2.5.1): one that is not understood makes the assertion invalid.
        private func checkConditions(_ rules: ArtifactResponseRules) throws(RelyingPartyFailure) -> Double {
            let end = try checkTimes(rules)
            for condition in children {
                if condition.has(.saml("AudienceRestriction")) {
                    var audiences: [String] = []
                    for audience in condition.all(.saml("Audience")) { audiences.append(try audience.text()) }
                    guard audiences.contains(where: { $0.isSame(as: rules.audience) }) else { throw .audienceMismatch }
                } else if !condition.has(.saml("OneTimeUse")), !condition.has(.saml("ProxyRestriction")) {
                    throw .malformed
                }
            }
            return end
        }

        private func identifiers(
            _ subject: XMLElement, _ rules: ArtifactResponseRules
        ) throws(RelyingPartyFailure) -> [SAMLIdentifier] {
            guard rules.generation == .saml4 else { return [try subject.one(.saml("NameID")).identifier()] }
            var found: [SAMLIdentifier] = []
            for statement in all(.saml("AttributeStatement")) {
                for attribute in statement.all(.saml("Attribute"))
                where attribute.attribute("Name").isSame(as: SAMLNames.actingSubject) {
                    for value in attribute.all(.saml("AttributeValue")) {
                        for encrypted in value.all(.saml("EncryptedID")) {
                            found.append(try encrypted.decryptedIdentifier(rules))
                        }
                    }
                }
            }
            guard !found.isEmpty, found.count <= 10 else { throw .claimMissing("ActingSubjectID") }
            return found
        }

        /// Of a NameID.
        fileprivate func identifier() throws(RelyingPartyFailure) -> SAMLIdentifier {
            SAMLIdentifier(qualifier: attribute("NameQualifier"), text: try text())
        }
    }

    extension XMLElement {
        /// Of an EncryptedID (SAML 2.0 Core, 2.2.4): by the key that is encrypted to us. What is wrong with what is encrypted is one
        /// failure; what is told apart stands in the message in clear.
        fileprivate func decryptedIdentifier(
            _ rules: ArtifactResponseRules
        ) throws(RelyingPartyFailure) -> SAMLIdentifier {
            let data = try one(.xenc("EncryptedData"))
            let ours = all(.xenc("EncryptedKey")).filter { $0.attribute("Recipient").isSame(as: rules.recipient) }
            var chosen: (XMLElement, [SAMLKey])?
            for encryptedKey in ours where chosen == nil {
                let name = try encryptedKey.optional(.ds("KeyInfo"))?.text(of: .ds("KeyName"))
                let keys =
                    name.map { name in rules.decryption.filter { $0.keyName.isSame(as: name) } } ?? rules.decryption
                if !keys.isEmpty { chosen = (encryptedKey, keys) }
            }
            guard let (encryptedKey, keys) = chosen else { throw .keyNotFound }
            try data.checkEncryption(encryptedKey)
            for key in keys {
                do throws(RelyingPartyFailure) {
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
