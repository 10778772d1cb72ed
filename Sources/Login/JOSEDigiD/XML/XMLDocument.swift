#if SAML
    internal import CJOSEXML
    internal import JOSESupport
    package import JOSERelyingParty

    /// An XML message that was parsed strictly. Document types, general entities, processing instructions, duplicate
    /// IDs and namespace names without a scheme are rejected. The limits are 256 KiB, 64 levels of elements, 256 IDs,
    /// 64 attributes and 32 namespace declarations per element, and 64 namespace declarations in the scope of an
    /// element. Only one task at a time may use a document.
    @safe package final class XMLDocument {
        let handle: OpaquePointer

        /// The size in bytes of the largest accepted message.
        package static let byteLimit = Int(cjose_xml_max_bytes)

        /// Creates a document from the bytes of a message.
        ///
        /// - Throws: `malformed` if the message is not accepted, and `internalFault` if the XML libraries cannot be
        ///   used.
        package init(_ bytes: [UInt8]) throws(RelyingPartyError.Reason) {
            var made: OpaquePointer?
            try check(unsafe cjose_xml_parse(bytes, bytes.count, &made))
            guard let made = unsafe made else { throw .internalFault }
            unsafe handle = made
        }

        deinit { unsafe cjose_xml_free(handle) }

        package var root: XMLElement { unsafe XMLElement(self, cjose_xml_root(handle)) }

        /// Returns the document in UTF-8, without an XML declaration.
        package func write() throws(RelyingPartyError.Reason) -> [UInt8] {
            unsafe try copied { bytes, count in unsafe cjose_xml_write(handle, &bytes, &count) }
        }

        /// Returns the bytes that a function of the shim allocates.
        func copied(
            _ make: (inout UnsafeMutablePointer<UInt8>?, inout Int) -> cjose_xml_status
        ) throws(RelyingPartyError.Reason) -> [UInt8] {
            var bytes: UnsafeMutablePointer<UInt8>?
            var count = 0
            try check(unsafe make(&bytes, &count))
            defer { unsafe cjose_xml_bytes_free(bytes) }
            return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        }
    }

    /// An element of an XML document. Its values are read from the same node whose signature is verified.
    @safe package struct XMLElement {
        package let document: XMLDocument
        let node: OpaquePointer

        @unsafe init(_ document: XMLDocument, _ node: OpaquePointer) {
            self.document = document
            unsafe self.node = node
        }

        /// Returns whether the element has this name.
        package func has(_ name: XMLName) -> Bool { unsafe cjose_xml_is(node, name.space.rawValue, name.local) }

        package var children: [XMLElement] {
            var found: [XMLElement] = []
            var next = unsafe cjose_xml_child(node)
            while let node = unsafe next {
                found.append(unsafe XMLElement(document, node))
                unsafe next = cjose_xml_next(node)
            }
            return found
        }

        /// Returns the children with this name, in the order of the document.
        package func all(_ name: XMLName) -> [XMLElement] { children.filter { $0.has(name) } }

        /// Returns the child with this name; nil if there is none. Throws `malformed` if there are several.
        package func optional(_ name: XMLName) throws(RelyingPartyError.Reason) -> XMLElement? {
            let found = all(name)
            guard found.count <= 1 else { throw .malformed }
            return found.first
        }

        /// Returns the only child with this name. Throws `malformed` if there is none, or if there are several.
        package func one(_ name: XMLName) throws(RelyingPartyError.Reason) -> XMLElement {
            guard let found = try optional(name) else { throw .malformed }
            return found
        }

        /// Returns the value of an attribute that has no namespace; nil if there is none.
        package func attribute(_ name: String) -> String? {
            unsafe cjose_xml_attribute(node, name).map { unsafe String(cString: $0) }
        }

        /// Returns the whole text of the element, without comments. Throws `malformed` if the element contains other
        /// elements.
        package func text() throws(RelyingPartyError.Reason) -> String {
            guard let text = unsafe cjose_xml_text(node) else { throw .malformed }
            return unsafe String(cString: text)
        }

        /// Returns the text of the child with this name; nil if there is none. Throws `malformed` if there are several.
        package func text(of name: XMLName) throws(RelyingPartyError.Reason) -> String? { try optional(name)?.text() }
    }

    /// Throws the reason for a status of the shim other than success.
    func check(_ status: cjose_xml_status) throws(RelyingPartyError.Reason) {
        switch status {
        case .ok: return
        case .malformed: throw .malformed
        case .algorithm: throw .algorithmNotAllowed
        case .signature: throw .signatureInvalid
        case .encryption: throw .encryptionNotAllowed
        case .decryption: throw .decryptionFailed
        case .key_invalid: throw .keyUnsuitable
        case .backend: throw .internalFault
        }
    }
#endif
