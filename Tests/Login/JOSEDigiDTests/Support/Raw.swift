#if SAML
    import Foundation
    import JOSESupport
    import JOSECrypto

    enum Raw {
        /// Returns the bytes in DEFLATE and base64, as a redirect contains them.
        static func deflated(_ bytes: [UInt8]) throws -> String {
            let stream = try Deflate.deflate(bytes.span)
            return stream.withBytes { bytes in
                var copy: [UInt8] = []
                for index in bytes.indices { copy.append(bytes[index]) }
                return Data(copy).base64EncodedString()
            }
        }
    }
#endif
