#if SAML
    internal import CJOSEXML
    internal import JOSESupport
    package import JOSERelyingParty

    extension XMLElement {
        /// Verifies the enveloped signature of this element. Keys in the message are not trusted: its `KeyName` can
        /// only select among the given certificates.
        ///
        /// - Parameter certificates: The trusted certificates. The key of one of them must have signed the element.
        /// - Throws: `keyNotFound` if `certificates` is empty, `algorithmNotAllowed`, and `signatureInvalid`.
        package func verify(by certificates: [SAMLCertificate]) throws(RelyingPartyError.Reason) {
            guard !certificates.isEmpty else { throw .keyNotFound }
            let named = signatureKeyName.map { name in
                certificates.filter { $0.names.contains { bytesEqual($0, name) } }
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

        /// Signs this element, which must contain an empty signature, and fills that signature.
        package func sign(with key: SAMLKey) throws(RelyingPartyError.Reason) {
            try endSignature(try RedirectSignature(octets: beginSignature()).sign(with: key.key))
        }

        /// Fills the digest of the empty signature in this element, and returns the octets to sign with
        /// RSASSA-PKCS1-v1_5 and SHA-256 (XML Signature, 3.1).
        func beginSignature() throws(RelyingPartyError.Reason) -> [UInt8] {
            unsafe try document.copied { bytes, count in
                unsafe cjose_xml_begin_signature(document.handle, node, &bytes, &count)
            }
        }

        /// Fills the value of the signature in this element.
        ///
        /// - Parameter signature: The signature over the octets of ``beginSignature()``, in base64.
        func endSignature(_ signature: String) throws(RelyingPartyError.Reason) {
            let text = Array(signature.utf8)
            try check(unsafe cjose_xml_end_signature(node, text, text.count))
        }

        /// Returns the element that is encrypted in this EncryptedData. Every fault in what is encrypted throws
        /// `decryptionFailed`.
        func decrypted(_ encryptedKey: XMLElement, with key: SAMLKey) throws(RelyingPartyError.Reason) -> XMLElement {
            var found: OpaquePointer?
            try check(
                unsafe cjose_xml_decrypt(document.handle, node, encryptedKey.node, key.handle.handle, &found))
            guard let found = unsafe found else { throw .internalFault }
            return unsafe XMLElement(document, found)
        }

        /// Checks the form and algorithms of the encryption. Throws `encryptionNotAllowed` or `malformed`, which depend
        /// on the message in clear alone.
        func checkEncryption(_ encryptedKey: XMLElement) throws(RelyingPartyError.Reason) {
            try check(unsafe cjose_xml_check_encryption(node, encryptedKey.node))
        }

        /// Encrypts the bytes: fills the empty cipher values of this EncryptedData and of an EncryptedKey for each
        /// recipient.
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
