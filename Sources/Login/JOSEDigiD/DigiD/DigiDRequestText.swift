#if SAML
    internal import JOSE
    internal import JOSESupport
    internal import JOSECrypto
    package import JOSERelyingParty

    /// The encoding of a SAML message in a URL: DEFLATE and base64 (SAML 2.0 Bindings, 3.4.4.1). A link between two
    /// apps contains signed requests in it too, because they would not fit into a link without compression.
    package enum DigiDRequestText {
        /// Encodes a message.
        package static func write(_ xml: [UInt8]) throws(RelyingPartyError.Reason) -> String {
            do throws(Deflate.Fault) {
                let deflated = try Deflate.deflate(xml.span)
                return deflated.withBytes { Base64.encode($0) }
            } catch {
                throw .internalFault
            }
        }

        /// Decodes a message of at most 256 KiB.
        package static func read(_ text: String) throws(RelyingPartyError.Reason) -> [UInt8] {
            guard let deflated = Base64.decode(Array(text.utf8)) else { throw .malformed }
            do throws(Deflate.Fault) {
                let inflated = try Deflate.inflate(deflated.span, maximum: 256 * 1024)
                return inflated.withBytes { $0.copy() }
            } catch {
                throw error == .backend ? .internalFault : .malformed
            }
        }
    }
#endif
