internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

/// One check of a token's claims. A profile lists them in the order of its specification.
struct ClaimCheck: Sendable {
    let run: @Sendable (LoginCheck) throws(RelyingPartyError.Reason) -> Void

    init(_ run: @escaping @Sendable (LoginCheck) throws(RelyingPartyError.Reason) -> Void) { self.run = run }
}

/// What is at hand when a token's claims are checked.
struct LoginCheck: Sendable {
    /// What the signature, or the connection, holds to its issuer.
    let claims: Claims
    /// Nil for userinfo as JSON.
    let token: VerifiedToken?
    let transaction: LoginTransaction
    let clientID: String
    let issuer: String
    /// By the relying party's clock.
    let now: Double
    let leeway: Double
    let response: TokenResponse?
    /// That was exchanged.
    let code: String?
    let isProduction: Bool
}

extension LoginCheck {
    /// A string, or nil where it is absent.
    func text(_ name: ClaimName) throws(RelyingPartyError.Reason) -> String? {
        guard claims.contains(name.description) else { return nil }
        guard let text = claims.string(name.description) else { throw .claimType(name) }
        return text
    }

    /// Seconds since 1970, or nil where it is absent. Never a text, nothing negative, nothing that no Double can tell from its
    /// neighbours.
    func time(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Double? {
        guard claims.contains(name.description) else { return nil }
        guard let time = claims.number(name.description), time >= 0, time <= 0x1p53 else { throw .claimType(name) }
        return time
    }

    /// The same that must be there.
    func requiredTime(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Double {
        guard let time = try time(name) else { throw .claimMissing(name) }
        return time
    }
}

extension ClaimCheck {
    /// Byte for byte that of the provider that was asked.
    static let issuer = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let issuer = check.claims.issuer, sameBytes(issuer, check.issuer) else { throw .issuerMismatch }
    }

    /// `aud` is the client or holds it. `trusted`: which others it may hold (threat R09); nil: any.
    static func audience(trusted: [String]?) -> ClaimCheck {
        ClaimCheck { check throws(RelyingPartyError.Reason) in
            let audience = check.claims.audience
            guard audience.contains(where: { sameBytes($0, check.clientID) }) else { throw .audienceMismatch }
            guard let trusted else { return }
            for one in audience where !sameBytes(one, check.clientID) {
                guard trusted.contains(where: { sameBytes($0, one) }) else { throw .audienceMismatch }
            }
        }
    }

    /// Where it is there it is the client; with several audiences it must be there.
    static let authorizedParty = ClaimCheck { check throws(RelyingPartyError.Reason) in
        try requireParty(check, whenSeveral: true)
    }

    /// Where it is there it is the client.
    static let authorizedPartyIfThere = ClaimCheck { check throws(RelyingPartyError.Reason) in
        try requireParty(check, whenSeveral: false)
    }

    private static func requireParty(_ check: LoginCheck, whenSeveral: Bool) throws(RelyingPartyError.Reason) {
        guard check.claims.contains("azp") else {
            if whenSeveral, check.claims.audience.count > 1 { throw .authorizedPartyMismatch }
            return
        }
        guard let party = check.claims.string("azp"), sameBytes(party, check.clientID) else {
            throw .authorizedPartyMismatch
        }
    }

    /// `exp`, which must be there.
    static let expiration = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard check.now < (try check.requiredTime("exp")) + check.leeway else { throw .expired }
    }

    /// `nbf`, where it is there.
    static let notBefore = ClaimCheck { check throws(RelyingPartyError.Reason) in
        if let time = try check.time("nbf"), time > check.now + check.leeway { throw .notYetValid }
    }

    /// `iat`, which must be there.
    static let issuedAt = issuedAt(.issuedInFuture)

    /// The same under another name.
    static func issuedAt(_ failure: RelyingPartyError.Reason) -> ClaimCheck {
        ClaimCheck { check throws(RelyingPartyError.Reason) in
            if try check.requiredTime("iat") > check.now + check.leeway { throw failure }
        }
    }

    /// The one that was sent, compared in constant time.
    static let nonce = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let nonce = check.claims.string("nonce"),
            constantTimeEquals(nonce.utf8.span, check.transaction.nonce.utf8.span)
        else { throw .nonceMismatch }
    }

    /// One of those that were asked for, where any were: absence is no level at all (threat R20).
    static let acrIfRequested = ClaimCheck { check throws(RelyingPartyError.Reason) in
        for wanted in [check.transaction.acrValues, check.transaction.essentialACRs] {
            guard let wanted, !wanted.isEmpty else { continue }
            guard let acr = try check.text("acr"), wanted.contains(where: { sameBytes($0, acr) }) else {
                throw .acrTooLow
            }
        }
        guard check.transaction.essentialACRs == nil || check.claims.contains("acr") else { throw .acrTooLow }
    }

    /// At least the rank that was asked for; nil from `rank` is no level that is known. `absent`: the rank of a token without
    /// `acr`.
    static func acr(absent: Int, rank: @escaping @Sendable (String) -> Int?) -> ClaimCheck {
        ClaimCheck { check throws(RelyingPartyError.Reason) in
            let wanted = check.transaction.acrValues.compactMap(rank).max() ?? 0
            let given = try check.text("acr").map { rank($0) ?? Int.min } ?? absent
            guard given >= wanted else { throw .acrTooLow }
            guard let essential = check.transaction.essentialACRs else { return }
            guard let text = try check.text("acr") else { throw .acrTooLow }
            let holds = essential.contains { one in
                sameBytes(one, text) || rank(one).map { $0 <= given } == true
            }
            guard holds || essential.isEmpty else { throw .acrTooLow }
        }
    }

    /// `at_hash`, where it is there (OpenID Connect Core, 3.1.3.8).
    static let accessTokenHash = ClaimCheck { check throws(RelyingPartyError.Reason) in
        try requireHash("at_hash", of: check.response?.accessToken, check)
    }

    /// `c_hash`, where it is there (OpenID Connect Core, 3.3.2.11).
    static let codeHash = ClaimCheck { check throws(RelyingPartyError.Reason) in
        try requireHash("c_hash", of: check.code, check)
    }

    private static func requireHash(
        _ name: ClaimName, of value: String?, _ check: LoginCheck
    ) throws(RelyingPartyError.Reason) {
        guard let value, check.claims.contains(name.description) else { return }
        guard let hash = check.claims.string(name.description),
            let wanted = try? check.token?.algorithm?.tokenHash(of: value),
            constantTimeEquals(hash.utf8.span, wanted.utf8.span)
        else { throw .hashMismatch }
    }

    /// `auth_time`, where `max_age` was asked for: it must then be there, a number (threat R20).
    static let authenticationAge = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let most = check.transaction.maximumAge else { return }
        let time = try check.requiredTime("auth_time")
        guard time <= check.now + check.leeway else { throw .issuedInFuture }
        guard check.now - time <= most + check.leeway else { throw .authenticationTooOld }
    }

    /// A text of 1 to 255 bytes; the one that was expected, where one was.
    static let subject = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let subject = try check.text("sub"), !subject.isEmpty else { throw .claimMissing("sub") }
        guard subject.utf8.count <= 255 else { throw .claimType("sub") }
        if let expected = check.transaction.expectedSubject, !sameBytes(expected, subject) { throw .subjectMismatch }
    }
}
