internal import JOSE
internal import JOSEBytes

/// How far a token has come once it was read, and decrypted where it is encrypted.
enum ReadToken: Sendable {
    /// All its layers hold.
    case opened(VerifiedToken)
    /// A signature is still to be verified; and what it is within.
    case pending(PendingJWS, outer: OuterHeader?)
}

extension TokenVerifier.Layers {
    /// The steps of `open` up to the signature. `scratch`: where it is decrypted. `owner`: as `JWSVerifier.read` has it.
    func read(
        _ token: Span<UInt8>, _ recent: inout RecentHeaders, _ scratch: inout SecretBytes, owner: Int
    ) throws(TokenError) -> ReadToken {
        switch self {
        case .signed(let verifier): return try Self.read(verifier, token, nil, &recent, owner)
        case .encrypted: return .opened(try open(token, within: nil))
        case .nested(let decrypter, let verifier):
            let header = try Self.decrypted(decrypter, token, into: &scratch, within: nil).header
            return try Self.within(scratch, verifier, OuterHeader(header), &recent, owner)
        }
    }

    /// The same of a token that another has decrypted.
    func read(
        _ plaintext: borrowing SecretBytes, decryptedFrom token: Span<UInt8>, _ recent: inout RecentHeaders, owner: Int
    ) throws(TokenError) -> ReadToken {
        let header = try admit(token, plaintextCount: plaintext.count)
        switch self {
        // Two rows: of one that stands for both the verifier would be copied.
        case .signed(let verifier):
            return try Self.within(plaintext, verifier, OuterHeader(header), &recent, owner)
        case .nested(_, let verifier):
            return try Self.within(plaintext, verifier, OuterHeader(header), &recent, owner)
        case .encrypted:
            return .opened(
                try plaintext.withBytes { bytes throws(TokenError) in try opened(bytes, within: header) })
        }
    }

    private static func within(
        _ plaintext: borrowing SecretBytes, _ verifier: JWSVerifier, _ outer: OuterHeader, _ recent: inout RecentHeaders,
        _ owner: Int
    ) throws(TokenError) -> ReadToken {
        try plaintext.withBytes { bytes throws(TokenError) in try read(verifier, bytes, outer, &recent, owner) }
    }

    private static func read(
        _ verifier: JWSVerifier, _ token: Span<UInt8>, _ outer: OuterHeader?, _ recent: inout RecentHeaders, _ owner: Int
    ) throws(TokenError) -> ReadToken {
        let read: ReadJWS
        do throws(JOSEError) { read = try verifier.read(token, &recent, owner: owner) } catch {
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
    /// Of a signature that held: what is left are the claims.
    init(_ jws: consuming OpenedJWS, _ limits: ParsingLimits, within outer: OuterHeader?) throws(TokenError) {
        self.init(
            claims: try Claims(payload: jws.payload, limits: limits, layer: .signature), jws.signed, within: outer)
    }

    /// What is left to do with a token of `read` when its signature was looked at.
    init(_ pending: inout PendingJWS, holds: Bool, within outer: OuterHeader?) throws(TokenError) {
        let limits = pending.limits
        let jws: OpenedJWS
        do throws(JOSEError) { jws = try pending.open(holds: holds) } catch { throw .jose(error, layer: .signature) }
        try self.init(jws, limits, within: outer)
    }
}
