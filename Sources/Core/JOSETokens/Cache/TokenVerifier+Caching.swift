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

/// A lookup of one token.
struct CacheVisit: Sendable {
    let name: TokenName
    /// The keys with which the token is verified if it is not found.
    let keys: TakenKeys
}

extension TokenVerifier {
    /// Returns the lookup of a token; nil if nothing can be found or stored, and for a token that is rejected without a key,
    /// which is not even hashed.
    func visit(_ token: Span<UInt8>) -> CacheVisit? {
        guard let caching, layers.passesPrechecks(token), let keys = takeKeys(), let name = caching.name(token) else {
            return nil
        }
        return CacheVisit(name: name, keys: keys)
    }

    /// Returns a token that was verified before. Its claims are checked again.
    func cached(
        _ token: Span<UInt8>, _ visit: CacheVisit, _ facts: inout TokenFacts
    ) throws(TokenError) -> VerifiedToken? {
        guard let cache = caching?.cache, let outcome = cache.find(token, visit) else { return nil }
        facts.isFromCache = true
        switch outcome {
        case .refused(let error, let until):
            if let now = try? checker.now(), now < until { throw error }
            facts.isFromCache = false
            cache.discard(visit.name)
            return nil
        case .opened(let opened):
            do throws(TokenError) {
                try check(opened.token)
            } catch {
                if error.isExpiry { cache.remove(visit.name) }
                throw error
            }
            if !visit.keys.generations.encryption.isFixed, let key = opened.decryptionKey {
                source(of: .encryption)?.reportUse(of: key)
            }
            if !visit.keys.generations.signature.isFixed, let key = opened.token.key {
                source(of: .signature)?.reportUse(of: key)
            }
            return opened.token
        }
    }

    /// Stores an accepted token. `decryptionKey` is given if its source counts uses.
    func keep(
        _ text: Span<UInt8>, _ visit: CacheVisit, _ token: VerifiedToken, decryptionKey: JWK?, isHeld: Bool
    ) {
        // The validity of a certificate ends as well.
        guard let caching, token.header.json("x5c") == nil || !hasTrust, let expiration = token.claims.expiration,
            let now = try? checker.now()
        else { return }
        let end = expiration.secondsSince1970 + policy.claims.leewaySeconds
        guard end > now else { return }
        let opened = OpenedToken(token, decryptionKey: decryptionKey)
        caching.cache.insert(
            TokenEntry(visit, text, .opened(opened), end: end), isHeld: isHeld, now: now
        )
    }

    private static var refusalSeconds: Double { 60 }

    func keep(_ text: Span<UInt8>, _ visit: CacheVisit, _ failure: TokenError) {
        guard let caching, isLasting(failure, visit.keys.generations), let now = try? checker.now() else { return }
        let end = now + Self.refusalSeconds
        caching.cache.insert(TokenEntry(visit, text, .refused(failure, until: end), end: end), isHeld: false, now: now)
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

    /// Verifies a token with the cache.
    @inline(never)  // This keeps the path without a cache short.
    func opened(
        _ token: Span<UInt8>, past visit: CacheVisit, within held: DecryptionLimiter?
    ) throws(TokenError) -> VerifiedToken {
        var facts = TokenFacts()
        if let known = try cached(token, visit, &facts) { return known }
        return try open(token, toKeep: visit, within: held)
    }

    /// Verifies a token that is not in the cache, and stores the outcome.
    func open(
        _ token: Span<UInt8>, toKeep visit: CacheVisit, within held: DecryptionLimiter?
    ) throws(TokenError) -> VerifiedToken {
        var key: JWK?
        let opened: VerifiedToken
        do throws(TokenError) {
            opened = try layers.open(token, within: held, usedKey: &key, with: visit.keys)
        } catch {
            keep(token, visit, error)
            throw error
        }
        try check(opened, toKeep: visit, token, decryptionKey: key)
        return opened
    }

    /// Checks the claims of a token whose layers are valid, and stores the outcome.
    func check(
        _ opened: VerifiedToken, toKeep visit: CacheVisit, _ token: Span<UInt8>, decryptionKey: JWK?
    ) throws(TokenError) {
        do throws(TokenError) {
            try check(opened)
        } catch {
            keep(token, visit, opened, decryptionKey: decryptionKey, isHeld: false)
            throw error
        }
        keep(token, visit, opened, decryptionKey: decryptionKey, isHeld: true)
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
