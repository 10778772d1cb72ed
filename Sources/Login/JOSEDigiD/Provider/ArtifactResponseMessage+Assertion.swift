#if SAML
    internal import JOSERelyingParty

    extension ArtifactResponseMessage {
        func assertion(_ key: SAMLKey) throws(RelyingPartyError.Reason) -> XMLWriter {
            let id = try MessageID.fresh()
            let transient = try MessageID.fresh()
            // DigiD's assertions are valid from two minutes before their time of issue to two minutes after it.
            let (from, until) = (XMLTime.text(now - 120), XMLTime.text(now + 120))
            var attributes: [XMLWriter] = []
            for (name, values) in [
                (SAMLNames.actingSubject, identifiers), (SAMLNames.legalSubject, legalSubject),
            ] where !values.isEmpty {
                var encrypted: [XMLWriter] = []
                for _ in values { encrypted.append(try encryptedID()) }
                attributes.append(Self.attribute(name, encrypted))
            }
            if !mandateServices.isEmpty {
                let texts = mandateServices.map { text in
                    var writer = XMLWriter()
                    writer.write(text)
                    return writer
                }
                attributes.append(Self.attribute(SAMLNames.mandateServices, texts))
            }
            var writer = XMLWriter()
            writer.element(
                .saml("Assertion"), [("ID", id), ("Version", "2.0"), ("IssueInstant", XMLTime.text(now))]
            ) { assertion in
                assertion.element(.saml("Issuer"), text: issuer)
                if signsAssertion { assertion.signature(of: id, by: key.certificate) }
                assertion.element(.saml("Subject")) { subject in
                    if generation == .saml3 {
                        subject.element(.saml("NameID"), text: nameID)
                    } else {
                        subject.element(.saml("NameID"), [("Format", SAMLNames.transient)], text: transient)
                    }
                    subject.element(.saml("SubjectConfirmation"), [("Method", SAMLNames.bearer)]) {
                        $0.element(
                            .saml("SubjectConfirmationData"),
                            [("InResponseTo", requestID), ("Recipient", consumerURL), ("NotOnOrAfter", until)])
                    }
                }
                assertion.element(.saml("Conditions"), [("NotBefore", from), ("NotOnOrAfter", until)]) {
                    $0.element(.saml("AudienceRestriction")) { $0.element(.saml("Audience"), text: audience) }
                }
                assertion.element(
                    .saml("AuthnStatement"), [("AuthnInstant", XMLTime.text(now)), ("SessionIndex", transient)]
                ) { statement in
                    statement.element(.saml("SubjectLocality"), [("Address", subjectLocality)])
                    statement.element(.saml("AuthnContext")) {
                        $0.element(.saml("AuthnContextClassRef"), text: classReference)
                    }
                }
                guard !attributes.isEmpty else { return }
                assertion.element(.saml("AttributeStatement")) { statement in
                    for attribute in attributes { statement.append(attribute) }
                }
            }
            return writer
        }

        private static func attribute(_ name: String, _ values: [XMLWriter]) -> XMLWriter {
            var writer = XMLWriter()
            writer.element(.saml("Attribute"), [("Name", name)]) { attribute in
                for value in values { attribute.element(.saml("AttributeValue")) { $0.append(value) } }
            }
            return writer
        }

        /// Returns an EncryptedID with an EncryptedKey for each recipient beside the data (XML Encryption 1.1, 5.5;
        /// SAML 2.0 Core, 2.2.4).
        private func encryptedID() throws(RelyingPartyError.Reason) -> XMLWriter {
            let data = try MessageID.fresh()
            var keys: [(id: String, entityID: String, name: String)] = []
            for recipient in recipients {
                let name = SAMLKey.name(of: recipient.certificate.certificate)
                keys.append((try MessageID.fresh(), recipient.entityID, name))
            }
            var writer = XMLWriter()
            writer.element(.saml("EncryptedID"), declaring: [.xenc]) { encrypted in
                let attributes = [("Id", data), ("Type", SAMLNames.encryptedElement)]
                encrypted.element(.xenc("EncryptedData"), attributes) { element in
                    element.element(.xenc("EncryptionMethod"), [("Algorithm", SAMLNames.aes256)])
                    element.element(.ds("KeyInfo")) { info in
                        for key in keys {
                            info.element(
                                .ds("RetrievalMethod"), [("Type", SAMLNames.encryptedKey), ("URI", "#" + key.id)])
                        }
                    }
                    element.cipherData()
                }
                for key in keys {
                    encrypted.element(.xenc("EncryptedKey"), [("Id", key.id), ("Recipient", key.entityID)]) { element in
                        element.element(.xenc("EncryptionMethod"), [("Algorithm", SAMLNames.oaep)])
                        element.element(.ds("KeyInfo")) { $0.element(.ds("KeyName"), text: key.name) }
                        element.cipherData()
                        element.element(.xenc("ReferenceList")) {
                            $0.element(.xenc("DataReference"), [("URI", "#" + data)])
                        }
                    }
                }
            }
            return writer
        }
    }

    extension XMLWriter {
        fileprivate mutating func cipherData() {
            element(.xenc("CipherData")) { $0.element(.xenc("CipherValue")) }
        }
    }
#endif
