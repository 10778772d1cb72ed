#if SAML
    internal import JOSERelyingParty
    internal import JOSEDigiD

    extension DigiDText {
        /// Returns the response to an ArtifactResolve in its envelope, with empty signatures and cipher values: the
        /// sample of step 7 of DigiD's interface specification, with the assertion in its place.
        ///
        /// - Parameters:
        ///   - values: The values of the message.
        ///   - session: The identifier of the user's session at DigiD.
        static func artifactResponse(
            _ values: ArtifactResponseMessage, session: String, by key: SAMLKey
        ) throws -> [UInt8] {
            let id = try freshID()
            let now = XMLTime.text(values.now)
            let inner = values.isEmpty || values.outerStatus != nil ? .nothing : try response(values, session, key)
            return envelope(
                """
                <samlp:ArtifactResponse xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"
                xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="\(id)" Version="2.0" IssueInstant="\(now)"
                InResponseTo="\(values.resolveID)">
                <saml:Issuer>\(values.issuer)</saml:Issuer>
                \(signature(of: id, by: key))
                \(status(values.outerStatus))
                \(inner)</samlp:ArtifactResponse>
                """)
        }

        private static func response(
            _ values: ArtifactResponseMessage, _ session: String, _ key: SAMLKey
        ) throws -> Markup {
            let assertion = values.innerStatus == nil ? try assertion(values, session, key) : .nothing
            return """
                <samlp:Response InResponseTo="\(values.requestID)" Version="2.0" ID="\(try freshID())"
                IssueInstant="\(XMLTime.text(values.now))">
                <saml:Issuer>\(values.issuer)</saml:Issuer>
                \(status(values.innerStatus))
                \(assertion)</samlp:Response>
                """
        }

        private static func assertion(
            _ values: ArtifactResponseMessage, _ session: String, _ key: SAMLKey
        ) throws -> Markup {
            let id = try freshID()
            let now = XMLTime.text(values.now)
            // Assertions are valid from two minutes before their time of issue to two minutes after it.
            let (from, until) = (XMLTime.text(values.now - 120), XMLTime.text(values.now + 120))
            let isLater = values.generation == .saml4
            let name: Markup =
                isLater
                ? """
                <saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">\(session)</saml:NameID>
                """ : "<saml:NameID>\(values.nameID)</saml:NameID>"
            let attributes = isLater ? try actingSubject(values) : .nothing
            return """
                <saml:Assertion Version="2.0" ID="\(id)" IssueInstant="\(now)">
                <saml:Issuer>\(values.issuer)</saml:Issuer>
                \(signature(of: id, by: key))
                <saml:Subject>\(name)<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">
                <saml:SubjectConfirmationData InResponseTo="\(values.requestID)" Recipient="\(values.consumerURL)"
                NotOnOrAfter="\(until)"/></saml:SubjectConfirmation></saml:Subject>
                <saml:Conditions NotBefore="\(from)" NotOnOrAfter="\(until)"><saml:AudienceRestriction>
                <saml:Audience>\(values.audience)</saml:Audience></saml:AudienceRestriction></saml:Conditions>
                <saml:AuthnStatement SessionIndex="\(isLater ? session : "17")" AuthnInstant="\(now)">
                <saml:SubjectLocality Address="127.0.0.1"/><saml:AuthnContext Comparison="minimum">
                <saml:AuthnContextClassRef>\(values.classReference)</saml:AuthnContextClassRef>
                </saml:AuthnContext></saml:AuthnStatement>\(attributes)</saml:Assertion>
                """
        }

        /// Returns the attribute with the user's encrypted numbers: each is encrypted to every recipient (XML
        /// Encryption 1.1, 5.5).
        private static func actingSubject(_ values: ArtifactResponseMessage) throws -> Markup {
            let numbers: [Markup] = try values.identifiers.map { _ in
                let data = try freshID()
                let keys = try values.recipients.map { (id: try freshID(), recipient: $0) }
                let references: [Markup] = keys.map {
                    """
                    <ds:RetrievalMethod Type="http://www.w3.org/2001/04/xmlenc#EncryptedKey" URI="#\($0.id)"/>
                    """
                }
                let encrypted: [Markup] = keys.map { key in
                    """
                    <xenc:EncryptedKey Id="\(key.id)" Recipient="\(key.recipient.entityID)">
                    <xenc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"/>
                    <ds:KeyInfo><ds:KeyName>\(key.recipient.certificate.names.last ?? "")</ds:KeyName></ds:KeyInfo>
                    <xenc:CipherData><xenc:CipherValue/></xenc:CipherData>
                    <xenc:ReferenceList><xenc:DataReference URI="#\(data)"/></xenc:ReferenceList></xenc:EncryptedKey>
                    """
                }
                return """
                    <saml:AttributeValue><saml:EncryptedID xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"
                    xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedData Id="\(data)"
                    Type="http://www.w3.org/2001/04/xmlenc#Element">
                    <xenc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/>
                    <ds:KeyInfo>\(references)</ds:KeyInfo>
                    <xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedData>
                    \(encrypted)</saml:EncryptedID></saml:AttributeValue>
                    """
            }
            return """
                <saml:AttributeStatement><saml:Attribute Name="urn:nl-eid-gdi:1.0:ActingSubjectID">\(numbers)
                </saml:Attribute></saml:AttributeStatement>
                """
        }
    }
#endif
