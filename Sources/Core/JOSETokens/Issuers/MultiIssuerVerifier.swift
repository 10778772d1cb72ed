public import JOSE
internal import JOSEBytes

/// Verifies tokens of several issuers, each under its own policy and by its own keys. Made once from configuration, immutable,
/// shared freely.
///
/// What a token says of its issuer picks the verifier, and that asks for exactly this issuer: a token that names another's
/// issuer is judged by the other's keys. The outer header of an encrypted token may say it too (RFC 7519, 5.3); the claims must
/// then agree. Where it says nothing, the token is decrypted by the keys that all share, and the issuer within is the one
/// whose policy both layers have to meet.
public struct MultiIssuerVerifier: Sendable {
    /// A class, so that a row is lent to a token and not copied.
    final class Row: Sendable {
        let issuer: String
        let verifier: TokenVerifier
        let profile: (any TokenProfile)?
        let sharesDecryptionKeys: Bool

        init(issuer: String, verifier: TokenVerifier, profile: (any TokenProfile)?, sharesDecryptionKeys: Bool) {
            self.issuer = issuer
            self.verifier = verifier
            self.profile = profile
            self.sharesDecryptionKeys = sharesDecryptionKeys
        }
    }
    let rows: [Row]
    /// By the bytes of the issuer.
    private let places: [[UInt8]: Int]
    /// Of all rows, the widest: enough to see whose a token is.
    let limits: ParsingLimits
    /// For tokens that do not say outside whose they are; nil where no issuer's could be opened.
    let opener: JWEDecrypter?

    /// `decryptionKeys`: of one's own, for the tokens of all issuers that have none for themselves. `cache`: for all issuers' tokens
    /// that say outside whose they are; one that does not is decrypted each time. Throws `policyInvalid`.
    public init(
        _ issuers: [TrustedIssuer], decryptionKeys: any KeySource = KeySet.empty, cache: TokenCache? = nil
    ) throws(TokenError) {
        guard let first = issuers.first else { throw .policyInvalid(.emptyList) }
        var rows: [Row] = []
        var places: [[UInt8]: Int] = [:]
        var limits = first.policy.limits
        var shared: EncryptionPolicy?
        for entry in issuers {
            _ = try entry.profile?.checkedPolicy()
            guard case .exactly(let issuer) = entry.policy.claims.issuer else { throw .policyInvalid(.issuerNotExact) }
            guard places.updateValue(rows.count, forKey: Array(issuer.utf8)) == nil else {
                throw .policyInvalid(.issuerRepeated)
            }
            let verifier = try TokenVerifier(
                entry.policy, verificationKeys: entry.keys, decryptionKeys: entry.decryptionKeys ?? decryptionKeys,
                trust: entry.trust, cache: cache)
            let isSharing = entry.decryptionKeys == nil
            rows.append(
                Row(issuer: issuer, verifier: verifier, profile: entry.profile, sharesDecryptionKeys: isSharing))
            limits = limits.widened(by: entry.policy.limits)
            if isSharing, let encryption = entry.policy.encryption {
                shared = shared?.widened(by: encryption) ?? encryption.widened(by: encryption)
            }
        }
        self.rows = rows
        self.places = places
        self.limits = limits
        opener = shared.map { JWEDecrypter(keys: decryptionKeys, policy: $0) }
    }

    /// As they were given.
    public var issuers: [String] { rows.map(\.issuer) }

    /// The claims, once every layer, every claim and the profile of the token's own issuer held; else the first thing that did not.
    /// Throws `issuerUnknown` for a token of nobody here, before any key or source is asked.
    public func verify(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        var place: Int?
        return try verify(token, &place, within: nil)
    }

    /// The same of bytes in an array.
    public func verify(_ token: [UInt8]) throws(TokenError) -> VerifiedToken { try verify(token.span) }
    /// The same of a text.
    public func verify(_ token: String) throws(TokenError) -> VerifiedToken { try verify(token.utf8.span) }

    /// The same, and a token whose key is not there yet, or that finds a crowd at the limiter, waits as with `TokenVerifier`, for the
    /// source and at the limiter of its own issuer.
    public func verify(_ token: [UInt8], timeout limit: Duration) async throws -> VerifiedToken {
        var place: Int?
        var failure: TokenError
        do throws(TokenError) { return try verify(token.span, &place, within: nil) } catch { failure = error }
        let end = ContinuousClock.now + limit
        for attempt in 0... {
            if failure.isBusy {
                do {
                    return try await inTurn(at: limiter(place), until: end) { limiter throws(TokenError) in
                        try verify(token.span, &place, within: limiter)
                    }
                } catch let error as TokenError {
                    failure = error
                }
            }
            let rest = end - ContinuousClock.now
            guard attempt == 0, try await hasNewKeys(place, after: failure, timeout: rest) else { break }
            do throws(TokenError) { return try verify(token.span, &place, within: nil) } catch { failure = error }
        }
        throw failure
    }

    private func limiter(_ place: Int?) -> DecryptionLimiter? {
        place.map { rows[$0].verifier.policy.limiter } ?? opener?.policy.limiter
    }

    /// The same of a text.
    public func verify(_ token: String, timeout limit: Duration) async throws -> VerifiedToken {
        try await verify(Array(token.utf8), timeout: limit)
    }

    /// `place`: of the issuer whose verifier judged, as soon as that is known. `held`: the limiter in which the caller has a place.
    private func verify(
        _ token: Span<UInt8>, _ place: inout Int?, within held: DecryptionLimiter?
    ) throws(TokenError) -> VerifiedToken {
        guard case .named(let issuer) = try ClaimedIssuer(token, limits: limits) else {
            return try verifyHidden(token, &place, within: held)
        }
        let row = try row(issuer, &place)
        return try admitted(try row.verifier.verify(token, within: held), row)
    }

    private func verifyHidden(
        _ token: Span<UInt8>, _ place: inout Int?, within held: DecryptionLimiter?
    ) throws(TokenError) -> VerifiedToken {
        guard let opener else { throw .issuerUnknown }
        var plaintext = SecretBytes(capacity: 0)
        do throws(JOSEError) {
            _ = try opener.open(token, into: &plaintext, within: held)
        } catch {
            throw .jose(error, layer: .encryption)
        }
        let issuer = try plaintext.withBytes { bytes throws(TokenError) in
            try ClaimedIssuer.within(bytes, limits: limits)
        }
        let row = try row(issuer, &place)
        // A key that is kept for this issuer has not opened it.
        guard row.sharesDecryptionKeys else { return try admitted(try row.verifier.verify(token, within: held), row) }
        let verified = try plaintext.withBytes { bytes throws(TokenError) in
            try row.verifier.verify(bytes, decryptedFrom: token)
        }
        return try admitted(verified, row)
    }

    func row(_ issuer: [UInt8]?, _ place: inout Int?) throws(TokenError) -> Row {
        guard let found = issuer.flatMap({ places[$0] }) else { throw .issuerUnknown }
        place = found
        return rows[found]
    }

    private func admitted(_ verified: VerifiedToken, _ row: Row) throws(TokenError) -> VerifiedToken {
        try row.profile?.admit(verified, row.verifier.policy.claims)
        return verified
    }

    private func hasNewKeys(
        _ place: Int?, after failure: TokenError, timeout limit: Duration
    ) async throws -> Bool {
        if let place { return try await rows[place].verifier.hasNewKeys(after: failure, timeout: limit) }
        guard failure.mayChangeWithKeys(of: .encryption) else { return false }
        return try await opener?.source?.awaitRefresh(timeout: limit) ?? false
    }
}
