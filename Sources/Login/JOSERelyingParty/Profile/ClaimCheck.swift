internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

/// One check of a token's claims. A profile lists its checks in the order of its specification.
struct ClaimCheck: Sendable {
    let run: @Sendable (LoginCheck) throws(RelyingPartyError.Reason) -> Void

    init(_ run: @escaping @Sendable (LoginCheck) throws(RelyingPartyError.Reason) -> Void) { self.run = run }
}

/// The values that a check of claims may use.
struct LoginCheck: Sendable {
    /// The claims, whose issuer is authenticated by the signature or by the connection.
    let claims: Claims
    /// The token; nil for userinfo that is plain JSON.
    let token: VerifiedToken?
    let transaction: LoginTransaction
    let clientID: String
    let issuer: String
    /// The time of the relying party's clock, in seconds since 1970.
    let now: Double
    /// The seconds by which clocks may differ.
    let leeway: Double
    let response: TokenResponse?
    /// The code that was exchanged.
    let code: String?
    let isProduction: Bool
}

extension LoginCheck {
    /// Returns a claim that is a string; nil if it is absent.
    func text(_ name: ClaimName) throws(RelyingPartyError.Reason) -> String? {
        guard claims.contains(name.description) else { return nil }
        guard let text = claims.string(name.description) else { throw .claimType(name) }
        return text
    }

    /// Returns a claim that is a time, in seconds since 1970; nil if it is absent. A string, a negative number, and a
    /// number above 2^53 are rejected.
    func time(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Double? {
        guard claims.contains(name.description) else { return nil }
        guard let time = claims.number(name.description), time >= 0, time <= 0x1p53 else { throw .claimType(name) }
        return time
    }

    /// Returns a required claim that is a time, in seconds since 1970.
    func requiredTime(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Double {
        guard let time = try time(name) else { throw .claimMissing(name) }
        return time
    }
}

extension ClaimCheck {
    /// Checks that `iss` equals the issuer of the provider, byte by byte.
    static let issuer = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let issuer = check.claims.issuer, bytesEqual(issuer, check.issuer) else { throw .issuerMismatch }
    }

    /// Returns a check that `aud` is the client or contains it.
    ///
    /// - Parameter trusted: The other audiences that `aud` may contain (threat R09); nil for any.
    static func audience(trusted: [String]?) -> ClaimCheck {
        ClaimCheck { check throws(RelyingPartyError.Reason) in
            let audience = check.claims.audience
            guard audience.contains(where: { bytesEqual($0, check.clientID) }) else { throw .audienceMismatch }
            guard let trusted else { return }
            for one in audience where !bytesEqual(one, check.clientID) {
                guard trusted.contains(where: { bytesEqual($0, one) }) else { throw .audienceMismatch }
            }
        }
    }

    /// Checks that `azp`, if present, is the client. With several audiences the claim is required.
    static let authorizedParty = ClaimCheck { check throws(RelyingPartyError.Reason) in
        try requireParty(check, whenSeveral: true)
    }

    /// Checks that `azp`, if present, is the client.
    static let authorizedPartyIfThere = ClaimCheck { check throws(RelyingPartyError.Reason) in
        try requireParty(check, whenSeveral: false)
    }

    private static func requireParty(_ check: LoginCheck, whenSeveral: Bool) throws(RelyingPartyError.Reason) {
        guard check.claims.contains("azp") else {
            if whenSeveral, check.claims.audience.count > 1 { throw .authorizedPartyMismatch }
            return
        }
        guard let party = check.claims.string("azp"), bytesEqual(party, check.clientID) else {
            throw .authorizedPartyMismatch
        }
    }

    /// Checks `exp`, which is required.
    static let expiration = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard check.now < (try check.requiredTime("exp")) + check.leeway else { throw .expired }
    }

    /// Checks `nbf`, if present.
    static let notBefore = ClaimCheck { check throws(RelyingPartyError.Reason) in
        if let time = try check.time("nbf"), time > check.now + check.leeway { throw .notYetValid }
    }

    /// Checks that `iat`, which is required, is not in the future.
    static let issuedAt = issuedAt(.issuedInFuture)

    /// Returns a check that `iat`, which is required, is not in the future, with the reason of its error.
    static func issuedAt(_ failure: RelyingPartyError.Reason) -> ClaimCheck {
        ClaimCheck { check throws(RelyingPartyError.Reason) in
            if try check.requiredTime("iat") > check.now + check.leeway { throw failure }
        }
    }

    /// Checks that `nonce` is that of the request. The comparison takes constant time.
    static let nonce = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let nonce = check.claims.string("nonce"),
            constantTimeEquals(nonce.utf8.span, check.transaction.nonce.utf8.span)
        else { throw .nonceMismatch }
    }

    /// Checks that `acr` is one of the requested values, if any were requested. A token without the claim has no level
    /// at all (threat R20).
    static let acrIfRequested = ClaimCheck { check throws(RelyingPartyError.Reason) in
        for wanted in [check.transaction.acrValues, check.transaction.essentialACRs] {
            guard let wanted, !wanted.isEmpty else { continue }
            guard let acr = try check.text("acr"), wanted.contains(where: { bytesEqual($0, acr) }) else {
                throw .acrTooLow
            }
        }
        guard check.transaction.essentialACRs == nil || check.claims.contains("acr") else { throw .acrTooLow }
    }

    /// Returns a check that the rank of `acr` is at least the requested one.
    ///
    /// - Parameters:
    ///   - absent: The rank of a token without `acr`.
    ///   - rank: Returns the rank of a level, or nil if the level is not known.
    static func acr(absent: Int, rank: @escaping @Sendable (String) -> Int?) -> ClaimCheck {
        ClaimCheck { check throws(RelyingPartyError.Reason) in
            let wanted = check.transaction.acrValues.compactMap(rank).max() ?? 0
            let given = try check.text("acr").map { rank($0) ?? Int.min } ?? absent
            guard given >= wanted else { throw .acrTooLow }
            guard let essential = check.transaction.essentialACRs else { return }
            guard let text = try check.text("acr") else { throw .acrTooLow }
            let holds = essential.contains { one in
                bytesEqual(one, text) || rank(one).map { $0 <= given } == true
            }
            guard holds || essential.isEmpty else { throw .acrTooLow }
        }
    }

    /// Checks `at_hash`, if present (OpenID Connect Core, 3.1.3.8).
    static let accessTokenHash = ClaimCheck { check throws(RelyingPartyError.Reason) in
        try requireHash("at_hash", of: check.response?.accessToken, check)
    }

    /// Checks `c_hash`, if present (OpenID Connect Core, 3.3.2.11).
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

    /// Checks the age of `auth_time` if `max_age` was requested. The claim is then required, and must be a number
    /// (threat R20).
    static let authenticationAge = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let most = check.transaction.maximumAge else { return }
        let time = try check.requiredTime("auth_time")
        guard time <= check.now + check.leeway else { throw .issuedInFuture }
        guard check.now - time <= most + check.leeway else { throw .authenticationTooOld }
    }

    /// Checks that `sub` is a string of 1 to 255 bytes, and the expected one if the request names one.
    static let subject = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let subject = try check.text("sub"), !subject.isEmpty else { throw .claimMissing("sub") }
        guard subject.utf8.count <= 255 else { throw .claimType("sub") }
        if let expected = check.transaction.expectedSubject, !bytesEqual(expected, subject) { throw .subjectMismatch }
    }
}
