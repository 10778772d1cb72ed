internal import JOSECrypto
internal import JOSESupport

/// A key prepared for a policy: the algorithms that it fits are determined once, so that a verification tests one bit.
/// A class, so that its use counts one reference.
final class VerificationKey: ReadyKey {
    typealias Allowed = AllowedHeader
    let jwk: JWK
    let keyID: [UInt8]?
    var certificates: KeyCertificates? { jwk.binding.certificates }
    // Properties and not cases of an enumeration: a case that is taken out counts a reference to its key, a constant
    // does not. Not more than one kind is set, and none for X25519, which verifies nothing.
    /// The key of libcrypto.
    let asymmetric: AsymmetricKey?
    let ed25519: Ed25519PublicKey?
    /// Whether this is a secret. Its MAC keys are nil for algorithms for which it is too short.
    let isSecret: Bool
    private let mac256: MACKey?
    private let mac384: MACKey?
    private let mac512: MACKey?
    /// The algorithms that the key fits: bit `SignatureAlgorithm.Core.rawValue` of each.
    let fits: UInt32
    /// The key's form for batches; nil where they do not support the key.
    let batchKey: BatchKey?
    /// The key of `batchKey` that counts its verifications, if it is one of P-256 or Ed25519.
    private let hot: HotKey?

    /// Prepares a key. `isLasting` is false for a key that verifies one token only.
    init(_ jwk: JWK, for algorithms: [SignatureAlgorithm], isLasting: Bool = true) {
        self.jwk = jwk
        keyID = jwk.keyIDBytes
        var fits: UInt32 = 0
        for algorithm in algorithms where KeySelection.unsuitability(of: jwk, for: algorithm, .verify) == nil {
            fits |= 1 << UInt32(algorithm.core.rawValue)
        }
        let (material, secret): (PublicMaterial?, SecretKey?) =
            switch jwk {
            case .publicKey(let key): (key.material, nil)
            case .privateKey(let key): (key.publicKey.material, nil)
            case .symmetricKey(let key): (nil, key)
            }
        if case .asymmetric(let key) = material { asymmetric = key } else { asymmetric = nil }
        if case .ed25519(let key) = material { ed25519 = key } else { ed25519 = nil }
        func mac(_ algorithm: SignatureAlgorithm.Core, _ hash: Hash) -> MACKey? {
            fits & 1 << UInt32(algorithm.rawValue) == 0 ? nil : try? secret?.macKey(hash)
        }
        isSecret = secret != nil
        mac256 = mac(.hs256, .sha256)
        mac384 = mac(.hs384, .sha384)
        mac512 = mac(.hs512, .sha512)
        self.fits = fits
        var batchKey: BatchKey?
        if isLasting, fits & Self.batchAlgorithms != 0 {
            if let asymmetric { batchKey = BatchKey(asymmetric) } else if let ed25519 { batchKey = BatchKey(ed25519) }
        }
        self.batchKey = batchKey
        hot = batchKey?.hot
    }

    private static let batchAlgorithms = SignatureAlgorithm.Core.allCases.reduce(0 as UInt32) { bits, algorithm in
        algorithm.batchScheme == nil ? bits : bits | 1 << UInt32(algorithm.rawValue)
    }

    /// Returns the MAC key for a hash; nil where there is none.
    func mac(_ hash: Hash) -> MACKey? {
        switch hash {
        case .sha256: mac256
        case .sha384: mac384
        case .sha512: mac512
        case .sha1: nil
        }
    }

    /// Verifies a signature. Every single signature is verified here.
    func verify(_ algorithm: SignatureAlgorithm.Core, _ input: Span<UInt8>, signature: Span<UInt8>) throws(JOSEError) {
        do throws(CryptoError) {
            switch algorithm.traits.engine {
            case .scheme(let scheme):
                guard let asymmetric else { throw .keyInvalid }
                if let hot, let isValid = try hot.verify(input, signature: signature) {
                    guard isValid else { throw .invalid }
                } else {
                    try asymmetric.verify(scheme, input, signature: signature)
                }
            case .ed25519:
                guard let ed25519 else { throw .keyInvalid }
                try verify(ed25519, input, signature)
            case .edDSA:
                if let ed25519 {
                    try verify(ed25519, input, signature)
                } else {
                    guard let asymmetric else { throw .keyInvalid }
                    try asymmetric.verify(.ed448, input, signature: signature)
                }
            case .mac(.sha256): try verify(mac256, input, signature)
            case .mac(.sha384): try verify(mac384, input, signature)
            case .mac(.sha512): try verify(mac512, input, signature)
            case .mac: throw .keyInvalid
            }
        } catch {
            throw JOSEError(verifying: error)
        }
    }

    private func verify(
        _ key: Ed25519PublicKey, _ input: Span<UInt8>, _ signature: Span<UInt8>
    ) throws(CryptoError) {
        if let hot, try hot.verify(input, signature: signature) == true { return }
        try key.verify(input, signature: signature)
    }

    private func verify(_ key: MACKey?, _ input: Span<UInt8>, _ tag: Span<UInt8>) throws(CryptoError) {
        // Where the key fits the algorithm, it is absent only because the library failed to prepare it.
        guard let key else { throw isSecret ? .backend : .keyInvalid }
        try key.verify(input, tag: tag)
    }
}
