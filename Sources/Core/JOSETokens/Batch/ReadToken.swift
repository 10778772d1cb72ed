internal import JOSE
internal import JOSEBytes

/// A token after it was read, and decrypted if it is encrypted.
enum ReadToken: Sendable {
    /// All layers are valid, and so are the claims.
    case opened(VerifiedToken)
    /// A signature is still to be verified.
    case pending(SignatureJob, UnfinishedToken)
}

/// The parts of a token, beside its signature, that are needed once the signature was verified.
struct UnfinishedToken: Sendable {
    /// The header of the encryption layer around the signature.
    let outer: OuterHeader?
    let facts: TokenFacts
    /// The lookup in the cache, where the verifier has one, with the text of the token.
    let visit: (CacheVisit, token: [UInt8], decryptionKey: JWK?)?
}

extension TokenVerifier {
    /// Makes the steps of `openedHere` up to the signature.
    func read(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, _ facts: inout TokenFacts
    ) throws(TokenError) -> ReadToken {
        let visit = caching == nil ? nil : visit(token)
        if let visit, let known = try cached(token, visit, &facts) { return .opened(known) }
        if additions?.external != nil { throw .awaitRequired }
        var key: JWK?
        let read: LayersRead
        do throws(TokenError) {
            read = try layers.read(token, &scratch, usedKey: &key, with: visit?.keys)
        } catch {
            if let visit { keep(token, visit, error) }
            throw error
        }
        return try checked(read, visit, token, decryptionKey: key, facts)
    }

    /// Checks the claims of a token whose layers are valid, and returns another one unfinished.
    func checked(
        _ read: LayersRead, _ visit: CacheVisit?, _ token: Span<UInt8>, decryptionKey: JWK?,
        _ facts: TokenFacts
    ) throws(TokenError) -> ReadToken {
        switch read {
        case .opened(let opened):
            if let visit {
                try check(opened, toKeep: visit, token, decryptionKey: decryptionKey)
            } else {
                try check(opened)
            }
            return .opened(opened)
        case .pending(let jws, let outer):
            let kept = visit.map { ($0, token: token.copy(), decryptionKey: decryptionKey) }
            return .pending(jws, UnfinishedToken(outer: outer, facts: facts, visit: kept))
        }
    }

    /// Returns the token once its signature was verified, after the checks of its claims.
    func finish(
        _ job: inout SignatureJob, _ rest: UnfinishedToken
    ) throws(TokenError) -> VerifiedToken {
        guard let (visit, text, key) = rest.visit else {
            let token = try VerifiedToken(&job, within: rest.outer)
            try check(token)
            return token
        }
        let token: VerifiedToken
        do throws(TokenError) {
            token = try VerifiedToken(&job, within: rest.outer)
        } catch {
            keep(text.span, visit, error)
            throw error
        }
        try check(token, toKeep: visit, text.span, decryptionKey: key)
        return token
    }
}

/// The layers of a token after they were read.
enum LayersRead: Sendable {
    /// All layers are valid.
    case opened(VerifiedToken)
    /// A signature is still to be verified; `outer` is the header of the encryption layer around it.
    case pending(SignatureJob, outer: OuterHeader?)
}

extension TokenVerifier.Layers {
    /// Makes the steps of `open` up to the signature.
    ///
    /// - Parameters:
    ///   - scratch: The buffer into which the token is decrypted.
    ///   - usedKey: Receives the decryption key if its source counts uses.
    ///   - keys: The keys, if they were taken from their sources already.
    func read(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, usedKey: inout JWK?, with keys: TakenKeys?
    ) throws(TokenError) -> LayersRead {
        switch self {
        case .signed(let verifier): return try Self.read(verifier, token, nil, with: keys?.signature)
        case .encrypted: return .opened(try open(token, within: nil, usedKey: &usedKey, with: keys))
        case .nested(let decrypter, let verifier):
            let (header, key) = try Self.decrypted(
                decrypter, token, into: &scratch, within: nil, with: keys?.encryption)
            if decrypter.isFollowing { usedKey = key }
            return try Self.within(scratch, verifier, OuterHeader(header), with: keys?.signature)
        }
    }

    /// Makes the steps of `read` after the attempt to decrypt the content encryption key.
    func resume(
        _ jwe: DecryptionJob, _ outcome: UnwrappingOutcome, usedKey: inout JWK?, with keys: TakenKeys?
    ) throws(TokenError) -> LayersRead {
        switch self {
        // No decryption begins for such a token.
        case .signed: throw .jose(.malformed(ParseFailure(.token, .parts)), layer: .signature)
        case .encrypted(let decrypter):
            let header = try Self.finished(decrypter, jwe, outcome, usedKey: &usedKey)
            return .opened(
                try jwe.plaintext.withBytes { bytes throws(TokenError) in try opened(bytes, within: header) })
        case .nested(let decrypter, let verifier):
            let header = try Self.finished(decrypter, jwe, outcome, usedKey: &usedKey)
            return try Self.within(jwe.plaintext, verifier, OuterHeader(header), with: keys?.signature)
        }
    }

    private static func finished(
        _ decrypter: JWEDecrypter, _ jwe: DecryptionJob, _ outcome: UnwrappingOutcome, usedKey: inout JWK?
    ) throws(TokenError) -> JOSEHeader {
        do throws(JOSEError) {
            let (header, key) = try decrypter.decrypt(jwe, outcome)
            if decrypter.isFollowing { usedKey = key }
            return header
        } catch {
            throw .jose(error, layer: .encryption)
        }
    }

    /// Makes the steps of `open` up to the signature for a token that was already decrypted.
    func read(
        _ plaintext: borrowing SecretBytes, decryptedFrom token: Span<UInt8>
    ) throws(TokenError) -> LayersRead {
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
        _ plaintext: borrowing SecretBytes, _ verifier: JWSVerifier, _ outer: OuterHeader,
        with keys: TakenVerificationKeys? = nil
    ) throws(TokenError) -> LayersRead {
        try plaintext.withBytes { bytes throws(TokenError) in try read(verifier, bytes, outer, with: keys) }
    }

    private static func read(
        _ verifier: JWSVerifier, _ token: Span<UInt8>, _ outer: OuterHeader?, with keys: TakenVerificationKeys?
    ) throws(TokenError) -> LayersRead {
        var job: SignatureJob
        do throws(JOSEError) { job = try verifier.job(token, with: keys) } catch {
            throw .jose(error, layer: .signature)
        }
        return job.isVerified ? .opened(try VerifiedToken(&job, within: outer)) : .pending(job, outer: outer)
    }
}

extension VerifiedToken {
    /// Creates a token from a JWS whose signature is valid, by parsing its claims.
    init(_ jws: VerifiedJWS, _ limits: ParsingLimits, within outer: OuterHeader?) throws(TokenError) {
        self.init(
            claims: try Claims(payload: jws.payload, limits: limits, layer: .signature), jws.signed, within: outer)
    }

    /// Creates a token from a JWS once its signature was verified.
    init(_ job: inout SignatureJob, within outer: OuterHeader?) throws(TokenError) {
        let limits = job.limits
        let jws: VerifiedJWS
        do throws(JOSEError) { jws = try job.finish() } catch { throw .jose(error, layer: .signature) }
        try self.init(jws, limits, within: outer)
    }
}
