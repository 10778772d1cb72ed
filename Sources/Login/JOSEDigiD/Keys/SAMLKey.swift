#if SAML
    public import JOSE
    internal import JOSESupport
    public import JOSERelyingParty

    /// An RSA key of a service, with its certificate from the service's SAML metadata. The key signs messages, and
    /// decrypts identifiers that are encrypted to it.
    public final class SAMLKey: Sendable, Redacted {
        /// The certificate of the key in the service's SAML metadata.
        package let certificate: Certificate
        /// The name of the key in messages (`KeyName`): the SHA-1 thumbprint of the certificate in lower-case
        /// hexadecimal digits.
        package let keyName: String
        let key: PrivateKey
        let handle: XMLKey

        /// Creates a key from a private key and its certificate.
        ///
        /// - Parameters:
        ///   - key: An RSA key of 2048 to 8192 bits that can be exported, which excludes keys in hardware.
        ///   - certificate: The certificate of the key.
        /// - Throws: `keyUnsuitable` if the key does not meet these requirements, or if the certificate is that of
        ///   another key.
        public init(_ key: PrivateKey, certificate: Certificate) throws(RelyingPartyError) {
            self.certificate = certificate
            self.key = key
            keyName = Self.name(of: certificate)
            do throws(JOSEError) {
                guard try certificate.publicKey() == key.publicKey else { throw .keyUnsuitable(.kind) }
                var der = try key.exportPrivateDER(.pkcs8)
                defer { wipe(&der) }
                guard let handle = XMLKey(der: der, isPrivate: true) else { throw .keyUnsuitable(.kind) }
                self.handle = handle
            } catch {
                throw RelyingPartyError(.keyUnsuitable, in: .configuration, action: .fixConfiguration)
            }
        }

        static func name(of certificate: Certificate) -> String { certificate.sha1Thumbprint.hexadecimal }
    }

    /// A certificate from SAML metadata, whose public key is ready for verification and encryption.
    package struct SAMLCertificate: Sendable {
        package let certificate: Certificate
        /// The names by which messages may refer to the key.
        package let names: [String]
        let handle: XMLKey

        /// Creates a certificate from SAML metadata, with additional names of its key. Throws `keyUnsuitable` unless
        /// the key is an RSA key of 2048 to 8192 bits.
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

        /// Returns whether the certificate is valid at a time, in seconds since 1970.
        package func isValid(at now: Double) -> Bool {
            now >= certificate.notBefore.secondsSince1970 && now <= certificate.notAfter.secondsSince1970
        }
    }
#endif
