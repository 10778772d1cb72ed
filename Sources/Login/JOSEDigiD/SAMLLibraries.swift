#if SAML
    internal import CJOSEXML

    /// The size of the C type `xmlSecSize` with which the shim was compiled. The xmlsec library must have been compiled
    /// with the same size.
    package var sizeOfXMLSecSize: Int { cjose_xml_size_of_size() }

    /// The versions of libxml2 and xmlsec with which the shim was compiled, for a software bill of materials.
    package enum SAMLLibraries {
        package static var xml2: String { unsafe String(cString: cjose_xml_parser_version()) }
        package static var xmlsec: String { unsafe String(cString: cjose_xml_security_version()) }
    }
#endif
