internal import JOSE
internal import JOSEBytes
internal import JOSECrypto

/// A provider's keys: the last one of those that sign is in use, and the one before stays published.
struct ProviderKeys: Sendable {
    private(set) var signing: [PrivateKey]
    /// What requests and assertions are encrypted to.
    let encryption: PrivateKey?
    /// MitID's, of transaction tokens alone, with its certificate and what is said of that.
    let transaction: (key: PrivateKey, certificate: [UInt8], status: [UInt8])?
    /// By `kid`, DER; with them keys are named and written as MitID does.
    private var certificates: [String: [UInt8]] = [:]
    private let authority: TestAuthority?
    private var count = 0

    /// With an authority: keys with certificates.
    init(encrypts: Bool, certifiedBy authority: TestAuthority? = nil) throws {
        self.authority = authority
        signing = []
        if let authority {
            let (key, certificate) = try Self.certified("Sandbox transactions", .signature, bits: 3072, authority)
            transaction = (key, certificate, try authority.status(of: certificate, .good))
            certificates[key.keyID ?? ""] = certificate
        } else {
            transaction = nil
        }
        if authority != nil, encrypts {
            let (key, certificate) = try Self.certified("Sandbox requests", .encryption, bits: 2048)
            encryption = key
            certificates[key.keyID ?? ""] = certificate
        } else {
            encryption = encrypts ? try Self.rsa(.encryption, "e1") : nil
        }
        try rotate()
    }

    static func rsa(_ use: KeyUse, _ name: String) throws -> PrivateKey {
        var key = try PrivateKey.generate(.rsa(bits: 2048), keyID: name)
        key.use = use
        key.algorithm = use == .signature ? "RS256" : nil
        return key
    }

    var current: PrivateKey { signing[signing.count - 1] }

    /// A fresh key signs from now on.
    mutating func rotate() throws {
        count += 1
        if authority != nil {
            let (key, certificate) = try Self.certified("Sandbox tokens \(count)", .signature, bits: 2048)
            certificates[key.keyID ?? ""] = certificate
            signing.append(key)
        } else {
            signing.append(try Self.rsa(.signature, "s\(count)"))
        }
        if signing.count > 2 { signing.removeFirst() }
    }

    /// The JWK Set, as this provider writes it.
    func document() throws -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("keys")
        writer.beginArray()
        for key in signing + [encryption, transaction?.key].compactMap({ $0 }) {
            var text = key.publicKey.jwk()
            if let certificate = certificates[key.keyID ?? ""] {
                let print = try Self.thumbprint(certificate)
                let chain = Base64.encode(certificate.span)
                text.removeLast()
                text += #","x5t":"\#(print.base64URL)","x5c":["\#(chain)"]}"#
            }
            writer.raw(text.utf8.span)
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Its `kid` is the certificate's SHA-1 in upper-case hexadecimal digits.
    private static func certified(
        _ name: String, _ use: KeyUse, bits: Int, _ authority: TestAuthority? = nil
    ) throws -> (PrivateKey, [UInt8]) {
        var key = try PrivateKey.generate(.rsa(bits: bits))
        // What tells the broker's keys of transactions from the others: they alone have an issuer.
        let pem = try key.exportPrivatePEM()
        let certificate = try authority?.certify(name, keyPEM: pem) ?? TestAuthority.selfCertify(name, keyPEM: pem)
        key.keyID = try thumbprint(certificate).hex
        key.use = use
        return (key, certificate)
    }

    private static func thumbprint(_ certificate: [UInt8]) throws -> (hex: String, base64URL: String) {
        let digest = try Hash.sha1.digest(certificate.span)
        let digits = Array("0123456789ABCDEF".utf8)
        let hex = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return (
            String(decoding: hex, as: UTF8.self), String(decoding: Base64URL.encode(digest.span), as: UTF8.self)
        )
    }
}
