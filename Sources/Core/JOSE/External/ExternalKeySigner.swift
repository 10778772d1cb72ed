internal import JOSESupport

/// A signer of compact JWS with a key outside the process, for instance in an HSM or a key management service.
///
/// Create one instance and share it between tasks.
public struct ExternalKeySigner: Sendable {
    let signer: CheckedSigner
    let header: EncodedHeader
    /// The `alg` of every token.
    public var algorithm: SignatureAlgorithm { signer.algorithm }

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - signer: The key outside the process.
    ///   - algorithm: The `alg` of every token.
    ///   - header: The other members of the protected header.
    /// - Throws: `keyUnsuitable` if the key does not fit the algorithm; `headerInvalid` or `malformed` if a verifier
    ///   would reject the header.
    public init(
        _ signer: any ExternalSigner, algorithm: SignatureAlgorithm, header: HeaderParameters = HeaderParameters()
    ) throws(JOSEError) {
        self.signer = try CheckedSigner(signer, algorithm)
        self.header = try EncodedHeader(header, algorithm, signer.publicKey, keyID: signer.publicKey.keyID)
    }

    /// Signs a payload and returns the compact serialization as ASCII bytes.
    ///
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled.
    public func signBytes(_ payload: [UInt8]) async throws(JOSEError) -> [UInt8] {
        var token = try SigningInput.compact(header, payload: payload.span)
        SigningInput.finish(&token, try await signer.signature(token))
        return token
    }

    /// Signs a payload as `signBytes(_:)` does, and returns the compact serialization.
    public func sign(_ payload: [UInt8]) async throws(JOSEError) -> String {
        String(decoding: try await signBytes(payload), as: UTF8.self)
    }

    /// Signs the UTF-8 bytes of a string as `signBytes(_:)` does, and returns the compact serialization.
    public func sign(_ payload: String) async throws(JOSEError) -> String { try await sign(Array(payload.utf8)) }

    /// Signs a detached payload and returns the compact serialization, whose payload part is empty (RFC 7515, appendix
    /// F).
    ///
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled.
    public func sign(detached payload: [UInt8]) async throws(JOSEError) -> String {
        let input = SigningInput.bytes(
            header: header.segment.span, payload: payload.span, isUnencoded: header.header.payloadIsUnencoded)
        return JWSSigner.detached(header, try await signer.signature(input))
    }

    package var payloadIsUnencoded: Bool { header.header.payloadIsUnencoded }
}
