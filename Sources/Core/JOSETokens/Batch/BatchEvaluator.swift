internal import JOSE
internal import JOSEBytes

/// What judges the tokens of a batch: the same things that judge one. A class, so that its verifiers are lent to each token and
/// not copied.
final class BatchEvaluator: Sendable {
    /// Of the one issuer, or the first of several. Not an optional: what is taken out of one is copied.
    private let one: TokenVerifier
    private let several: MultiIssuerVerifier?
    private let isSeveral: Bool
    private let profile: (any TokenProfile)?
    /// Whether a token that held has still to be admitted, one after the other in the order of the tokens.
    let admits: Bool
    /// Whether a signature may be of a kind that gains by being verified with others.
    let gathers: Bool
    /// Whether a token may be encrypted.
    let decrypts: Bool
    /// Whether the issuer of a token may be known only after its decryption. Such a token is verified by `read`, never by `verify`.
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

    /// It has one issuer at least.
    init(_ verifier: MultiIssuerVerifier) {
        one = verifier.rows[0].verifier
        several = verifier
        isSeveral = true
        profile = nil
        admits = verifier.rows.contains { $0.profile != nil }
        gathers = verifier.rows.contains { $0.verifier.layers.gathers }
        decrypts = verifier.rows.contains { $0.verifier.layers.decrypts }
    }

    /// Verifies one token by itself. Requires `!hidesIssuers`: a token that names no issuer outside is rejected here.
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

    /// `scratch`: where a token is decrypted. `row`: of the verifier that judges, as soon as that is known.
    func read(
        _ token: Span<UInt8>, _ recent: inout RecentHeaders, _ scratch: inout SecretBytes, row: inout Int
    ) throws(TokenError) -> ReadToken {
        guard isSeveral, let several else { return try one.layers.read(token, &recent, &scratch, owner: 0) }
        return try several.read(token, &recent, &scratch, row: &row)
    }

    /// The claims, once the layers held.
    func check(_ token: borrowing VerifiedToken, row: Int) throws(TokenError) {
        guard isSeveral, let several else {
            return try one.checker.check(token.claims, algorithm: token.algorithm, outer: token.encryptionHeader)
        }
        try several.rows[row].verifier.checker.check(
            token.claims, algorithm: token.algorithm, outer: token.encryptionHeader)
    }

    /// The profile's own checks and its replay store, which remembers what came first: in the order of the tokens, of all
    /// batches.
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
    /// Opens a token that names its issuer in its claims or its outer header. Where no issuer's tokens are encrypted, every valid
    /// token does; elsewhere `read` also takes those that do not.
    fileprivate func open(_ token: Span<UInt8>, row place: inout Int) throws(TokenError) -> VerifiedToken {
        guard case .named(let issuer) = try ClaimedIssuer(token, limits: limits) else { throw .issuerUnknown }
        var found: Int?
        let row = try row(issuer, &found)
        place = found ?? 0
        return try row.verifier.open(token)
    }

    fileprivate func read(
        _ token: Span<UInt8>, _ recent: inout RecentHeaders, _ scratch: inout SecretBytes, row place: inout Int
    ) throws(TokenError) -> ReadToken {
        var found: Int?
        if case .named(let issuer) = try ClaimedIssuer(token, limits: limits) {
            let row = try row(issuer, &found)
            place = found ?? 0
            return try row.verifier.layers.read(token, &recent, &scratch, owner: place)
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
            return try row.verifier.layers.read(token, &recent, &scratch, owner: place)
        }
        return try row.verifier.layers.read(scratch, decryptedFrom: token, &recent, owner: place)
    }
}
