internal import JOSE
internal import JOSEBytes

/// A token after it was read, and decrypted if it is encrypted.
enum ReadToken: Sendable {
    /// All layers are valid.
    case opened(VerifiedToken)
    /// A signature is still to be verified; `outer` is the header of the encryption layer around it.
    case pending(PendingJWS, outer: OuterHeader?)
}

extension TokenVerifier.Layers {
    /// Makes the steps of `open` up to the signature.
    ///
    /// - Parameters:
    ///   - scratch: The buffer into which the token is decrypted.
    func read(_ token: Span<UInt8>, _ scratch: inout SecretBytes) throws(TokenError) -> ReadToken {
        switch self {
        case .signed(let verifier): return try Self.read(verifier, token, nil)
        case .encrypted: return .opened(try open(token, within: nil))
        case .nested(let decrypter, let verifier):
            let header = try Self.decrypted(decrypter, token, into: &scratch, within: nil).header
            return try Self.within(scratch, verifier, OuterHeader(header))
        }
    }

    /// Makes the steps of `open` up to the signature for a token that was already decrypted.
    func read(
        _ plaintext: borrowing SecretBytes, decryptedFrom token: Span<UInt8>
    ) throws(TokenError) -> ReadToken {
        let header = try admit(token, plaintextCount: plaintext.count)
        switch self {
        // There are two cases, because the verifier would be copied if one pattern bound it in both.
        case .signed(let verifier):
            return try Self.within(plaintext, verifier, OuterHeader(header))
        case .nested(_, let verifier):
            return try Self.within(plaintext, verifier, OuterHeader(header))
        case .encrypted:
            return .opened(
                try plaintext.withBytes { bytes throws(TokenError) in try opened(bytes, within: header) })
        }
    }

    private static func within(
        _ plaintext: borrowing SecretBytes, _ verifier: JWSVerifier, _ outer: OuterHeader
    ) throws(TokenError) -> ReadToken {
        try plaintext.withBytes { bytes throws(TokenError) in try read(verifier, bytes, outer) }
    }

    private static func read(
        _ verifier: JWSVerifier, _ token: Span<UInt8>, _ outer: OuterHeader?
    ) throws(TokenError) -> ReadToken {
        let read: ReadJWS
        do throws(JOSEError) { read = try verifier.read(token) } catch {
            throw .jose(error, layer: .signature)
        }
        switch read {
        case .opened(let jws):
            return .opened(try VerifiedToken(jws, verifier.policy.limits, within: outer))
        case .pending(let jws): return .pending(jws, outer: outer)
        }
    }
}

extension VerifiedToken {
    /// Creates a token from a JWS whose signature is valid, by parsing its claims.
    init(_ jws: consuming OpenedJWS, _ limits: ParsingLimits, within outer: OuterHeader?) throws(TokenError) {
        self.init(
            claims: try Claims(payload: jws.payload, limits: limits, layer: .signature), jws.signed, within: outer)
    }

    /// Creates a token from a pending JWS once its signature was verified.
    init(_ pending: inout PendingJWS, holds: Bool, within outer: OuterHeader?) throws(TokenError) {
        let limits = pending.limits
        let jws: OpenedJWS
        do throws(JOSEError) { jws = try pending.open(holds: holds) } catch { throw .jose(error, layer: .signature) }
        try self.init(jws, limits, within: outer)
    }
}
