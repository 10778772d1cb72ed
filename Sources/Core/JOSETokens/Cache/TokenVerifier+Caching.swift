internal import JOSE
internal import JOSEBytes
internal import Synchronization

/// A verifier's part of a cache. Each verifier that is created has an identity of its own, whatever its policy is, so that an
/// outcome of one is never used by another.
final class TokenCaching: Sendable {
    private static let made = Atomic<UInt64>(0)

    let cache: TokenCache
    let verifier: UInt64

    init(_ cache: TokenCache) {
        self.cache = cache
        verifier = Self.made.add(1, ordering: .relaxed).newValue
    }

    func name(_ token: Span<UInt8>) -> TokenName? { cache.name(token, verifier: verifier) }
}

extension TokenVerifier {
    /// Returns a token that was verified before, if the verifier has a cache. Its claims are checked again.
    @inline(__always)
    func find(_ token: Span<UInt8>, _ process: inout TokenProcess) throws(TokenError) -> VerifiedToken? {
        guard caching != nil else { return nil }
        return try findCached(token, &process)
    }

    @inline(never)  // This keeps the path without a cache short.
    private func findCached(
        _ token: Span<UInt8>, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        guard let cached = try findLayers(of: token, &process) else { return nil }
        do throws(TokenError) {
            try check(cached.token)
        } catch {
            if error.isExpiry, let lookup = process.lookup { caching?.cache.remove(lookup.name) }
            throw error
        }
        reportUse(of: cached, process)
        return cached.token
    }

    /// Returns the layers of a token that were verified before.
    private func findLayers(of token: Span<UInt8>, _ process: inout TokenProcess) throws(TokenError) -> CachedToken? {
        prepareLookup(of: token, &process)
        guard let lookup = process.lookup, let cache = caching?.cache,
            let outcome = cache.find(token, lookup.name, lookup.keys)
        else { return nil }
        process.origin.isFromCache = true
        switch outcome {
        case .verified(let cached): return cached
        case .rejected(let error, let until):
            if let now = try? checker.now(), now < until { throw error }
            process.origin.isFromCache = false
            cache.discard(lookup.name)
            return nil
        }
    }

    private func reportUse(of cached: CachedToken, _ process: borrowing TokenProcess) {
        guard let lookup = process.lookup else { return }
        if !lookup.keys.encryption.isFixed, let key = cached.decryptionKey {
            source(of: .encryption)?.reportUse(of: key)
        }
        if !lookup.keys.signature.isFixed, let key = cached.token.key {
            source(of: .signature)?.reportUse(of: key)
        }
    }

    /// Verifies the layers at once, or finds them in the cache, for a caller that checks the claims in its own way, and then calls
    /// `keep` for a token that was not in the cache.
    func verifyLayers(_ token: Span<UInt8>, _ process: inout TokenProcess) throws(TokenError) -> VerifiedToken {
        if caching != nil, let cached = try findLayers(of: token, &process) {
            reportUse(of: cached, process)
            return cached.token
        }
        do throws(TokenError) {
            return try layers.verify(token, &process)
        } catch {
            keepRejection(error, of: token, process)
            throw error
        }
    }

    /// Takes the keys of a token and names it in the cache. There is no lookup if nothing can be found or stored, and for a token that
    /// is rejected without a key, which is not even hashed.
    func prepareLookup(of token: Span<UInt8>, _ process: inout TokenProcess) {
        process.lookup = nil
        guard let caching, layers.passesPrechecks(token), let keys = layers.takeKeys() else { return }
        var encryption: KeyGeneration = keys.encryption?.generation ?? .none
        if let external = additions?.external {
            // The generation of the keys that are tried with those outside the process takes the place of an empty set's.
            guard let generation = external.generation else { return }
            encryption = generation
        }
        guard let name = caching.name(token) else { return }
        process.lookup = (
            name, TokenGenerations(encryption: encryption, signature: keys.signature?.generation ?? .none)
        )
        process.decryptionKeys = keys.encryption
        process.signatureKeys = keys.signature
    }

    /// Checks the claims of a token whose layers are valid, and stores the outcome.
    @inline(never)  // This keeps the path without a cache short.
    func checkToKeep(
        _ token: VerifiedToken, of text: Span<UInt8>, _ process: borrowing TokenProcess
    ) throws(TokenError) {
        do throws(TokenError) {
            try check(token)
        } catch {
            keep(token, of: text, process, isAccepted: false)
            throw error
        }
        keep(token, of: text, process, isAccepted: true)
    }

    /// Stores a token whose layers are valid, if there is a lookup.
    func keep(
        _ token: VerifiedToken, of text: Span<UInt8>, _ process: borrowing TokenProcess, isAccepted: Bool
    ) {
        // The validity of a certificate ends as well.
        guard let caching, let lookup = process.lookup, token.header.json("x5c") == nil || !hasTrust,
            let expiration = token.claims.expiration, let now = try? checker.now()
        else { return }
        let end = expiration.secondsSince1970 + policy.claims.leewaySeconds
        guard end > now else { return }
        let cached = CachedToken(token, decryptionKey: process.decryptionKey)
        caching.cache.insert(
            TokenEntry(lookup.name, lookup.keys, text, .verified(cached), end: end), isAccepted: isAccepted, now: now)
    }

    private static var rejectionSeconds: Double { 60 }

    /// Stores the error with which the layers were rejected, if there is a lookup.
    func keepRejection(_ failure: TokenError, of text: Span<UInt8>, _ process: borrowing TokenProcess) {
        guard let caching, let lookup = process.lookup, isLasting(failure, lookup.keys),
            let now = try? checker.now()
        else { return }
        let end = now + Self.rejectionSeconds
        caching.cache.insert(
            TokenEntry(lookup.name, lookup.keys, text, .rejected(failure, until: end), end: end), isAccepted: false,
            now: now)
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
