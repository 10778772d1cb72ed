#if SAML
    internal import CJOSEXML

    /// `sizeof(xmlSecSize)` as the shim was built; the library must have been built with the same.
    package var sizeOfXMLSecSize: Int { cjose_xml_size_of_size() }
#endif
