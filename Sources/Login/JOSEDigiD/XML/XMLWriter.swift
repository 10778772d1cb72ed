#if SAML
    internal import JOSE
    internal import JOSESupport
    internal import JOSECrypto
    internal import JOSERelyingParty

    /// A writer of elements. It escapes texts, and rejects control characters and those that XML cannot contain.
    struct XMLWriter {
        private(set) var text = ""
        private var fault = false

        init() {}

        /// Writes an element with the namespace declarations that are given. A prefix stands for the same namespace
        /// everywhere.
        mutating func element(
            _ name: XMLName, declaring spaces: [XMLSpace] = [], _ attributes: [(String, String?)] = [],
            _ content: (inout XMLWriter) -> Void = { _ in }
        ) {
            text += "<" + name.qualified
            for space in spaces { text += " xmlns:\(space.prefix)=\"\(space.rawValue)\"" }
            for case (let name, let value?) in attributes { text += " \(name)=\"\(escaped(value))\"" }
            text += ">"
            content(&self)
            text += "</\(name.qualified)>"
        }

        /// Writes an element that contains a text alone. Writes nothing if the text is nil.
        mutating func element(_ name: XMLName, _ attributes: [(String, String?)] = [], text value: String?) {
            guard let value else { return }
            element(name, attributes) { $0.write(value) }
        }

        /// Appends an element that another writer has written.
        mutating func append(_ other: XMLWriter) {
            text += other.text
            fault = fault || other.fault
        }

        mutating func write(_ value: String) { text += escaped(value) }

        private mutating func escaped(_ value: String) -> String {
            var out = ""
            for scalar in value.unicodeScalars {
                switch scalar {
                case "&": out += "&amp;"
                case "<": out += "&lt;"
                case ">": out += "&gt;"
                case "\"": out += "&quot;"
                case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{FFFE}", "\u{FFFF}": fault = true
                default: out.unicodeScalars.append(scalar)
                }
            }
            return out
        }

        /// Writes an enveloped signature whose values are still empty.
        mutating func signature(of id: String, by certificate: Certificate, showsCertificate: Bool = true) {
            element(.ds("Signature"), declaring: [.ds]) { signature in
                signature.element(.ds("SignedInfo")) { info in
                    info.element(.ds("CanonicalizationMethod"), [("Algorithm", SAMLNames.exclusive)])
                    info.element(.ds("SignatureMethod"), [("Algorithm", SAMLNames.rsaSHA256)])
                    info.element(.ds("Reference"), [("URI", "#" + id)]) { reference in
                        reference.element(.ds("Transforms")) { transforms in
                            transforms.element(.ds("Transform"), [("Algorithm", SAMLNames.enveloped)])
                            transforms.element(.ds("Transform"), [("Algorithm", SAMLNames.exclusive)])
                        }
                        reference.element(.ds("DigestMethod"), [("Algorithm", SAMLNames.sha256)])
                        reference.element(.ds("DigestValue"))
                    }
                }
                signature.element(.ds("SignatureValue"))
                signature.element(.ds("KeyInfo")) { info in
                    info.element(.ds("KeyName"), text: SAMLKey.name(of: certificate))
                    if showsCertificate { info.certificate(certificate.base64) }
                }
            }
        }

        mutating func certificate(_ base64: String) {
            element(.ds("X509Data")) { $0.element(.ds("X509Certificate"), text: base64) }
        }

        /// Returns the text in UTF-8. Throws `configurationError` for a character that must not be written.
        func bytes() throws(RelyingPartyError.Reason) -> [UInt8] {
            guard !fault else { throw .configurationError }
            return Array(text.utf8)
        }

        /// Returns the text as a document, parsed as strictly as a received message.
        func document() throws(RelyingPartyError.Reason) -> XMLDocument { try XMLDocument(bytes()) }
    }

    enum MessageID {
        /// Returns a new ID: an underscore, because an ID must not begin with a digit, and 128 random bits.
        static func fresh() throws(RelyingPartyError.Reason) -> String {
            do throws(CryptoError) {
                return "_" + (try Random.bytes(16)).hexadecimal
            } catch {
                throw .internalFault
            }
        }
    }
#endif
