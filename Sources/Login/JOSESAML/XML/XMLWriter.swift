#if SAML
    internal import JOSE
    internal import JOSECrypto
    internal import JOSERelyingParty

    /// An element to be written. What goes in is escaped; what XML cannot hold, and control characters, are refused.
    struct XMLWriter {
        private(set) var text = ""
        private var fault = false

        init() {}

        /// Namespaces are declared where they are asked for; a prefix stands for one namespace everywhere.
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

        /// With a text alone; nothing for a text that is nil.
        mutating func element(_ name: XMLName, _ attributes: [(String, String?)] = [], text value: String?) {
            guard let value else { return }
            element(name, attributes) { $0.write(value) }
        }

        /// An element that was written by itself.
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

        /// An enveloped signature, not yet filled.
        mutating func signature(of id: String, by key: SAMLKey, showsCertificate: Bool = true) {
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
                    info.element(.ds("KeyName"), text: key.keyName)
                    if showsCertificate { info.certificate(key.certificate.base64) }
                }
            }
        }

        mutating func certificate(_ base64: String) {
            element(.ds("X509Data")) { $0.element(.ds("X509Certificate"), text: base64) }
        }

        /// `configurationError` for a character that must not be written.
        func bytes() throws(RelyingPartyError.Reason) -> [UInt8] {
            guard !fault else { throw .configurationError }
            return Array(text.utf8)
        }

        /// What was written, read again as everything is.
        func document() throws(RelyingPartyError.Reason) -> XMLDocument { try XMLDocument(bytes()) }
    }

    enum MessageID {
        /// A letter that an ID may begin with, and 128 random bits.
        static func fresh() throws(RelyingPartyError.Reason) -> String {
            do throws(CryptoError) {
                return "_" + (try Random.bytes(16)).hexadecimal
            } catch {
                throw .internalFault
            }
        }
    }
#endif
