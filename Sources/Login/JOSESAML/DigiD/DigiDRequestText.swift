#if SAML
    internal import JOSE
    internal import JOSEBytes
    internal import JOSECrypto
    package import JOSERelyingParty

    /// The encoding of a SAML request that contains its own signature, for the link between the two apps: DEFLATE and
    /// base64. Without compression, the request would not fit into a link.
    package enum DigiDRequestText {
        /// Encodes a signed request with DEFLATE and base64.
        package static func write(_ xml: [UInt8]) throws(RelyingPartyError.Reason) -> String {
            do throws(Deflate.Fault) {
                let deflated = try Deflate.deflate(xml.span)
                return deflated.withBytes { Base64.encode($0) }
            } catch {
                throw .internalFault
            }
        }

        /// Decodes a request of at most 256 KiB, for a simulator of DigiD.
        package static func read(_ text: String) throws(RelyingPartyError.Reason) -> [UInt8] {
            guard let deflated = Base64.decode(Array(text.utf8)) else { throw .malformed }
            do throws(Deflate.Fault) {
                let inflated = try Deflate.inflate(deflated.span, most: 256 * 1024)
                return inflated.withBytes { $0.copy() }
            } catch {
                throw error == .backend ? .internalFault : .malformed
            }
        }
    }
#endif
