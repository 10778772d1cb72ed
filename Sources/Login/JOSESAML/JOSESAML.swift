#if SAML
    internal import CJOSEXML

    /// `sizeof(xmlSecSize)` as the shim was built; the library must have been built with the same.
    package var sizeOfXMLSecSize: Int { cjose_xml_size_of_size() }

    /// Of the libraries that it needs, for a bill of materials.
    package enum SAMLLibraries {
        package static var xml2: String { unsafe String(cString: cjose_xml_parser_version()) }
        package static var xmlsec: String { unsafe String(cString: cjose_xml_security_version()) }
    }
#endif
