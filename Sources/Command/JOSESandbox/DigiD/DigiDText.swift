#if SAML
    internal import JOSESupport
    internal import JOSECrypto
    internal import JOSERelyingParty
    internal import JOSEDigiD

    /// The texts of DigiD's messages, after the samples in its interface specification. They are written here, and not
    /// by the code of the library; the library fills in signatures and cipher values, by xmlsec.
    enum DigiDText {
        /// Returns a new ID of a message.
        static func freshID() throws -> String { "_" + (try Random.bytes(16)).hexadecimal }

        /// Returns a signature whose values are still empty.
        static func signature(of id: String, by key: SAMLKey) -> Markup {
            """
            <ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo>
            <ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>
            <ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>
            <ds:Reference URI="#\(id)"><ds:Transforms>
            <ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>
            <ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>
            </ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/>
            </ds:Reference></ds:SignedInfo><ds:SignatureValue/>
            <ds:KeyInfo><ds:KeyName>\(key.keyName)</ds:KeyName></ds:KeyInfo></ds:Signature>
            """
        }

        /// Returns the status of a message.
        ///
        /// - Parameter status: The last parts of the status URIs, or nil for Success.
        static func status(_ status: (top: String, second: String?)?) -> Markup {
            let words = "urn:oasis:names:tc:SAML:2.0:status:"
            guard let status else {
                return "<samlp:Status><samlp:StatusCode Value=\"\(words)Success\"/></samlp:Status>"
            }
            let second: Markup = status.second.map { "<samlp:StatusCode Value=\"\(words + $0)\"/>" } ?? .nothing
            return """
                <samlp:Status><samlp:StatusCode Value="\(words + status.top)">\(second)</samlp:StatusCode></samlp:Status>
                """
        }

        /// Returns a SOAP envelope with a message.
        static func envelope(_ message: Markup) -> [UInt8] {
            let envelope: Markup = """
                <soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>\(message)
                </soapenv:Body></soapenv:Envelope>
                """
            return Array(envelope.text.utf8)
        }

        /// Returns a message with its signature filled in.
        ///
        /// - Parameter isInEnvelope: Whether the message is the content of a SOAP envelope.
        static func signed(_ text: [UInt8], by key: SAMLKey, isInEnvelope: Bool = false) throws -> [UInt8] {
            let document = try XMLDocument(text)
            let message =
                isInEnvelope ? try document.root.one(.soap("Body")).children.first : document.root
            guard let message else { throw RelyingPartyError.Reason.malformed }
            try message.sign(with: key)
            return try document.write()
        }
    }
#endif
