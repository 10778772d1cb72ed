#if SAML
    /// The XML namespaces of the elements that are read and written.
    package enum XMLSpace: String, Sendable {
        case soap = "http://schemas.xmlsoap.org/soap/envelope/"
        case samlp = "urn:oasis:names:tc:SAML:2.0:protocol"
        case saml = "urn:oasis:names:tc:SAML:2.0:assertion"
        case md = "urn:oasis:names:tc:SAML:2.0:metadata"
        case ds = "http://www.w3.org/2000/09/xmldsig#"
        case xenc = "http://www.w3.org/2001/04/xmlenc#"

        var prefix: String {
            switch self {
            case .soap: "soapenv"
            case .samlp: "samlp"
            case .saml: "saml"
            case .md: "md"
            case .ds: "ds"
            case .xenc: "xenc"
            }
        }
    }

    /// The name of an XML element: a namespace and a local name.
    package struct XMLName: Sendable {
        let space: XMLSpace
        let local: String

        private init(_ space: XMLSpace, _ local: String) {
            self.space = space
            self.local = local
        }
        package static func soap(_ local: String) -> Self { Self(.soap, local) }
        package static func samlp(_ local: String) -> Self { Self(.samlp, local) }
        package static func saml(_ local: String) -> Self { Self(.saml, local) }
        package static func md(_ local: String) -> Self { Self(.md, local) }
        package static func ds(_ local: String) -> Self { Self(.ds, local) }
        package static func xenc(_ local: String) -> Self { Self(.xenc, local) }

        var qualified: String { "\(space.prefix):\(local)" }
    }

    /// The URIs of SAML 2.0, XML Signature, XML Encryption and DigiD's interface.
    package enum SAMLNames {
        package static let success = "urn:oasis:names:tc:SAML:2.0:status:Success"
        package static let bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
        package static let transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
        package static let unspecified = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"
        package static let artifactBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact"
        package static let redirectBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
        package static let postBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
        package static let soapBinding = "urn:oasis:names:tc:SAML:2.0:bindings:SOAP"
        package static let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
        package static let rsaSHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
        package static let sha256 = "http://www.w3.org/2001/04/xmlenc#sha256"
        package static let enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
        package static let aes256 = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
        package static let intendedAudience = "urn:nl-eid-gdi:1.0:IntendedAudience"
        package static let serviceUUID = "urn:nl-eid-gdi:1.0:ServiceUUID"
        package static let actingSubject = "urn:nl-eid-gdi:1.0:ActingSubjectID"
        package static let legalSubject = "urn:nl-eid-gdi:1.0:LegalSubjectID"
        package static let mandateServices = "urn:nl-eid-gdi:1.0:MandateServices"
        package static let protocolSupport = "urn:oasis:names:tc:SAML:2.0:protocol"
        package static let encryptedElement = "http://www.w3.org/2001/04/xmlenc#Element"
        package static let encryptedKey = "http://www.w3.org/2001/04/xmlenc#EncryptedKey"
        package static let oaep = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"
    }
#endif
