#if SAML
    internal import CJOSEXML

    /// The size of `xmlSecSize` with which the shim was built. The library must have been built with the same size.
    package var sizeOfXMLSecSize: Int { cjose_xml_size_of_size() }

    /// The versions of the libraries that the module needs, for a bill of materials.
    package enum SAMLLibraries {
        package static var xml2: String { unsafe String(cString: cjose_xml_parser_version()) }
        package static var xmlsec: String { unsafe String(cString: cjose_xml_security_version()) }
    }
#endif
