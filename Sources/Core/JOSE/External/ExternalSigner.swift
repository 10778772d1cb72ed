internal import JOSECrypto
internal import JOSESupport

/// A private key that signs outside the process, for instance in a key management service, an HSM or a secure enclave.
///
/// Each signature is verified under `publicKey` before it becomes part of a token or message. MACs are not supported,
/// because the MAC of an external key could not be verified.
public protocol ExternalSigner: Sendable {
    /// The public key, which must not change. Its `kid` is written to headers, and its `alg`, `use` and `key_ops`
    /// restrict what the key is used for.
    var publicKey: PublicKey { get }
    /// The encoding of the ECDSA signatures that the key returns. The default is `.joined`.
    var ecdsaForm: ECDSAForm { get }
    /// Signs `request.message` and returns the signature: an ECDSA signature in the encoding `ecdsaForm`, and any other
    /// as the RFC of its algorithm specifies.
    ///
    /// The function is called once for each token or message, from any task, and concurrently. It should return early
    /// if its task is cancelled. An error that it throws reaches the caller as `JOSEError.externalKey`.
    func sign(_ request: SigningRequest) async throws -> [UInt8]
}

extension ExternalSigner {
    /// The default encoding of the ECDSA signatures that the key returns: `.joined`.
    public var ecdsaForm: ECDSAForm { .joined }
}

/// The encoding of an ECDSA signature.
@nonexhaustive public enum ECDSAForm: Sendable, Hashable {
    /// The concatenation `r || s`, each number as long as the field (RFC 7518, 3.4), as PKCS #11 and Azure return it.
    case joined
    /// The DER structure `Ecdsa-Sig-Value` (RFC 3279, 2.2.3), as AWS, Google and Apple's Secure Enclave return it.
    case der
}

/// A message to sign, and the algorithm to sign it with.
public struct SigningRequest: Sendable {
    /// The `alg` of the header.
    public let algorithm: SignatureAlgorithm
    /// The JWS signing input (RFC 7515, 5.1, step 8), or what another format signs with the same algorithm: a canonical
    /// `SignedInfo` of XML Signature, or the query of the redirect binding (SAML 2.0 Bindings, 3.4.4.1).
    public let message: [UInt8]

    init(_ algorithm: SignatureAlgorithm, _ message: [UInt8]) {
        self.algorithm = algorithm
        self.message = message
    }

    /// The digest of the message, for services that sign a digest, made with the hash function of the algorithm. It is
    /// nil for EdDSA and ML-DSA, which sign the message itself.
    public var digest: [UInt8]? {
        let traits = algorithm.core.traits
        guard case .scheme = traits.engine, let hash = traits.hash else { return nil }
        return try? hash.digest(message.span)
    }
}

/// An external signer that fits an algorithm. Its signatures are verified before they are used.
package final class CheckedSigner: Sendable {
    let signer: any ExternalSigner
    let algorithm: SignatureAlgorithm
    private let key: VerificationKey
    private let form: ECDSAForm

    package init(_ signer: any ExternalSigner, _ algorithm: SignatureAlgorithm) throws(JOSEError) {
        let key = JWK.publicKey(signer.publicKey)
        if let reason = KeySelection.unsuitability(of: key, for: algorithm, .verify) { throw .keyUnsuitable(reason) }
        self.signer = signer
        self.algorithm = algorithm
        self.key = VerificationKey(key, for: [algorithm], isLasting: false)
        form = signer.ecdsaForm
    }

    /// Returns the signature, for which the external key is called. `end` bounds the wait for it.
    package func signature(
        _ input: [UInt8], until end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> [UInt8] {
        let request = SigningRequest(algorithm, input)
        let given = try await askExternalKey(until: end) { [signer] in try await signer.sign(request) }
        return try check(given, input)
    }

    private func check(_ given: [UInt8], _ input: [UInt8]) throws(JOSEError) -> [UInt8] {
        var signature = given
        if case .ec(let curve) = algorithm.core.traits.key, form == .der {
            guard let joined = ECDSASignature.joined(der: given.span, curve) else {
                throw .externalKey(.signature(.notDER))
            }
            signature = joined
        }
        guard signature.count == key.signatureCount else { throw fault(signature, input) }
        do throws(JOSEError) {
            try key.verify(algorithm.core, input.span, signature: signature.span)
        } catch {
            throw error == .signatureInvalid ? fault(signature, input) : error
        }
        return signature
    }

    /// Returns the error for a signature that the key does not verify, with the mistake if it is a frequent one.
    private func fault(_ signature: [UInt8], _ input: [UInt8]) -> JOSEError {
        let mistake = SignatureMistake(signature.span, algorithm, input.span, under: key)
        return .externalKey(mistake.map { .signature($0) } ?? .signatureInvalid)
    }
}
