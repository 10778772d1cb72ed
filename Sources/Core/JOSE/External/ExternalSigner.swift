internal import JOSEBytes
internal import JOSECrypto

/// A private key outside the process (a key management service, an HSM, a secure enclave) that signs there.
///
/// Each signature is verified under `publicKey` before it becomes part of a token. MACs are not supported, because the MAC of an
/// external key could not be verified.
public protocol ExternalSigner: Sendable {
    /// The public half of the key, which must not change. Its `kid` is that of headers, and its `alg`, `use` and `key_ops`
    /// restrict the key.
    var publicKey: PublicKey { get }
    /// The form of the key's ECDSA signatures. By default `.joined`.
    var ecdsaForm: ECDSAForm { get }
    /// Returns a signature of `request.message` in the form that the algorithm's RFC specifies, or in `ecdsaForm`.
    ///
    /// The function is called once for each token, from any task, and concurrently. It should end when its task is cancelled. The
    /// caller gets errors that it throws in `JOSEError.externalKey`.
    func sign(_ request: SigningRequest) async throws -> [UInt8]
}

extension ExternalSigner {
    /// The form of the key's ECDSA signatures: `.joined`.
    public var ecdsaForm: ECDSAForm { .joined }
}

/// The encoding of an ECDSA signature.
@nonexhaustive public enum ECDSAForm: Sendable, Hashable {
    /// `r || s`, each as long as the field (RFC 7518, 3.4), as PKCS #11 and Azure return it.
    case joined
    /// The DER of RFC 3279, 2.2.3, as AWS, Google and Apple's Secure Enclave return it. Any other encoding is rejected.
    case der
}

/// A message to sign, and the algorithm.
public struct SigningRequest: Sendable {
    /// The `alg` of the header.
    public let algorithm: SignatureAlgorithm
    /// The JWS signing input (RFC 7515, 5.1, step 8).
    public let message: [UInt8]

    init(_ algorithm: SignatureAlgorithm, _ message: [UInt8]) {
        self.algorithm = algorithm
        self.message = message
    }

    /// The message's digest under the hash of the algorithm, for services that take a digest; nil for EdDSA and ML-DSA, which
    /// sign the message itself.
    public var digest: [UInt8]? {
        let traits = algorithm.core.traits
        guard case .scheme = traits.engine, let hash = traits.hash else { return nil }
        return try? hash.digest(message.span)
    }
}

/// An external signer that fits an algorithm. Its signatures are verified before they are used.
struct CheckedSigner: Sendable {
    let signer: any ExternalSigner
    let algorithm: SignatureAlgorithm
    private let key: VerificationKey
    private let form: ECDSAForm

    init(_ signer: any ExternalSigner, _ algorithm: SignatureAlgorithm) throws(JOSEError) {
        let key = JWK.publicKey(signer.publicKey)
        if let reason = KeySelection.unsuitability(of: key, for: algorithm, .verify) { throw .keyUnsuitable(reason) }
        self.signer = signer
        self.algorithm = algorithm
        self.key = VerificationKey(key, for: [algorithm], isLasting: false)
        form = signer.ecdsaForm
    }

    func signature(_ input: [UInt8]) async throws -> [UInt8] {
        let request = SigningRequest(algorithm, input)
        let given = try await askExternalKey { try await signer.sign(request) }
        return try check(given, input)
    }

    private func check(_ given: [UInt8], _ input: [UInt8]) throws(JOSEError) -> [UInt8] {
        var signature = given
        if case .ec(let curve) = algorithm.core.traits.key, form == .der {
            guard let joined = ECDSASignature.joined(der: given.span, curve) else { throw .externalKey(.signatureForm) }
            signature = joined
        }
        guard signature.count == key.signatureCount else { throw .externalKey(.signatureForm) }
        do throws(JOSEError) {
            try key.verify(algorithm.core, input.span, signature: signature.span)
        } catch {
            throw error == .signatureInvalid ? .externalKey(.signatureInvalid) : error
        }
        return signature
    }
}

extension VerificationKey {
    /// The length in bytes of each signature that it verifies; 0 for a MAC key, and for a key that verifies none.
    fileprivate var signatureCount: Int {
        switch engine {
        case .asymmetric(let key): key.signatureCount
        case .ed25519: 64
        case .octets, .none: 0
        }
    }
}
