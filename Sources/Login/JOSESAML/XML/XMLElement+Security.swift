#if SAML
    internal import CJOSEXML
    package import JOSERelyingParty

    extension XMLElement {
        /// What is read is read from this very element, once its signature holds. Keys that the message carries are not looked at: its
        /// `KeyName` may choose among those that are given. `keyNotFound` where none is given.
        package func verify(by certificates: [SAMLCertificate]) throws(RelyingPartyError.Reason) {
            guard !certificates.isEmpty else { throw .keyNotFound }
            let named = signatureKeyName.map { name in
                certificates.filter { $0.names.contains { $0.isSame(as: name) } }
            }
            let tried = named.flatMap { $0.isEmpty ? nil : $0 } ?? certificates
            let handles = unsafe tried.map { unsafe $0.handle.handle }
            let status = unsafe handles.withUnsafeBufferPointer {
                guard let start = $0.baseAddress else { return cjose_xml_status.backend }
                return unsafe cjose_xml_verify(document.handle, node, start, $0.count)
            }
            withExtendedLifetime(tried) {}
            try check(status)
        }

        private var signatureKeyName: String? {
            guard let signature = all(.ds("Signature")).first, let info = signature.all(.ds("KeyInfo")).first else {
                return nil
            }
            return try? info.all(.ds("KeyName")).first?.text()
        }

        /// Fills the signature that stands empty in it.
        package func sign(with key: SAMLKey) throws(RelyingPartyError.Reason) {
            try check(unsafe cjose_xml_sign(document.handle, node, key.handle.handle))
        }

        /// The element that is encrypted in this EncryptedData. One failure for everything that can be wrong with it.
        func decrypted(_ encryptedKey: XMLElement, with key: SAMLKey) throws(RelyingPartyError.Reason) -> XMLElement {
            var found: OpaquePointer?
            try check(
                unsafe cjose_xml_decrypt(document.handle, node, encryptedKey.node, key.handle.handle, &found))
            guard let found = unsafe found else { throw .internalFault }
            return unsafe XMLElement(document, found)
        }

        /// `encryptionNotAllowed`, `malformed`: told by what the message says in clear alone.
        func checkEncryption(_ encryptedKey: XMLElement) throws(RelyingPartyError.Reason) {
            try check(unsafe cjose_xml_check_encryption(node, encryptedKey.node))
        }

        /// Fills the empty cipher values of this EncryptedData and of a key for each recipient.
        func encrypt(
            _ bytes: [UInt8], to recipients: [(key: XMLElement, certificate: SAMLCertificate)]
        ) throws(RelyingPartyError.Reason) {
            let nodes = unsafe recipients.map { unsafe $0.key.node }
            let handles = unsafe recipients.map { unsafe $0.certificate.handle.handle }
            let status = unsafe nodes.withUnsafeBufferPointer { nodes in
                unsafe handles.withUnsafeBufferPointer { handles in
                    guard let first = nodes.baseAddress, let keys = handles.baseAddress else {
                        return cjose_xml_status.backend
                    }
                    return unsafe cjose_xml_encrypt(
                        document.handle, node, bytes, bytes.count, first, keys, nodes.count)
                }
            }
            withExtendedLifetime(recipients) {}
            try check(status)
        }
    }
#endif
