internal import JOSE
internal import JOSEBytes

/// The verifiers of a batch, which are those that verify single tokens. It is a class so that they are passed to each token
/// without being copied.
final class BatchEvaluator: Sendable {
    /// The verifier of the single issuer, or of the first of several. It is not an optional, because a value taken out of an
    /// optional is copied.
    private let one: TokenVerifier
    private let several: MultiIssuerVerifier?
    private let isSeveral: Bool
    private let profile: (any TokenProfile)?
    /// Whether valid tokens must also be admitted by a profile, in the order of the tokens.
    let admits: Bool
    /// Whether a signature may be of an algorithm that is faster to verify with others.
    let gathers: Bool
    /// Whether a token may be encrypted.
    let decrypts: Bool
    /// Whether the issuer of a token may be known only after its decryption. Such a token is verified by `read` and never by
    /// `verify`.
    var hidesIssuers: Bool { isSeveral && decrypts }

    init(_ verifier: TokenVerifier, _ profile: (any TokenProfile)? = nil) {
        one = verifier
        several = nil
        isSeveral = false
        self.profile = profile
        admits = profile != nil
        gathers = verifier.layers.gathers
        decrypts = verifier.layers.decrypts
    }

    /// Creates the evaluator for a verifier of at least one issuer.
    init(_ verifier: MultiIssuerVerifier) {
        one = verifier.rows[0].verifier
        several = verifier
        isSeveral = true
        profile = nil
        admits = verifier.rows.contains { $0.profile != nil }
        gathers = verifier.rows.contains { $0.verifier.layers.gathers }
        decrypts = verifier.rows.contains { $0.verifier.layers.decrypts }
    }

    /// Verifies one token by itself. Requires `!hidesIssuers`, because a token without an issuer in a readable part is rejected
    /// here.
    func verify(_ token: [UInt8]) throws(TokenError) -> VerifiedToken {
        var row = 0
        let bytes = token.span
        let opened = try open(bytes, row: &row)
        try check(opened, row: row)
        if admits { try admit(opened, row: row) }
        return opened
    }

    private func open(_ token: Span<UInt8>, row: inout Int) throws(TokenError) -> VerifiedToken {
        guard isSeveral, let several else { return try one.open(token) }
        return try several.open(token, row: &row)
    }

    /// Reads a token up to its signature.
    ///
    /// - Parameters:
    ///   - scratch: The buffer into which the token is decrypted.
    ///   - row: Receives the index of the verifier, as soon as it is known.
    func read(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, row: inout Int
    ) throws(TokenError) -> ReadToken {
        guard isSeveral, let several else { return try one.layers.read(token, &scratch) }
        return try several.read(token, &scratch, row: &row)
    }

    /// Checks the claims of a token whose layers are valid.
    func check(_ token: borrowing VerifiedToken, row: Int) throws(TokenError) {
        guard isSeveral, let several else {
            return try one.checker.check(token.claims, algorithm: token.algorithm, outer: token.encryptionHeader)
        }
        try several.rows[row].verifier.checker.check(
            token.claims, algorithm: token.algorithm, outer: token.encryptionHeader)
    }

    /// Makes the profile's own checks and marks tokens as used in its replay store, in the order of the tokens.
    func admit(_ results: inout BatchResult) {
        guard admits else { return }
        for place in results.tokens.indices {
            guard case .success(let token) = results.tokens[place] else { continue }
            do throws(TokenError) { try admit(token, row: results.rows[place]) } catch {
                results.tokens[place] = .failure(error)
            }
        }
    }

    func admit(_ token: VerifiedToken, row: Int) throws(TokenError) {
        if let several {
            let row = several.rows[row]
            try row.profile?.admit(token, row.verifier.policy.claims)
        } else {
            try profile?.admit(token, one.policy.claims)
        }
    }
}

extension TokenVerifier.Layers {
    fileprivate var decrypts: Bool {
        switch self {
        case .signed: false
        case .encrypted, .nested: true
        }
    }

    fileprivate var gathers: Bool {
        switch self {
        case .encrypted: false
        case .signed(let verifier), .nested(_, let verifier): verifier.policy.algorithms.contains { $0.isRSA }
        }
    }
}

extension SignatureAlgorithm {
    fileprivate var isRSA: Bool {
        [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512].contains(self)
    }
}

extension MultiIssuerVerifier {
    /// Opens a token that names its issuer in its claims or its outer header. If no issuer's tokens are encrypted, every valid
    /// token does; otherwise `read` also accepts those that do not.
    fileprivate func open(_ token: Span<UInt8>, row place: inout Int) throws(TokenError) -> VerifiedToken {
        guard case .named(let issuer) = try ClaimedIssuer(token, limits: limits) else { throw .issuerUnknown }
        var found: Int?
        let row = try row(issuer, &found)
        place = found ?? 0
        return try row.verifier.open(token)
    }

    fileprivate func read(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, row place: inout Int
    ) throws(TokenError) -> ReadToken {
        var found: Int?
        if case .named(let issuer) = try ClaimedIssuer(token, limits: limits) {
            let row = try row(issuer, &found)
            place = found ?? 0
            return try row.verifier.layers.read(token, &scratch)
        }
        guard let opener else { throw .issuerUnknown }
        do throws(JOSEError) { _ = try opener.open(token, into: &scratch) } catch {
            throw .jose(error, layer: .encryption)
        }
        let issuer = try scratch.withBytes { bytes throws(TokenError) in
            try ClaimedIssuer.within(bytes, limits: limits)
        }
        let row = try row(issuer, &found)
        place = found ?? 0
        guard row.sharesDecryptionKeys else {
            return try row.verifier.layers.read(token, &scratch)
        }
        return try row.verifier.layers.read(scratch, decryptedFrom: token)
    }
}
