internal import JOSE
internal import JOSEBytes

/// What judges the tokens of a batch: the same things that judge one.
enum BatchJudge: Sendable {
    case one(TokenVerifier, (any TokenProfile)?)
    case several(MultiIssuerVerifier)

    /// Whether a token that held has still to be admitted, one after the other in the order of the tokens.
    var admits: Bool {
        switch self {
        case .one(_, let profile): profile != nil
        case .several(let verifier): verifier.rows.contains { $0.profile != nil }
        }
    }

    /// `row`: of the verifier that judges, as soon as that is known.
    func read(
        _ token: Span<UInt8>, _ recent: inout RecentHeaders, row: inout Int
    ) throws(TokenError) -> ReadToken {
        switch self {
        case .one(let verifier, _): try verifier.layers.read(token, &recent, owner: 0)
        case .several(let verifier): try verifier.read(token, &recent, row: &row)
        }
    }

    func settled(
        _ pending: consuming PendingJWS, holds: Bool, within outer: Header?, row: Int
    ) throws(TokenError) -> VerifiedToken {
        switch self {
        case .one(let verifier, _): try verifier.layers.settled(pending, holds: holds, within: outer)
        case .several(let verifier):
            try verifier.rows[row].verifier.layers.settled(pending, holds: holds, within: outer)
        }
    }

    /// The claims, once the layers held.
    func check(_ token: borrowing VerifiedToken, row: Int) throws(TokenError) {
        switch self {
        case .one(let verifier, _):
            try verifier.checker.check(token.claims, algorithm: token.algorithm, outer: token.encryptionHeader)
        case .several(let verifier):
            try verifier.rows[row].verifier.checker.check(
                token.claims, algorithm: token.algorithm, outer: token.encryptionHeader)
        }
    }

    /// The profile's own checks and its replay store, which remembers what came first.
    func admit(_ token: VerifiedToken, row: Int) throws(TokenError) {
        switch self {
        case .one(let verifier, let profile): try profile?.admit(token, verifier.policy.claims)
        case .several(let verifier):
            let row = verifier.rows[row]
            try row.profile?.admit(token, row.verifier.policy.claims)
        }
    }
}

extension MultiIssuerVerifier {
    fileprivate func read(
        _ token: Span<UInt8>, _ recent: inout RecentHeaders, row place: inout Int
    ) throws(TokenError) -> ReadToken {
        var found: Int?
        if case .named(let issuer) = try ClaimedIssuer(token, limits: limits) {
            let row = try row(issuer, &found)
            place = found ?? 0
            return try row.verifier.layers.read(token, &recent, owner: place)
        }
        guard let opener else { throw .issuerUnknown }
        var plaintext = SecretBytes(capacity: 0)
        do throws(JOSEError) { _ = try opener.open(token, into: &plaintext) } catch {
            throw .jose(error, layer: .encryption)
        }
        let issuer = try plaintext.withBytes { bytes throws(TokenError) in
            try ClaimedIssuer.within(bytes, limits: limits)
        }
        let row = try row(issuer, &found)
        place = found ?? 0
        guard row.sharesDecryptionKeys else { return try row.verifier.layers.read(token, &recent, owner: place) }
        return try row.verifier.layers.read(plaintext, decryptedFrom: token, &recent, owner: place)
    }
}
