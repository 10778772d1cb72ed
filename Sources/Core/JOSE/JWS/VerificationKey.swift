internal import JOSEBytes
internal import JOSECrypto

/// A key prepared for a policy: the algorithms that it fits are determined once, so that a verification tests one bit.
/// A class, so that its use counts one reference.
final class VerificationKey: ReadyKey {
    typealias Allowed = AllowedHeader
    enum Engine: Sendable {
        case asymmetric(AsymmetricKey)
        case ed25519(Ed25519PublicKey)
        /// The MAC keys of SHA-256, SHA-384 and SHA-512; nil where the key is too short.
        case octets(MACKey?, MACKey?, MACKey?)
        case none
    }
    let jwk: JWK
    let keyID: [UInt8]?
    var certificates: KeyCertificates? { jwk.binding.certificates }
    let engine: Engine
    /// The algorithms that the key fits: bit `SignatureAlgorithm.Core.rawValue` of each.
    let fits: UInt32
    /// The key's form for batches; nil where they do not support the key.
    let batchKey: BatchKey?
    /// The P-256 key of `batchKey`, if it is one.
    private let hot: HotKey?

    /// Prepares a key. `isLasting` is false for a key that verifies one token only.
    init(_ jwk: JWK, for algorithms: [SignatureAlgorithm], isLasting: Bool = true) {
        self.jwk = jwk
        keyID = jwk.keyIDBytes
        var fits: UInt32 = 0
        for algorithm in algorithms where KeySelection.unsuitability(of: jwk, for: algorithm, .verify) == nil {
            fits |= 1 << UInt32(algorithm.core.rawValue)
        }
        func mac(_ key: SecretKey, _ algorithm: SignatureAlgorithm.Core, _ hash: Hash) -> MACKey? {
            fits & 1 << UInt32(algorithm.rawValue) == 0 ? nil : try? key.macKey(hash)
        }
        switch jwk {
        case .publicKey(let key): engine = Self.engine(key.material)
        case .privateKey(let key): engine = Self.engine(key.publicKey.material)
        case .symmetricKey(let key):
            engine = .octets(mac(key, .hs256, .sha256), mac(key, .hs384, .sha384), mac(key, .hs512, .sha512))
        }
        self.fits = fits
        var batchKey: BatchKey?
        if isLasting, fits & Self.batchAlgorithms != 0, case .asymmetric(let key) = engine { batchKey = BatchKey(key) }
        self.batchKey = batchKey
        if case .p256(let key) = batchKey?.form { hot = key } else { hot = nil }
    }

    private static let batchAlgorithms = SignatureAlgorithm.Core.allCases.reduce(0 as UInt32) { bits, algorithm in
        algorithm.batchScheme == nil ? bits : bits | 1 << UInt32(algorithm.rawValue)
    }

    private static func engine(_ material: PublicMaterial) -> Engine {
        switch material {
        case .asymmetric(let key): .asymmetric(key)
        case .ed25519(let key): .ed25519(key)
        case .x25519: .none
        }
    }

    /// Verifies a signature. Every single signature is verified here.
    func verify(_ algorithm: SignatureAlgorithm.Core, _ input: Span<UInt8>, signature: Span<UInt8>) throws(JOSEError) {
        do throws(CryptoError) {
            switch (engine, algorithm.traits.engine) {
            case (.asymmetric(let key), .scheme(let scheme)):
                if let hot, let held = try hot.verify(input, signature: signature) {
                    guard held else { throw .invalid }
                } else {
                    try key.verify(scheme, input, signature: signature)
                }
            case (.ed25519(let key), .ed25519), (.ed25519(let key), .edDSA):
                try key.verify(input, signature: signature)
            case (.asymmetric(let key), .edDSA): try key.verify(.ed448, input, signature: signature)
            case (.octets(let mac, _, _), .mac(.sha256)): try verify(mac, input, signature)
            case (.octets(_, let mac, _), .mac(.sha384)): try verify(mac, input, signature)
            case (.octets(_, _, let mac), .mac(.sha512)): try verify(mac, input, signature)
            default: throw .keyInvalid
            }
        } catch {
            throw JOSEError(verifying: error)
        }
    }

    private func verify(_ key: MACKey?, _ input: Span<UInt8>, _ tag: Span<UInt8>) throws(CryptoError) {
        // The key fits the algorithm: it is absent only where the library failed to prepare it.
        guard let key else { throw .backend }
        try key.verify(input, tag: tag)
    }
}
