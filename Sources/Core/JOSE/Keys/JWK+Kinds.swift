internal import JOSECrypto
internal import JOSESupport

// One reader for each `kty`. The form of the members is checked here; their values are checked where the key is
// created.
extension JWK {
    /// Reads a public RSA key whose parameters are in the certificate of its `x5c` only, as older providers write them.
    /// Returns nil where a parameter is a member.
    static func certified(
        _ members: JWKMembers, in text: Span<UInt8>, _ binding: KeyBinding
    ) throws(JOSEError) -> JWK? {
        guard let chain = binding.certificates?.chain else { return nil }
        for name in ["n", "e", "d", "p", "q", "dp", "dq", "qi"] as [StaticString]
        where members.has(name, in: text) { return nil }
        guard members.filledList("oth", in: text) == nil else { return nil }
        let certified = try chain.publicKey()
        guard case .rsa(let n, let e) = certified.members else { throw .member("x5c", .otherKey) }
        let key = try importing(AsymmetricKey.rsa(n: n, e: e))
        return .publicKey(try PublicKey(.asymmetric(key), binding, members: .rsa(n: n, e: e)))
    }

    /// Reads an RSA key (RFC 7518, 6.3).
    static func rsa(_ members: JWKMembers, in text: Span<UInt8>, _ binding: KeyBinding) throws(JOSEError) -> JWK {
        let n = try members.unsigned("n", in: text)
        let e = try members.unsigned("e", in: text)
        // Keys of more than two primes are practically unused, and each prime would need a further check.
        guard members.filledList("oth", in: text) == nil else { throw .member("oth", .unsupported) }
        guard n.count >= 256, n.count > 256 || n[0] >= 0x80 else { throw .keyUnsuitable(.tooSmall) }
        guard n.count <= 1024 else { throw .member("n", .outOfBounds) }
        guard isExponent(e) else { throw .member("e", .outOfBounds) }

        let factors: [StaticString] = ["p", "q", "dp", "dq", "qi"]
        var given = 0
        for name in factors where members.has(name, in: text) { given += 1 }
        guard members.has("d", in: text) else {
            guard given == 0 else { throw .member("d", .missing) }
            let key = try importing(AsymmetricKey.rsa(n: n, e: e))
            return .publicKey(try PublicKey(.asymmetric(key), binding, members: .rsa(n: n, e: e)))
        }
        let secrets = WipedArrays()
        for name in ["d"] + (given > 0 ? factors : []) {
            let octets = try members.secret(name, in: text)
            // One byte more than the modulus is allowed, because some writers prepend a sign byte.
            guard octets.count > 0 else { throw .member(name, .empty) }
            guard octets.count <= n.count + 1 else { throw .member(name, .tooLong(octets.count, maximum: n.count + 1)) }
            secrets.append(octets)
        }
        let key = try importing(
            given == 0
                ? AsymmetricKey.rsa(n: n, e: e, d: secrets[0])
                : AsymmetricKey.rsa(
                    n: n, e: e, d: secrets[0], p: secrets[1], q: secrets[2], dp: secrets[3], dq: secrets[4],
                    qi: secrets[5]))
        return .privateKey(try PrivateKey(.asymmetric(key), binding))
    }

    /// Returns whether the exponent is odd and within 3 to 2^33 (threat T62).
    private static func isExponent(_ e: [UInt8]) -> Bool {
        guard e.count <= 5 else { return false }
        let value = e.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value % 2 == 1 && value >= 3 && value <= 1 << 33
    }

    /// Reads an EC key, whose coordinates have the length of the field, leading zeros included (RFC 7518, 6.2; RFC
    /// 8812, 3.1).
    static func ec(_ members: JWKMembers, in text: Span<UInt8>, _ binding: KeyBinding) throws(JOSEError) -> JWK {
        guard let crv = try members.string("crv", in: text) else { throw .member("crv", .missing) }
        guard let curve = Curve.allCases.first(where: { bytesEqual($0.registeredName, crv) }) else {
            throw .member("crv", KeyMemberFault(unsupported: crv, among: Curve.allCases.map(\.registeredName)))
        }
        let x = try members.octets("x", count: curve.fieldBytes, in: text)
        let y = try members.octets("y", count: curve.fieldBytes, in: text)
        guard members.has("d", in: text) else {
            let key = try importing(AsymmetricKey.ec(curve, x: x, y: y))
            return .publicKey(try PublicKey(.asymmetric(key), binding, members: .ec(curve, x: x, y: y)))
        }
        let d = try members.secret("d", count: curve.fieldBytes, in: text)
        let secrets = WipedArrays()
        secrets.append(d)
        let key = try importing(AsymmetricKey.ec(curve, x: x, y: y, d: secrets[0]))
        return .privateKey(try PrivateKey(.asymmetric(key), binding))
    }

    /// Reads an OKP key (RFC 8037, 2). A private key must have its public one.
    static func octetPair(_ members: JWKMembers, in text: Span<UInt8>, _ binding: KeyBinding) throws(JOSEError) -> JWK {
        guard let crv = try members.string("crv", in: text) else { throw .member("crv", .missing) }
        if let kind = RawKeyKind.octetPairs.first(where: { bytesEqual($0.registeredName, crv) }) {
            return try raw(kind, members, public: "x", secret: "d", in: text, binding)
        }
        let isEd25519 = bytesEqual(crv, "Ed25519")
        guard isEd25519 || bytesEqual(crv, "X25519") else {
            let others = RawKeyKind.octetPairs.map(\.registeredName)
            throw .member("crv", KeyMemberFault(unsupported: crv, among: ["Ed25519", "X25519"] + others))
        }
        let x = try members.octets("x", count: 32, in: text)
        let publicMaterial: PublicMaterial = try importing(
            isEd25519 ? .ed25519(Ed25519PublicKey(x.span)) : .x25519(X25519PublicKey(x.span)))
        guard members.has("d", in: text) else { return .publicKey(try PublicKey(publicMaterial, binding)) }
        let d = try members.secret("d", count: 32, in: text)
        let material = try importing(
            d.withBytes { (d) throws(CryptoError) -> PrivateMaterial in
                isEd25519 ? .ed25519(try Ed25519PrivateKey(seed: d)) : .x25519(try X25519PrivateKey(scalar: d))
            })
        let key = try PrivateKey(material, binding)
        guard key.members == (isEd25519 ? .ed25519(x) : .x25519(x)) else { throw .keyInvalid(.numbers) }
        return .privateKey(key)
    }

    /// Reads an AKP key, whose `alg` is its kind and whose `priv` is the seed (RFC 9964, 3 and 4).
    static func algorithmKeyPair(
        _ members: JWKMembers, in text: Span<UInt8>, _ binding: KeyBinding
    ) throws(JOSEError) -> JWK {
        guard let name = binding.algorithm else { throw .member("alg", .missing) }
        guard let kind = RawKeyKind.algorithmKeyPairs.first(where: { bytesEqual($0.registeredName, name) }) else {
            let supported = RawKeyKind.algorithmKeyPairs.map(\.registeredName)
            throw .member("alg", KeyMemberFault(unsupported: name, among: supported))
        }
        return try raw(kind, members, public: "pub", secret: "priv", in: text, binding)
    }

    /// Reads a key whose bytes are the named members. A private key must have its public one.
    private static func raw(
        _ kind: RawKeyKind, _ members: JWKMembers, public: StaticString, secret: StaticString, in text: Span<UInt8>,
        _ binding: KeyBinding
    ) throws(JOSEError) -> JWK {
        let shown = try members.octets(`public`, count: kind.publicBytes, in: text)
        let half = try importing(AsymmetricKey.raw(kind, shown.span, isPrivate: false))
        guard members.has(secret, in: text) else {
            return .publicKey(try PublicKey(.asymmetric(half), binding, members: .raw(kind, shown)))
        }
        let octets = try members.secret(secret, count: kind.secretBytes, in: text)
        let whole = try importing(
            octets.withBytes { (octets) throws(CryptoError) in
                try AsymmetricKey.raw(kind, octets, isPrivate: true)
            })
        let key = try PrivateKey(.asymmetric(whole), binding)
        guard key.members == .raw(kind, shown) else { throw .keyInvalid(.numbers) }
        return .privateKey(key)
    }
}

/// Secret parameters of a key, which are wiped once the key was created.
private final class WipedArrays {
    private var arrays: [[UInt8]] = []

    /// The parameter with this index. The caller keeps it in no variable, because wiping would then wipe a copy.
    subscript(index: Int) -> [UInt8] { arrays[index] }

    func append(_ secret: borrowing SecretBytes) {
        arrays.append(
            secret.withBytes { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } })
    }

    deinit { for index in arrays.indices { wipe(&arrays[index]) } }
}
