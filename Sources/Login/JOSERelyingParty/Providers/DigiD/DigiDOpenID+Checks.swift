internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

extension DigiDOpenID {
    /// Returns the checks of an ID token in the order of DigiD's specification. The checks that need the store are in
    /// `finish`.
    static func checks(_ level: DigiDLevel) -> [ClaimCheck] {
        [
            .issuer, audience, .expiration, notBefore, .issuedAt, .nonce,
            ClaimCheck { check throws(RelyingPartyError.Reason) in _ = try reached(check, level) },
            ClaimCheck { check throws(RelyingPartyError.Reason) in
                guard let kind = try check.text("sub_id_type"),
                    DigiDNumber.qualifiers.contains(where: { bytesEqual($0, kind) })
                else { throw .sectorUnexpected }
            },
            ClaimCheck { check throws(RelyingPartyError.Reason) in
                guard let identifier = try check.text("jti"), !identifier.isEmpty else { throw .claimMissing("jti") }
            },
        ]
    }

    /// Checks that `aud` is DigiD's constant, which does not name the client. The nonce, and the `azp` of the access
    /// token, tie the token to the client.
    private static let audience = ClaimCheck { check throws(RelyingPartyError.Reason) in
        let audience = check.claims.audience
        guard audience.count == 1, bytesEqual(audience[0], check.issuer + "/token") else { throw .audienceMismatch }
    }

    /// Checks `nbf`, unless it equals `exp`: DigiD writes one time into both, which would leave no time at which the
    /// token is valid.
    private static let notBefore = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let start = try check.time("nbf"), start != (try check.time("exp")) else { return }
        guard start <= check.now + check.leeway else { throw .notYetValid }
    }

    private static func reached(_ check: LoginCheck, _ usual: DigiDLevel) throws(RelyingPartyError.Reason) -> DigiDLevel
    {
        let wanted = check.transaction.notes[levelNote].flatMap { Int($0) }.flatMap { DigiDLevel(rawValue: $0) }
        return try (wanted ?? usual).reached(by: try check.text("acr"))
    }

    /// Performs the checks that need the store, and adds the user's number and level.
    static func finish(
        _ user: inout LoggedInUser, _ check: LoginCheck, _ party: RelyingParty, _ usual: DigiDLevel
    ) async throws(RelyingPartyError) {
        let identifier = check.claims.tokenID ?? ""
        let end = (check.claims.expiration?.secondsSince1970 ?? check.now) + check.leeway
        let session = DigiDSession(store: party.store, clock: party.clock)
        try await session.useOnce(
            check.issuer + " " + identifier, kind: "digid jti", until: NumericDate(secondsSince1970: end),
            step: .idToken)
        do throws(RelyingPartyError.Reason) {
            let number = try DigiDNumber(
                user.subject, qualifier: try check.text("sub_id_type"), sectors: [.bsn])
            user.providerValues[userNote] = DigiDUser(
                number: number, level: try reached(check, usual), returnTo: check.transaction.returnTo)
        } catch {
            throw RelyingPartyError(error, in: .idToken)
        }
        try await checkAccessToken(check, party)
    }

    /// Checks that the login was with this client. An ID token of another service that was encrypted anew to this
    /// client's key comes with an access token of that service, or with none.
    private static func checkAccessToken(
        _ check: LoginCheck, _ party: RelyingParty
    ) async throws(RelyingPartyError) {
        let provider = try await party.directory.provider(check.transaction.provider)
        guard let response = check.response, let reader = provider.readers.further[accessToken] else {
            throw RelyingPartyError(.internalFault, in: .accessToken)
        }
        let token = try await reader.open(response.accessToken, step: .accessToken, timeout: .seconds(5))
        let own = LoginCheck(
            claims: token.claims, token: token, transaction: check.transaction, clientID: check.clientID,
            issuer: check.issuer, now: check.now, leeway: check.leeway, response: response, code: check.code,
            isProduction: check.isProduction)
        do throws(RelyingPartyError.Reason) {
            try ClaimCheck.issuer.run(own)
            try ClaimCheck.expiration.run(own)
            guard let party = token.claims.string("azp"), bytesEqual(party, check.clientID) else {
                throw .authorizedPartyMismatch
            }
            guard let identifier = try own.text("jti"), !identifier.isEmpty else { throw .claimMissing("jti") }
        } catch {
            throw RelyingPartyError(error, in: .accessToken)
        }
    }
}
