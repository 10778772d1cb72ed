public import JOSE
internal import JOSEBytes

/// Verifies tokens of several issuers, each under its own policy and with its own keys.
///
/// The `iss` of a token selects the policy and the keys, and the policy requires exactly this issuer: a token is never
/// verified with the keys of an issuer other than the one that it names. The outer header of an encrypted token may
/// contain `iss` as well (RFC 7519, 5.3), which must then equal that of the claims. If it does not, the token is
/// decrypted with the keys that the issuers share, and both layers must meet the policy of the issuer in the claims. A
/// verifier is created once, is immutable and can be shared between tasks.
public struct MultiIssuerVerifier: Sendable {
    /// An issuer with its verifier. It is a class, so that it is passed to a token without being copied.
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
    /// The indices of the rows by the bytes of the issuer.
    private let places: [[UInt8]: Int]
    /// The widest limits of all rows, which are sufficient to read the issuer of a token.
    let limits: ParsingLimits
    /// The decrypter for tokens whose outer header names no issuer; nil if no issuer shares the decryption keys.
    let opener: JWEDecrypter?

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - issuers: At least one issuer. The policy of each must name its issuer with `.exactly`, and no two may name
    ///     the same.
    ///   - decryptionKeys: The keys that decrypt the tokens of every issuer without decryption keys of its own.
    ///   - cache: The cache of verified tokens. A token whose issuer is readable only after decryption is not cached.
    /// - Throws: `policyInvalid`.
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

    /// The names of the issuers, in the order in which they were given.
    public var issuers: [String] { rows.map(\.issuer) }

    /// Verifies the token, given as a span of ASCII bytes, and returns its claims.
    ///
    /// - Parameter token: The compact serialization, in ASCII.
    /// - Returns: The verified token, which meets the policy and the profile of its issuer.
    /// - Throws: The error of the first check that failed. A token of an issuer that is not configured is rejected with
    ///   `issuerUnknown`, before a key is looked up.
    public func verify(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        var place: Int?
        return try verify(token, &place, within: nil)
    }

    /// Verifies the token, given as bytes, and returns its claims.
    ///
    /// - Parameter token: The compact serialization, in ASCII.
    /// - Returns: The verified token, which meets the policy and the profile of its issuer.
    /// - Throws: The error of the first check that failed. A token of an issuer that is not configured is rejected with
    ///   `issuerUnknown`, before a key is looked up.
    public func verify(_ token: [UInt8]) throws(TokenError) -> VerifiedToken { try verify(token.span) }
    /// Verifies the token and returns its claims.
    ///
    /// - Parameter token: The compact serialization.
    /// - Returns: The verified token, which meets the policy and the profile of its issuer.
    /// - Throws: The error of the first check that failed. A token of an issuer that is not configured is rejected with
    ///   `issuerUnknown`, before a key is looked up.
    public func verify(_ token: String) throws(TokenError) -> VerifiedToken { try verify(token.utf8.span) }

    /// Verifies the token, given as bytes, and waits, if necessary, until its key is fetched and the decryption limiter
    /// of its issuer has a free slot.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, in ASCII.
    ///   - limit: The longest time to wait, for the key and the limiter together.
    /// - Returns: The verified token.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled while it waited.
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

    /// Verifies the token and waits, if necessary, until its key is fetched and the decryption limiter of its issuer
    /// has a free slot.
    ///
    /// - Parameters:
    ///   - token: The compact serialization.
    ///   - limit: The longest time to wait, for the key and the limiter together.
    /// - Returns: The verified token.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled while it waited.
    public func verify(_ token: String, timeout limit: Duration) async throws -> VerifiedToken {
        try await verify(Array(token.utf8), timeout: limit)
    }

    /// Verifies the token. `place` receives the index of the issuer as soon as it is known, and `held` is the limiter in which
    /// the caller already has a slot.
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
        // This issuer has a decryption key of its own, and another key has decrypted the token.
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
