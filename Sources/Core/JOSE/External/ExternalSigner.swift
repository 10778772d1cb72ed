internal import JOSEBytes
internal import JOSECrypto

/// A private key that is kept elsewhere (a key management service, an HSM, an enclave) and signs there.
///
/// What it gives is checked against `publicKey` before it becomes part of a token. There is none for HS256 and its like: a MAC by
/// a key that is not here could not be checked.
public protocol ExternalSigner: Sendable {
    /// The other half, which does not change. Its `kid` is the one in headers, and its `alg`, `use` and `key_ops` bind.
    var publicKey: PublicKey { get }
    /// How it writes ECDSA signatures; `.joined` where it does not say.
    var ecdsaForm: ECDSAForm { get }
    /// A signature in the form that the algorithm's RFC gives it. Called once for each token, from any task, also at once;
    /// a task that is cancelled should end it. What it throws reaches the caller in `JOSEError.externalKey`.
    func sign(_ request: SigningRequest) async throws -> [UInt8]
}

extension ExternalSigner {
    public var ecdsaForm: ECDSAForm { .joined }
}

/// How an ECDSA signature is written.
@nonexhaustive public enum ECDSAForm: Sendable, Hashable {
    /// `r || s`, each as long as the field (RFC 7518, 3.4): what PKCS#11 and Azure give.
    case joined
    /// The DER of RFC 3279, 2.2.3: what AWS, Google and Apple's enclave give. Refused where it is not the one encoding.
    case der
}

/// What is to be signed.
public struct SigningRequest: Sendable {
    /// That of the header.
    public let algorithm: SignatureAlgorithm
    /// The JWS signing input (RFC 7515, 5.1, step 8).
    public let message: [UInt8]

    init(_ algorithm: SignatureAlgorithm, _ message: [UInt8]) {
        self.algorithm = algorithm
        self.message = message
    }

    /// The message's hash by the algorithm, for services that take that alone; nil for algorithms that sign the message
    /// itself: EdDSA and ML-DSA.
    public var digest: [UInt8]? {
        let traits = algorithm.core.traits
        guard case .scheme = traits.engine, let hash = traits.hash else { return nil }
        return try? hash.digest(message.span)
    }
}

/// An external signer that fits an algorithm, and the one place where its signatures come in.
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
    /// Bytes of each signature that it verifies; 0 where it verifies none, or a MAC.
    fileprivate var signatureCount: Int {
        switch engine {
        case .asymmetric(let key): key.signatureCount
        case .ed25519: 64
        case .octets, .none: 0
        }
    }
}
