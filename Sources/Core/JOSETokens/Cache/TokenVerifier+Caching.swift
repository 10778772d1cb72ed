internal import JOSE
internal import JOSESupport
internal import Synchronization

/// A verifier's part of a cache. Each verifier that is created has an identity of its own, whatever its policy is, so
/// that an outcome of one is never used by another.
final class TokenCaching: Sendable {
    private static let made = Atomic<UInt64>(0)

    let cache: TokenCache
    let verifier: UInt64

    init(_ cache: TokenCache) {
        self.cache = cache
        verifier = Self.made.add(1, ordering: .relaxed).newValue
    }
}

extension TokenVerifier {
    /// Returns a token that is in the cache. Its claims are checked again.
    @inline(never)  // This keeps the path without a cache short.
    func findCached(
        _ token: Span<UInt8>, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        guard let cached = try findLayers(of: token, &process) else { return nil }
        try checkToKeep(cached.token, of: token, process)
        reportUse(of: cached, process)
        return cached.token
    }

    /// Returns the layers of a token that were verified before.
    private func findLayers(of token: Span<UInt8>, _ process: inout TokenProcess) throws(TokenError) -> CachedToken? {
        prepareLookup(of: token, &process)
        guard let lookup = process.lookup, let outcome = lookup.shard.find(token, lookup.name, lookup.keys) else {
            return nil
        }
        process.origin.isFromCache = true
        switch outcome {
        case .verified(let cached): return cached
        case .rejected(let error, let until):
            if let now = try? checker.now(), now < until { throw error }
            process.origin.isFromCache = false
            lookup.shard.discard(lookup.name)
            return nil
        }
    }

    private func reportUse(of cached: CachedToken, _ process: borrowing TokenProcess) {
        if process.lookup?.keys.encryption.isFixed == false, let key = cached.decryptionKey {
            source(of: .encryption)?.reportUse(of: key)
        }
        if process.lookup?.keys.signature.isFixed == false, let key = cached.token.key {
            source(of: .signature)?.reportUse(of: key)
        }
    }

    /// Verifies the layers at once, or finds them in the cache, for a caller that checks the claims in its own way
    /// within `keeping`.
    func verifyLayers(_ token: Span<UInt8>, _ process: inout TokenProcess) throws(TokenError) -> VerifiedToken {
        if caching != nil, let cached = try findLayers(of: token, &process) {
            reportUse(of: cached, process)
            return cached.token
        }
        do throws(TokenError) { return try layers.verify(token, &process) } catch {
            throw keepingRejection(error, of: token, process)
        }
    }

    /// Takes the keys of a token and names it in the cache. There is no lookup if nothing can be found or stored, and
    /// for a token that is rejected without a key, which is not even hashed.
    func prepareLookup(of token: Span<UInt8>, _ process: inout TokenProcess) {
        process.lookup = nil
        guard let caching, layers.passesPrechecks(token), let keys = layers.takeKeys() else { return }
        let generations = TokenGenerations(
            encryption: keys.encryption?.generation ?? .none, signature: keys.signature?.generation ?? .none)
        process.lookup = caching.cache.lookup(token, verifier: caching.verifier, generations)
        process.decryptionKeys = keys.encryption
        process.signatureKeys = keys.signature
    }

    /// Checks the claims of a token whose layers are valid, and stores the outcome.
    @inline(never)  // This keeps the path without a cache short.
    func checkToKeep(
        _ token: VerifiedToken, of text: Span<UInt8>, _ process: borrowing TokenProcess
    ) throws(TokenError) {
        try keeping(token, of: text, process) { () throws(TokenError) in try check(token) }
    }

    /// Makes the checks of a token whose layers are valid, and stores the token.
    func keeping<Value>(
        _ token: VerifiedToken, of text: Span<UInt8>, _ process: borrowing TokenProcess,
        _ check: () throws(TokenError) -> Value
    ) throws(TokenError) -> Value {
        do throws(TokenError) {
            let value = try check()
            keep(token, of: text, process, nil)
            return value
        } catch {
            keep(token, of: text, process, error)
            throw error
        }
    }

    /// Stores a token whose layers are valid and whose checks have ended with an error or none, if there is a lookup.
    /// One from the cache is removed if it has expired.
    func keep(
        _ token: VerifiedToken, of text: Span<UInt8>, _ process: borrowing TokenProcess, _ error: TokenError?
    ) {
        if process.origin.isFromCache {
            if error?.isExpiry == true { process.lookup?.remove() }
            return
        }
        // The validity of a certificate ends as well.
        guard let lookup = process.lookup, token.header.json("x5c") == nil || !hasTrust,
            let expiration = token.claims.expiration, let now = try? checker.now()
        else { return }
        let end = expiration.secondsSince1970 + policy.claims.leewaySeconds
        guard end > now else { return }
        let cached = CachedToken(token, decryptionKey: process.decryptionKey)
        let entry = TokenEntry(lookup.name, lookup.keys, text, .verified(cached), end: end)
        lookup.shard.insert(entry, isValid: error == nil, now: now)
    }

    private static var rejectionSeconds: Double { 60 }

    /// Stores the error with which the layers were rejected.
    func keepRejection(_ failure: TokenError, of text: Span<UInt8>, _ lookup: CacheLookup) {
        guard isLasting(failure, lookup.keys), let now = try? checker.now() else { return }
        let end = now + Self.rejectionSeconds
        let entry = TokenEntry(lookup.name, lookup.keys, text, .rejected(failure, until: end), end: end)
        lookup.shard.insert(entry, isValid: false, now: now)
    }

    /// Returns whether the outcome cannot change with these keys, and costs more than a lookup in the cache.
    private func isLasting(_ failure: TokenError, _ keys: TokenGenerations) -> Bool {
        guard case .jose(let error, let layer) = failure else { return false }
        switch (error, layer) {
        // A key in a device may fail temporarily.
        case (.decryptionFailed, .encryption), (.decompressionFailed, .encryption): return keys.encryption.isHere
        // A source that changes is notified of each such token, because it may know newer keys.
        case (.signatureInvalid, .signature): return keys.signature.isFixed && keys.encryption.isHere && !hasTrust
        default: return false
        }
    }
}

extension TokenVerifier.Layers {
    /// Returns whether the outermost layer passes the checks that need no key operation.
    fileprivate func passesPrechecks(_ token: Span<UInt8>) -> Bool {
        switch self {
        case .signed(let verifier): verifier.passesPrechecks(token)
        case .encrypted(let decrypter), .nested(let decrypter, _): decrypter.passesPrechecks(token)
        }
    }
}

extension TokenError {
    /// Whether `exp` has passed, possibly among other failures.
    fileprivate var isExpiry: Bool {
        switch self {
        case .claim(let failure): failure == .expired
        case .claims(let failures): failures.contains(.expired)
        default: false
        }
    }
}
