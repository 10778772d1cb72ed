internal import JOSE
internal import JOSEBytes

/// An encrypted token whose keys were chosen, and whose content encryption key is decrypted together with those of others. It is
/// used by one thread at a time.
struct SealedToken: Sendable {
    let jwe: DecryptionJob
    /// The lookup in the cache, where the verifier has one.
    let visit: CacheVisit?
}

/// A token after the first steps of its verification.
enum BegunToken {
    case read(ReadToken)
    case sealed(SealedToken)
}

extension TokenVerifier {
    /// Makes the steps of `read` up to the decryption of the content encryption key, if that gains from others.
    func begin(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, _ facts: inout TokenFacts
    ) throws(TokenError) -> BegunToken {
        guard let decrypter = layers.vectorizedDecrypter else { return .read(try read(token, &scratch, &facts)) }
        let visit = caching == nil ? nil : visit(token)
        if let visit, let known = try cached(token, visit, &facts) { return .read(.opened(known)) }
        if additions?.external != nil { throw .awaitRequired }
        do throws(JOSEError) {
            return .sealed(SealedToken(jwe: try decrypter.job(token, with: visit?.keys.encryption), visit: visit))
        } catch {
            let failure = TokenError.jose(error, layer: .encryption)
            if let visit { keep(token, visit, failure) }
            throw failure
        }
    }

    /// Makes the steps of `read` after the decryption of the content encryption key.
    func resume(
        _ sealed: SealedToken, _ outcome: UnwrappingOutcome, _ facts: TokenFacts
    ) throws(TokenError) -> ReadToken {
        let text = sealed.jwe.token
        let token = text.span
        var key: JWK?
        let read: LayersRead
        do throws(TokenError) {
            read = try layers.resume(sealed.jwe, outcome, usedKey: &key, with: sealed.visit?.keys)
        } catch {
            if let visit = sealed.visit { keep(token, visit, error) }
            throw error
        }
        return try checked(read, sealed.visit, token, decryptionKey: key, facts)
    }
}

extension TokenVerifier.Layers {
    /// The decrypter, if it decrypts the keys of several tokens together.
    var vectorizedDecrypter: JWEDecrypter? {
        switch self {
        case .signed: nil
        case .encrypted(let decrypter), .nested(let decrypter, _): decrypter.isVectorized ? decrypter : nil
        }
    }
}

extension BatchEvaluator {
    /// Begins with a token. The issuer of a token that names it only inside is found by `read`.
    func begin(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, _ facts: inout TokenFacts
    ) throws(TokenError) -> BegunToken {
        guard vectorizes else { return .read(try read(token, &scratch, &facts)) }
        guard let issuers = verifier.additions?.issuers else { return try verifier.begin(token, &scratch, &facts) }
        guard let row = try issuers.named(token, &facts) else { return .read(try read(token, &scratch, &facts)) }
        return try row.verifier.begin(token, &scratch, &facts)
    }

    /// Goes on with a token after the decryption of its content encryption key.
    func resume(
        _ sealed: SealedToken, _ outcome: UnwrappingOutcome, _ facts: TokenFacts
    ) throws(TokenError) -> ReadToken {
        guard let issuers = verifier.additions?.issuers, let row = facts.row else {
            return try verifier.resume(sealed, outcome, facts)
        }
        return try issuers.rows[row].verifier.resume(sealed, outcome, facts)
    }
}
