package import JOSECrypto

/// The public parameters of a key as raw bytes, which are written, hashed and compared.
package enum PublicMembers: Hashable, Sendable {
    case rsa(n: [UInt8], e: [UInt8])
    case ec(Curve, x: [UInt8], y: [UInt8])
    case ed25519([UInt8])
    case x25519([UInt8])
    case raw(RawKeyKind, [UInt8])

    init(_ material: PublicMaterial) throws(CryptoError) {
        switch material {
        case .asymmetric(let key):
            switch key.kind {
            case .rsa: self = .rsa(n: try key.part(.n), e: try key.part(.e))
            case .ec(let curve):
                let (x, y) = try key.point()
                self = .ec(curve, x: x, y: y)
            case .raw(let kind): self = .raw(kind, try key.part(.rawPublic))
            }
        case .ed25519(let key): self = .ed25519(key.raw)
        case .x25519(let key): self = .x25519(key.raw)
        }
    }
}

/// A public key with the values that are needed often.
package struct PublicNumbers: Sendable {
    package let material: PublicMaterial
    package let members: PublicMembers
    package let kind: KeyKind

    /// Creates the value. `members` are given where they are known, because reading them from libcrypto takes longer
    /// than creating a key of them.
    package init(_ material: PublicMaterial, _ members: PublicMembers? = nil) throws(CryptoError) {
        self.material = material
        self.members = if let members { members } else { try PublicMembers(material) }
        switch material {
        case .asymmetric(let key): kind = KeyKind(key.kind)
        case .ed25519: kind = .ed25519
        case .x25519: kind = .x25519
        }
    }
}

/// A private key and its public half, derived once.
package struct PrivateNumbers: Sendable {
    package let material: PrivateMaterial
    package let publicHalf: PublicNumbers

    package init(_ material: PrivateMaterial) throws(CryptoError) {
        self.material = material
        switch material {
        case .asymmetric(let key): publicHalf = try PublicNumbers(.asymmetric(key.publicHalf()))
        case .ed25519(let key): publicHalf = try PublicNumbers(.ed25519(key.publicKey))
        case .x25519(let key): publicHalf = try PublicNumbers(.x25519(key.publicKey))
        }
    }
}
