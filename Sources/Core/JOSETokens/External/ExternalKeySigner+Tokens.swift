internal import JOSE

extension ExternalKeySigner {
    /// Creates a signer whose headers have no `kid`, for tokens that contain or imply their key.
    init(
        unnamed signer: any ExternalSigner, algorithm: SignatureAlgorithm, header: HeaderParameters, layer: TokenLayer
    ) throws(TokenError) {
        self = try inLayer(layer, ExternalKeySigner(UnnamedSigner(signer), algorithm: algorithm, header: header))
    }

    /// Signs the payload of a token, and returns the compact serialization in ASCII.
    ///
    /// - Throws: `jose` errors of the given layer, and `cancelled` if the task was cancelled.
    func token(_ payload: [UInt8], layer: TokenLayer) async throws(TokenError) -> [UInt8] {
        do throws(JOSEError) { return try await signBytes(payload) } catch { throw TokenError(awaited: error, layer) }
    }
}

/// An external signer whose public key has no `kid`.
private struct UnnamedSigner: ExternalSigner {
    private let signer: any ExternalSigner
    let publicKey: PublicKey
    var ecdsaForm: ECDSAForm { signer.ecdsaForm }

    init(_ signer: any ExternalSigner) {
        self.signer = signer
        var key = signer.publicKey
        key.keyID = nil
        publicKey = key
    }

    func sign(_ request: SigningRequest) async throws -> [UInt8] { try await signer.sign(request) }
}
