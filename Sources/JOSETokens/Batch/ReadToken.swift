internal import JOSE
internal import JOSEBytes

/// How far a token has come once it was read, and decrypted where it is encrypted.
enum ReadToken: Sendable {
    /// All its layers hold.
    case opened(VerifiedToken)
    /// A signature is still to be verified; and what it is within.
    case pending(PendingJWS, outer: Header?)
}

extension TokenVerifier.Layers {
    /// The steps of `open` up to the signature. `owner`: as `Verifier.read` has it.
    func read(
        _ token: Span<UInt8>, _ recent: inout RecentHeaders, owner: Int
    ) throws(TokenError) -> ReadToken {
        switch self {
        case .signed(let verifier): return try Self.read(verifier, token, nil, &recent, owner)
        case .encrypted: return .opened(try open(token, within: nil))
        case .nested(let decrypter, let verifier):
            var plaintext = SecretBytes(capacity: 0)
            let header = try Self.decrypted(decrypter, token, into: &plaintext, within: nil).header
            return try Self.within(plaintext, verifier, header, &recent, owner)
        }
    }

    /// The same of a token that another has decrypted.
    func read(
        _ plaintext: borrowing SecretBytes, decryptedFrom token: Span<UInt8>, _ recent: inout RecentHeaders, owner: Int
    ) throws(TokenError) -> ReadToken {
        let header = try admit(token, plaintextCount: plaintext.count)
        switch self {
        case .signed(let verifier), .nested(_, let verifier):
            return try Self.within(plaintext, verifier, header, &recent, owner)
        case .encrypted:
            return .opened(
                try plaintext.withBytes { bytes throws(TokenError) in try opened(bytes, within: header) })
        }
    }

    private static func within(
        _ plaintext: borrowing SecretBytes, _ verifier: Verifier, _ outer: Header, _ recent: inout RecentHeaders,
        _ owner: Int
    ) throws(TokenError) -> ReadToken {
        try plaintext.withBytes { bytes throws(TokenError) in try read(verifier, bytes, outer, &recent, owner) }
    }

    private static func read(
        _ verifier: Verifier, _ token: Span<UInt8>, _ outer: Header?, _ recent: inout RecentHeaders, _ owner: Int
    ) throws(TokenError) -> ReadToken {
        let read: ReadJWS
        do throws(JOSEError) { read = try verifier.read(token, &recent, owner: owner) } catch {
            throw .jose(error, layer: .signature)
        }
        switch read {
        case .opened(let jws): return .opened(try Self.token(jws, verifier.policy.limits, within: outer))
        case .pending(let jws): return .pending(jws, outer: outer)
        }
    }

    /// What is left to do with a token of `read` when its signature was looked at.
    func settled(
        _ pending: consuming PendingJWS, holds: Bool, within outer: Header?
    ) throws(TokenError) -> VerifiedToken {
        switch self {
        // No such token comes out of `read`.
        case .encrypted: throw .jose(.signatureInvalid, layer: .signature)
        case .signed(let verifier), .nested(_, let verifier):
            let jws: OpenedJWS
            do throws(JOSEError) { jws = try verifier.settled(pending, holds: holds) } catch {
                throw .jose(error, layer: .signature)
            }
            return try Self.token(jws, verifier.policy.limits, within: outer)
        }
    }

    private static func token(
        _ jws: consuming OpenedJWS, _ limits: Limits, within outer: Header?
    ) throws(TokenError) -> VerifiedToken {
        let claims = try Claims(payload: jws.payload, limits: limits, layer: .signature)
        return VerifiedToken(
            claims: claims, header: jws.header, encryptionHeader: outer, algorithm: jws.algorithm, key: jws.key)
    }
}
