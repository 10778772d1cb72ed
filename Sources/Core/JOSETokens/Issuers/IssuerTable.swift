internal import JOSE
internal import JOSESupport

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
    /// The indices of the rows by the bytes of the issuer. A template has a row under its own text, which no token can
    /// name.
    private let indices: [[UInt8]: Int]
    /// The rows whose issuers are those of a template, in the order in which they were given.
    private let templates: [(matcher: IssuerMatcher, index: Int)]
    /// The widest limits of all rows, which are sufficient to read the issuer of a token.
    private let limits: ParsingLimits
    /// The decrypter for tokens whose outer header names no issuer; nil if no issuer shares the decryption keys.
    let decrypter: JWEDecrypter?

    init(
        _ issuers: [TrustedIssuer], _ decryptionKeys: any KeySource, _ externalKeys: [ExternalDecryptionKey],
        _ cache: TokenCache?
    ) throws(TokenError) {
        guard let first = issuers.first else { throw .policyInvalid(.emptyList) }
        var rows: [Row] = []
        var indices: [[UInt8]: Int] = [:]
        var templates: [(matcher: IssuerMatcher, index: Int)] = []
        var limits = first.policy.limits
        var shared: EncryptionPolicy?
        for entry in issuers {
            _ = try entry.profile?.checkedPolicy()
            guard let issuer = entry.policy.claims.issuer.configured else { throw .policyInvalid(.issuerNotExact) }
            if case .template(let template) = entry.policy.claims.issuer {
                guard let matcher = IssuerMatcher(template) else { throw .policyInvalid(.issuerTemplate) }
                templates.append((matcher, rows.count))
            }
            guard indices.updateValue(rows.count, forKey: Array(issuer.utf8)) == nil else {
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
        self.indices = indices
        self.templates = templates
        self.limits = limits
        // The keys were examined for each issuer.
        decrypter = shared.map {
            JWEDecrypter(unexaminedKeys: decryptionKeys, externalKeys: externalKeys, policy: $0)
        }
    }

    /// Returns the issuer that a token names before it is decrypted, and nil if it names none there.
    func named(_ token: Span<UInt8>, _ origin: inout TokenOrigin) throws(TokenError) -> Row? {
        guard case .named(let issuer) = try ClaimedIssuer(token, limits: limits) else { return nil }
        return try row(issuer, &origin)
    }

    /// Returns the issuer of a token, which is decrypted for that if it names none outside.
    func row(of token: Span<UInt8>) throws(TokenError) -> Row {
        var origin = TokenOrigin()
        if let row = try named(token, &origin) { return row }
        var plaintext = SecretBytes(capacity: 0)
        return try decrypt(token, into: &plaintext, &origin)
    }

    private func row(_ issuer: [UInt8]?, _ origin: inout TokenOrigin) throws(TokenError) -> Row {
        guard let issuer, let found = index(of: issuer) else { throw .issuerUnknown }
        origin.issuer = found
        return rows[found]
    }

    /// Returns the index of an issuer. One that is configured by itself is preferred to a template that matches it.
    private func index(of issuer: [UInt8]) -> Int? {
        indices[issuer] ?? templates.first { $0.matcher.matches(issuer.span) }?.index
    }

    /// Decrypts a token with the shared keys, and returns the issuer that it names inside. `entered` is the limiter in
    /// which the caller has a slot already.
    private func decrypt(
        _ token: Span<UInt8>, into plaintext: inout SecretBytes, _ origin: inout TokenOrigin,
        within entered: DecryptionLimiter? = nil
    ) throws(TokenError) -> Row {
        guard let decrypter else { throw .issuerUnknown }
        _ = try inLayer(.encryption, decrypter.decrypt(token, into: &plaintext, within: entered))
        return try row(within: plaintext, &origin)
    }

    private func row(
        within plaintext: borrowing SecretBytes, _ origin: inout TokenOrigin
    ) throws(TokenError) -> Row {
        let issuer = try plaintext.withBytes { bytes throws(TokenError) in
            try ClaimedIssuer.within(bytes, limits: limits)
        }
        return try row(issuer, &origin)
    }
}

/// The steps of a verification, with the choice of the issuer.
extension IssuerTable {
    /// Verifies the layers and checks the claims under the policy of the token's issuer, at once.
    func verifyLayersAndClaims(
        _ token: Span<UInt8>, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken {
        if let row = try named(token, &process.origin) {
            return try row.verifier.verifyLayersAndClaims(token, &process)
        }
        var plaintext = SecretBytes(capacity: 0)
        let row = try decrypt(token, into: &plaintext, &process.origin, within: process.entered)
        // This issuer has a decryption key of its own, and another key has decrypted the token.
        guard row.sharesDecryptionKeys else { return try row.verifier.verifyLayersAndClaims(token, &process) }
        let outer = try row.verifier.layers.checkedHeader(of: token, plaintextCount: plaintext.count)
        let verified = try row.verifier.layers.verifyContent(plaintext, within: outer)
        try row.verifier.check(verified)
        return verified
    }

    /// Takes the steps up to the first that is done together with those of other tokens. Returns the token if there is
    /// none.
    func begin(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        if let row = try named(token, &process.origin) { return try row.verifier.begin(token, &scratch, &process) }
        let row = try decrypt(token, into: &scratch, &process.origin, within: process.entered)
        guard row.sharesDecryptionKeys else { return try row.verifier.begin(token, &scratch, &process) }
        let outer = try row.verifier.layers.checkedHeader(of: token, plaintextCount: scratch.count)
        guard let verified = try row.verifier.layers.beginContent(scratch, within: outer, &process) else { return nil }
        try row.verifier.check(verified)
        return verified
    }

    /// Decrypts a token that names no issuer outside with the shared external keys, and verifies what it contains.
    func verifyExternally(
        _ token: [UInt8], _ process: inout TokenProcess, _ wait: TokenWait
    ) async throws(TokenError) -> VerifiedToken {
        guard let decrypter, decrypter.awaitsKeys else { throw .awaitRequired }
        var plaintext = SecretBytes(capacity: 0)
        _ = try await decrypter.decrypt(token, into: &plaintext, wait)
        let row = try row(within: plaintext, &process.origin)
        guard row.sharesDecryptionKeys else { return try await row.verifier.verify(token, &process, wait) }
        let outer = try row.verifier.layers.checkedHeader(of: token.span, plaintextCount: plaintext.count)
        let verified = try await row.verifier.verifyContent(plaintext, within: outer, wait)
        try row.verifier.check(verified)
        return verified
    }
}
