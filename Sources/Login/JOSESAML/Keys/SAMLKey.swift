#if SAML
    public import JOSE
    internal import JOSEBytes
    public import JOSERelyingParty

    /// An RSA key of a service, with the certificate that its metadata show: it signs what goes out, and reads what was encrypted to it.
    /// Prints the name of its certificate alone.
    public final class SAMLKey: Sendable, CustomStringConvertible, CustomReflectable {
        /// As metadata show it.
        public let certificate: Certificate
        /// What messages name the key by: the SHA-1 of the certificate, in lower-case hexadecimal digits.
        public let keyName: String
        let handle: XMLKey

        /// Throws `keyUnsuitable` for a key that is not RSA of 2048 to 8192 bits or that a device keeps, and for a certificate of
        /// another key.
        public init(_ key: PrivateKey, certificate: Certificate) throws(RelyingPartyError) {
            self.certificate = certificate
            keyName = Self.name(of: certificate)
            do throws(JOSEError) {
                guard try certificate.publicKey() == key.publicKey else { throw .keyUnsuitable(.kind) }
                var der = try key.exportPrivateDER(.pkcs8)
                defer { wipe(&der) }
                guard let handle = XMLKey(der: der, isPrivate: true) else { throw .keyUnsuitable(.kind) }
                self.handle = handle
            } catch {
                throw RelyingPartyError(.keyUnsuitable, in: .configuration, remedy: .fixConfiguration)
            }
        }

        static func name(of certificate: Certificate) -> String { certificate.sha1Thumbprint.hexadecimal }

        public var description: String { "SAMLKey(\(keyName))" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// A certificate that metadata show, ready to verify or to encrypt with.
    package struct SAMLCertificate: Sendable {
        package let certificate: Certificate
        /// By which messages may name its key.
        package let names: [String]
        let handle: XMLKey

        /// Throws `keyUnsuitable` for a key that is not RSA of 2048 to 8192 bits.
        package init(_ certificate: Certificate, names: [String] = []) throws(RelyingPartyError.Reason) {
            self.certificate = certificate
            self.names = names + [SAMLKey.name(of: certificate)]
            do throws(JOSEError) {
                let key = try certificate.publicKey()
                guard case .rsa = key.kind, let handle = try XMLKey(der: key.der(), isPrivate: false) else {
                    throw .keyUnsuitable(.kind)
                }
                self.handle = handle
            } catch {
                throw .keyUnsuitable
            }
        }

        /// Seconds since 1970.
        package func isValid(at now: Double) -> Bool {
            now >= certificate.notBefore.secondsSince1970 && now <= certificate.notAfter.secondsSince1970
        }
    }

    extension [UInt8] {
        /// In lower case.
        var hexadecimal: String {
            let digits = Array("0123456789abcdef".utf8)
            var text: [UInt8] = []
            for byte in self { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
            return String(decoding: text, as: UTF8.self)
        }
    }
#endif
