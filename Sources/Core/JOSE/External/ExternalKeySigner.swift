internal import JOSEBytes

/// Makes compact JWS as `JWSSigner` does, with a key outside the process. Made once, shared freely.
///
/// Its calls throw `JOSEError`, and `CancellationError` where the task was cancelled.
public struct ExternalKeySigner: Sendable {
    let signer: CheckedSigner
    let header: EncodedHeader
    /// What stands in the header.
    public var algorithm: SignatureAlgorithm { signer.algorithm }

    /// Throws what `JWSSigner` would: `keyUnsuitable`, `headerInvalid`, `malformed`.
    public init(
        _ signer: any ExternalSigner, algorithm: SignatureAlgorithm, header: HeaderParameters = HeaderParameters()
    ) throws(JOSEError) {
        self.signer = try CheckedSigner(signer, algorithm)
        self.header = try EncodedHeader(header, algorithm, signer.publicKey, keyID: signer.publicKey.keyID)
    }

    /// The compact serialization, as ASCII bytes.
    public func signBytes(_ payload: [UInt8]) async throws -> [UInt8] {
        var token = try SigningInput.compact(header, payload: payload.span)
        SigningInput.finish(&token, try await signer.signature(token))
        return token
    }

    /// The compact serialization.
    public func sign(_ payload: [UInt8]) async throws -> String {
        String(decoding: try await signBytes(payload), as: UTF8.self)
    }

    /// The same of a text's UTF-8.
    public func sign(_ payload: String) async throws -> String { try await sign(Array(payload.utf8)) }

    /// The compact serialization without its payload (RFC 7515, appendix F).
    public func sign(detached payload: [UInt8]) async throws -> String {
        let input = SigningInput.bytes(
            header: header.segment, payload: payload.span, isUnencoded: header.header.payloadIsUnencoded)
        return JWSSigner.detached(header, try await signer.signature(input))
    }

    package var payloadIsUnencoded: Bool { header.header.payloadIsUnencoded }
}
