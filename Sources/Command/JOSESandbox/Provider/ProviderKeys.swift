package import JOSE
internal import JOSECrypto
internal import JOSESupport
internal import JOSETesting

/// Returns a new RSA key of that many bits.
package typealias RSAKeyMaker = @Sendable (_ bits: Int) throws -> PrivateKey

/// The keys of a provider. The last signing key is in use, and the previous one stays published.
struct ProviderKeys: Sendable {
    private(set) var signing: [PrivateKey]
    /// The key to which requests and assertions are encrypted.
    let encryption: PrivateKey?
    /// MitID's key for transaction tokens, with its certificate and the OCSP response for it.
    let transaction: (key: PrivateKey, certificate: [UInt8], status: [UInt8])?
    /// The certificates by `kid`, in DER. With them the keys are named and published as at MitID.
    private var certificates: [String: [UInt8]] = [:]
    private let authority: TestAuthority?
    private let makeKey: RSAKeyMaker
    /// The keys of a provider with many tenants, besides those in use; nil for any other provider.
    let ofTenants: OfTenants?
    private var count = 0

    /// The keys of a provider whose issuers are of one template. They are published with the issuers for which each may
    /// sign.
    struct OfTenants: Sendable {
        /// The issuers of the keys in use.
        let template: String
        /// The key of the tenant of personal accounts, and the issuer that it is published for.
        let personal: PrivateKey
        let personalIssuer: String
        /// A key that is published without an issuer.
        let unbound: PrivateKey
    }

    /// Creates the keys.
    ///
    /// - Parameters:
    ///   - authority: The authority that issues a certificate for each key, or nil for keys without certificates.
    ///   - tenants: The tenants for which the keys sign, or nil for a provider with one issuer.
    init(
        encrypts: Bool, certifiedBy authority: TestAuthority? = nil, tenants: Tenants? = nil,
        makeKey: @escaping RSAKeyMaker
    ) throws {
        self.authority = authority
        self.makeKey = makeKey
        ofTenants = try tenants.map { tenants in
            OfTenants(
                template: tenants.template, personal: try Self.rsa(.signature, "personal", makeKey),
                personalIssuer: tenants.issuer(of: Tenants.personal),
                unbound: try Self.rsa(.signature, "unbound", makeKey))
        }
        signing = []
        if let authority {
            let (key, certificate) = try Self.certified(
                "Sandbox transactions", .signature, bits: 3072, makeKey, authority)
            transaction = (key, certificate, try authority.status(of: certificate))
            certificates[key.keyID ?? ""] = certificate
        } else {
            transaction = nil
        }
        if authority != nil, encrypts {
            let (key, certificate) = try Self.certified("Sandbox requests", .encryption, bits: 2048, makeKey)
            encryption = key
            certificates[key.keyID ?? ""] = certificate
        } else {
            encryption = encrypts ? try Self.rsa(.encryption, "e1", makeKey) : nil
        }
        try rotate()
    }

    static func rsa(_ use: KeyUse, _ name: String, _ makeKey: RSAKeyMaker) throws -> PrivateKey {
        var key = try makeKey(2048)
        key.keyID = name
        key.use = use
        key.algorithm = use == .signature ? "RS256" : nil
        return key
    }

    var current: PrivateKey { signing[signing.count - 1] }

    /// Rotates the signing key.
    mutating func rotate() throws {
        count += 1
        if authority != nil {
            let (key, certificate) = try Self.certified("Sandbox tokens \(count)", .signature, bits: 2048, makeKey)
            certificates[key.keyID ?? ""] = certificate
            signing.append(key)
        } else {
            signing.append(try Self.rsa(.signature, "s\(count)", makeKey))
        }
        if signing.count > 2 { signing.removeFirst() }
    }

    /// Returns the JWKS, as this provider writes it.
    func document() throws -> [UInt8] {
        let others = [encryption, transaction?.key, ofTenants?.personal, ofTenants?.unbound]
        let keys = try (signing + others.compactMap({ $0 })).map { key in
            var text = key.publicKey.jwk()
            if let issuer = issuer(of: key) {
                text.removeLast()
                text += #","issuer":"\#(issuer)"}"#
            }
            if let certificate = certificates[key.keyID ?? ""] {
                let print = try Self.thumbprint(certificate)
                let chain = Base64.encode(certificate.span)
                text.removeLast()
                text += #","x5t":"\#(print.base64URL)","x5c":["\#(chain)"]}"#
            }
            return text
        }
        return Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8)
    }

    /// Returns the member `issuer` of a key, or nil if the key has none.
    private func issuer(of key: PrivateKey) -> String? {
        guard let ofTenants, key.keyID != ofTenants.unbound.keyID else { return nil }
        return key.keyID == ofTenants.personal.keyID ? ofTenants.personalIssuer : ofTenants.template
    }

    /// Makes a key with a certificate. Its `kid` is the SHA-1 of the certificate in upper-case hexadecimal digits.
    private static func certified(
        _ name: String, _ use: KeyUse, bits: Int, _ makeKey: RSAKeyMaker, _ authority: TestAuthority? = nil
    ) throws -> (PrivateKey, [UInt8]) {
        var key = try makeKey(bits)
        // The broker's transaction keys differ from the others in that their certificates have an issuer.
        let pem = try key.exportPrivatePEM()
        let certificate = try authority?.certify(name, keyPEM: pem) ?? TestAuthority.selfCertify(name, keyPEM: pem)
        key.keyID = try thumbprint(certificate).hex
        key.use = use
        return (key, certificate)
    }

    private static func thumbprint(_ certificate: [UInt8]) throws -> (hex: String, base64URL: String) {
        let digest = try Hash.sha1.digest(certificate.span)
        return (digest.hexadecimal.uppercased(), Forge.encoded(digest))
    }
}
