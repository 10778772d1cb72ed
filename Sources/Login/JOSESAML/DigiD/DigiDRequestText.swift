#if SAML
    internal import JOSE
    internal import JOSEBytes
    internal import JOSECrypto
    package import JOSERelyingParty

    /// A request that carries its own signature, as the envelope between apps has every request: DEFLATE and base64. As it is it would not fit
    /// into a link.
    package enum DigiDRequestText {
        package static func write(_ xml: [UInt8]) throws(RelyingPartyError.Reason) -> String {
            do throws(Deflate.Fault) {
                let deflated = try Deflate.deflate(xml.span)
                return deflated.withBytes { Base64.encode($0) }
            } catch {
                throw .internalFault
            }
        }

        /// For who plays DigiD; of no more than 256 KiB.
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
