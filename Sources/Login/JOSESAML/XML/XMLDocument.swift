#if SAML
    internal import CJOSEXML
    internal import JOSEBytes
    package import JOSERelyingParty

    /// A message that was read strictly: no document type, entities, processing instructions, IDs that stand twice or names of namespaces
    /// without a scheme; at most 256 KiB and 64 elements deep, with at most 64 attributes and 32 namespace declarations an element, 64
    /// namespace declarations in scope of one, and 256 IDs. One task at a time may use it.
    @safe package final class XMLDocument {
        let handle: OpaquePointer

        package static let byteLimit = Int(cjose_xml_most_bytes)

        /// `malformed`; `internalFault` where the libraries cannot be used.
        package init(_ bytes: [UInt8]) throws(RelyingPartyError.Reason) {
            var made: OpaquePointer?
            try check(unsafe cjose_xml_parse(bytes, bytes.count, &made))
            guard let made = unsafe made else { throw .internalFault }
            unsafe handle = made
        }

        deinit { unsafe cjose_xml_free(handle) }

        package var root: XMLElement { unsafe XMLElement(self, cjose_xml_root(handle)) }

        /// UTF-8, without a declaration.
        package func write() throws(RelyingPartyError.Reason) -> [UInt8] {
            var bytes: UnsafeMutablePointer<UInt8>?
            var count = 0
            try check(unsafe cjose_xml_write(handle, &bytes, &count))
            defer { unsafe cjose_xml_bytes_free(bytes) }
            return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        }
    }

    /// One element of a document, the same node for whoever verifies it and whoever reads it.
    @safe package struct XMLElement {
        package let document: XMLDocument
        let node: OpaquePointer

        @unsafe init(_ document: XMLDocument, _ node: OpaquePointer) {
            self.document = document
            unsafe self.node = node
        }

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

        package func all(_ name: XMLName) -> [XMLElement] { children.filter { $0.has(name) } }

        /// `malformed` for more than one.
        package func optional(_ name: XMLName) throws(RelyingPartyError.Reason) -> XMLElement? {
            let found = all(name)
            guard found.count <= 1 else { throw .malformed }
            return found.first
        }

        /// `malformed` for none, and for more than one.
        package func one(_ name: XMLName) throws(RelyingPartyError.Reason) -> XMLElement {
            guard let found = try optional(name) else { throw .malformed }
            return found
        }

        /// Of an attribute without a namespace.
        package func attribute(_ name: String) -> String? {
            unsafe cjose_xml_attribute(node, name).map { unsafe String(cString: $0) }
        }

        /// The whole text, with what comments stood between; `malformed` where there are elements within.
        package func text() throws(RelyingPartyError.Reason) -> String {
            guard let text = unsafe cjose_xml_text(node) else { throw .malformed }
            return unsafe String(cString: text)
        }

        /// Of the one child of that name, if it is there.
        package func text(of name: XMLName) throws(RelyingPartyError.Reason) -> String? { try optional(name)?.text() }
    }

    /// What the shim says, as the specification names it.
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
