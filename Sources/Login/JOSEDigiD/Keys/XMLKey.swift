#if SAML
    internal import CJOSEXML

    /// An RSA key of the shim. Any number of tasks may share it.
    @safe final class XMLKey: Sendable {
        nonisolated(unsafe) let handle: OpaquePointer

        /// Creates a key from an SPKI or an unencrypted PKCS #8. Nil unless it is an RSA key of 2048 to 8192 bits.
        init?(der: [UInt8], isPrivate: Bool) {
            var made: OpaquePointer?
            guard unsafe cjose_xml_key_new(der, der.count, isPrivate, &made) == .ok, let made = unsafe made else {
                return nil
            }
            unsafe handle = made
        }

        deinit { unsafe cjose_xml_key_free(handle) }
    }
#endif
