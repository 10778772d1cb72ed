internal import JOSE
internal import JOSEBytes

/// The issuers of a verifier, each with a verifier of its own.
final class IssuerTable: Sendable {
    /// An issuer with its verifier. It is a class, so that it is passed to a token without being copied.
    final class Row: Sendable {
        let issuer: String
        let verifier: TokenVerifier
        let sharesDecryptionKeys: Bool

        init(issuer: String, verifier: TokenVerifier, sharesDecryptionKeys: Bool) {
            self.issuer = issuer
            self.verifier = verifier
            self.sharesDecryptionKeys = sharesDecryptionKeys
        }
    }
    /// The issuers in the order in which they were given; there is at least one.
    let rows: [Row]
    /// The indices of the rows by the bytes of the issuer. A template has a row under its own text, which no token can name.
    private let places: [[UInt8]: Int]
    /// The rows whose issuers are those of a template, in the order in which they were given.
    private let templates: [(matcher: IssuerMatcher, place: Int)]
    /// The widest limits of all rows, which are sufficient to read the issuer of a token.
    private let limits: ParsingLimits
    /// The decrypter for tokens whose outer header names no issuer; nil if no issuer shares the decryption keys.
    let opener: JWEDecrypter?
    /// The decrypter with the shared external keys, which then takes the place of `opener`.
    private let externalOpener: ExternalKeyDecrypter?

    init(
        _ issuers: [TrustedIssuer], _ decryptionKeys: any KeySource, _ externalKeys: [ExternalDecryptionKey],
        _ cache: TokenCache?
    ) throws(TokenError) {
        guard let first = issuers.first else { throw .policyInvalid(.emptyList) }
        var rows: [Row] = []
        var places: [[UInt8]: Int] = [:]
        var templates: [(matcher: IssuerMatcher, place: Int)] = []
        var limits = first.policy.limits
        var shared: EncryptionPolicy?
        for entry in issuers {
            _ = try entry.profile?.checkedPolicy()
            guard let issuer = entry.policy.claims.issuer.configured else { throw .policyInvalid(.issuerNotExact) }
            if case .template(let template) = entry.policy.claims.issuer {
                guard let matcher = IssuerMatcher(template) else { throw .policyInvalid(.issuerTemplate) }
                templates.append((matcher, rows.count))
            }
            guard places.updateValue(rows.count, forKey: Array(issuer.utf8)) == nil else {
                throw .policyInvalid(.issuerRepeated)
            }
            let isSharing = entry.decryptionKeys == nil && entry.externalKeys.isEmpty
            // An issuer whose tokens are not encrypted has no use for the shared keys.
            let external = isSharing && entry.policy.encryption != nil ? externalKeys : entry.externalKeys
            let keys = VerifierKeys(
                entry.keys, entry.decryptionKeys ?? (isSharing ? decryptionKeys : KeySet.empty), external, entry.trust)
            let verifier = try TokenVerifier(entry.policy, entry.profile, keys, cache, nil)
            rows.append(Row(issuer: issuer, verifier: verifier, sharesDecryptionKeys: isSharing))
            limits = limits.widened(by: entry.policy.limits)
            if isSharing, let encryption = entry.policy.encryption {
                shared = shared?.widened(by: encryption) ?? encryption.widened(by: encryption)
            }
        }
        self.rows = rows
        self.places = places
        self.templates = templates
        self.limits = limits
        opener = shared.map { JWEDecrypter(unexaminedKeys: decryptionKeys, policy: $0) }
        externalOpener = try shared.flatMap { policy throws(TokenError) in
            try VerifierKeys(KeySet.empty, decryptionKeys, externalKeys, nil).externalDecrypter(policy)
        }
    }

    /// Returns the issuer that a token names before it is decrypted, and nil if it names none there.
    func named(_ token: Span<UInt8>, _ facts: inout TokenFacts) throws(TokenError) -> Row? {
        guard case .named(let issuer) = try ClaimedIssuer(token, limits: limits) else { return nil }
        return try row(issuer, &facts)
    }

    /// Returns the issuer of a token, which is decrypted for that if it names none outside.
    func row(of token: Span<UInt8>) throws(TokenError) -> Row {
        var facts = TokenFacts()
        if let row = try named(token, &facts) { return row }
        var plaintext = SecretBytes(capacity: 0)
        return try decrypt(token, into: &plaintext, &facts, within: nil)
    }

    private func row(_ issuer: [UInt8]?, _ facts: inout TokenFacts) throws(TokenError) -> Row {
        guard let issuer, let found = place(of: issuer) else { throw .issuerUnknown }
        facts.row = found
        return rows[found]
    }

    /// Returns the row of an issuer. One that is configured by itself is preferred to a template that matches it.
    private func place(of issuer: [UInt8]) -> Int? {
        places[issuer] ?? templates.first { $0.matcher.matches(issuer.span) }?.place
    }

    /// Verifies the layers and checks the claims under the policy of the token's issuer.
    func opened(
        _ token: Span<UInt8>, _ facts: inout TokenFacts, within held: DecryptionLimiter?
    ) throws(TokenError) -> VerifiedToken {
        if let row = try named(token, &facts) { return try row.verifier.openedHere(token, &facts, within: held) }
        var plaintext = SecretBytes(capacity: 0)
        let row = try decrypt(token, into: &plaintext, &facts, within: held)
        // This issuer has a decryption key of its own, and another key has decrypted the token.
        guard row.sharesDecryptionKeys else { return try row.verifier.openedHere(token, &facts, within: held) }
        return try plaintext.withBytes { bytes throws(TokenError) in
            try row.verifier.opened(bytes, decryptedFrom: token)
        }
    }

    /// Decrypts a token with the shared keys, and returns the issuer that it names inside.
    func decrypt(
        _ token: Span<UInt8>, into plaintext: inout SecretBytes, _ facts: inout TokenFacts,
        within held: DecryptionLimiter?
    ) throws(TokenError) -> Row {
        guard externalOpener == nil else { throw .awaitRequired }
        guard let opener else { throw .issuerUnknown }
        do throws(JOSEError) {
            _ = try opener.decrypt(token, into: &plaintext, within: held)
        } catch {
            throw .jose(error, layer: .encryption)
        }
        return try within(plaintext, &facts)
    }

    private func within(_ plaintext: borrowing SecretBytes, _ facts: inout TokenFacts) throws(TokenError) -> Row {
        let issuer = try plaintext.withBytes { bytes throws(TokenError) in
            try ClaimedIssuer.within(bytes, limits: limits)
        }
        return try row(issuer, &facts)
    }

    /// Decrypts a token that names no issuer outside with the shared external keys.
    func openedExternally(
        _ token: [UInt8], _ facts: inout TokenFacts, until end: ContinuousClock.Instant?
    ) async throws(TokenError) -> VerifiedToken {
        guard let externalOpener else { throw .awaitRequired }
        var plaintext = SecretBytes(capacity: 0)
        do throws(JOSEError) {
            _ = try await externalOpener.decrypt(token, into: &plaintext, timeout: end.map { $0 - ContinuousClock.now })
        } catch {
            throw TokenError(awaited: error, .encryption)
        }
        let row = try within(plaintext, &facts)
        guard row.sharesDecryptionKeys else {
            do throws(TokenError) {
                return try row.verifier.openedHere(token.span, &facts, within: nil)
            } catch {
                guard error == .awaitRequired else { throw error }
                return try await row.verifier.openedExternallyHere(token, until: end)
            }
        }
        do throws(TokenError) {
            return try plaintext.withBytes { bytes throws(TokenError) in
                try row.verifier.opened(bytes, decryptedFrom: token.span)
            }
        } catch {
            guard try await row.verifier.hasNewKeys(after: error, until: end) else {
                throw error
            }
            return try plaintext.withBytes { bytes throws(TokenError) in
                try row.verifier.opened(bytes, decryptedFrom: token.span)
            }
        }
    }
}
