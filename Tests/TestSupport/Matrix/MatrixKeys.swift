package import JOSE

/// The keys of the table. Each has a `kid` and a `use`, by which `bulla check` tells those of the two layers apart.
package struct MatrixKeys: Sendable {
    /// A key with the certificates that it has in a header.
    package struct Certified: Sendable {
        package let key: PrivateKey
        package let chain: CertificateChain
    }

    let rsa: PrivateKey
    let otherRSA: PrivateKey
    let p256: PrivateKey
    let otherP256: PrivateKey
    let ed25519: PrivateKey
    let secret: SecretKey
    /// The key of the second issuer.
    package let ofOtherIssuer: PrivateKey
    /// A key that is in no set.
    let stranger: PrivateKey

    package let rsaRecipient: PrivateKey
    package let p256Recipients: [PrivateKey]
    package let wrapping: SecretKey
    package let direct: SecretKey

    let certifiedP256: Certified
    let certifiedRSA: Certified
    let untrusted: Certified
    /// The trusted root, in PEM.
    package let root: String

    init() throws {
        func signing(_ key: PrivateKey, _ name: String) -> PrivateKey {
            var key = key
            (key.keyID, key.use) = (name, .signature)
            return key
        }
        func recipient(_ key: PrivateKey, _ name: String) -> PrivateKey {
            var key = key
            (key.keyID, key.use) = (name, .encryption)
            return key
        }
        rsa = try signing(.stored(), "r1")
        otherRSA = try signing(.stored(), "r2")
        p256 = try signing(.generate(.p256), "e1")
        otherP256 = try signing(.generate(.p256), "e2")
        ed25519 = try signing(.generate(.ed25519), "d1")
        var secret = try SecretKey.generate(bits: 256, keyID: "h1")
        secret.use = .signature
        self.secret = secret
        ofOtherIssuer = try signing(.generate(.p256), "o1")
        stranger = try signing(.generate(.p256), "e1")

        rsaRecipient = try recipient(.stored(), "m1")
        p256Recipients = try [recipient(.generate(.p256), "m2"), recipient(.generate(.p256), "m5")]
        var wrapping = try SecretKey.generate(bits: 256, keyID: "m3")
        (wrapping.use, wrapping.algorithm) = (.encryption, "A256GCMKW")
        self.wrapping = wrapping
        var direct = try SecretKey.generate(bits: 256, keyID: "m4")
        (direct.use, direct.algorithm) = (.encryption, "dir")
        self.direct = direct

        let maker = try CertificateMaker()
        let (root, leaf) = (CertificateMaker.Extensions.root, CertificateMaker.Extensions.leaf)
        let (ours, theirs) = (
            try maker.issue("Root", extensions: root, days: 3650), try maker.issue("Other", extensions: root)
        )
        func certified(_ name: String, _ issuer: CertificateMaker.Issued, _ kind: CertificateMaker.Kind) throws
            -> Certified
        {
            let issued = try maker.issue(name, by: issuer, kind, extensions: leaf)
            return Certified(key: try PrivateKey(pem: issued.keyPEM), chain: try CertificateChain(pem: issued.pem))
        }
        certifiedP256 = try certified("p256", ours, .p256)
        certifiedRSA = try certified("rsa", ours, .rsa(2048))
        untrusted = try certified("untrusted", theirs, .rsa(2048))
        self.root = ours.pem
    }

    /// The keys that verify signatures: public ones, and the secret.
    package var verification: [JWK] {
        [rsa, otherRSA, p256, otherP256, ed25519].map { .publicKey($0.publicKey) } + [.symmetricKey(secret)]
    }

    /// The keys that decrypt.
    package var decryption: [JWK] {
        ([rsaRecipient] + p256Recipients).map { .privateKey($0) } + [.symmetricKey(wrapping), .symmetricKey(direct)]
    }

    /// Returns the text of a JWK Set of these keys, with their secrets.
    package static func text(_ keys: [JWK]) throws -> String {
        let members = try keys.map { key in
            switch key {
            case .publicKey(let key): key.jwk()
            case .privateKey(let key): String(decoding: try key.exportPrivateJWK(), as: UTF8.self)
            case .symmetricKey(let key): String(decoding: key.exportSecretJWK(), as: UTF8.self)
            }
        }
        return #"{"keys":[\#(members.joined(separator: ","))]}"#
    }
}
