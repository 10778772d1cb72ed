internal import JOSE
internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

extension DigiDOpenID {
    /// Returns the rules for an ID token in the order of DigiD's specification. The checks that need the store are in
    /// `finish`.
    static func rules(_ level: DigiDLevel) -> [LoginRule] {
        [
            .issuer, audience, .expiration, notBefore, .issuedAt, .nonce,
            LoginRule { login throws(RelyingPartyError.Reason) in _ = try reached(login, level) },
            LoginRule { login throws(RelyingPartyError.Reason) in
                guard let kind = try login.string("sub_id_type"),
                    DigiDNumber.qualifiers.contains(where: { bytesEqual($0, kind) })
                else { throw .sectorUnexpected }
            },
            .requiredString("jti"),
        ]
    }

    /// `aud` must be DigiD's constant, which does not name the client. The nonce, and the `azp` of the access token,
    /// tie the token to the client.
    private static let audience = LoginRule { login throws(RelyingPartyError.Reason) in
        let audience = login.claims.audience
        guard audience.count == 1, bytesEqual(audience[0], login.issuer + "/token") else { throw .audienceMismatch }
    }

    /// `nbf` is not checked if it equals `exp`: DigiD writes one time into both, which would leave no time at which the
    /// token is valid.
    private static let notBefore = LoginRule { login throws(RelyingPartyError.Reason) in
        guard let start = try login.time("nbf"), start != (try login.time("exp")) else { return }
        try login.checkClaim(.notBefore)
    }

    private static func reached(_ login: LoginContext, _ usual: DigiDLevel) throws(RelyingPartyError.Reason)
        -> DigiDLevel
    {
        let wanted = login.transaction.notes[levelNote].flatMap { Int($0) }.flatMap { DigiDLevel(rawValue: $0) }
        return try (wanted ?? usual).reached(by: try login.string("acr"))
    }

    /// Performs the checks that need the store, and adds the user's number and level.
    static func finish(
        _ user: inout LoggedInUser, _ login: LoginContext, _ party: RelyingParty, _ usual: DigiDLevel
    ) async throws(RelyingPartyError) {
        let identifier = login.claims.tokenID ?? ""
        let end = (login.claims.expiration?.secondsSince1970 ?? login.seconds) + login.leewaySeconds
        let session = DigiDSession(store: party.store, clock: party.clock)
        try await session.useOnce(
            login.issuer + " " + identifier, kind: "digid jti", until: NumericDate(secondsSince1970: end),
            step: .idToken)
        do throws(RelyingPartyError.Reason) {
            let number = try DigiDNumber(
                user.subject, qualifier: try login.string("sub_id_type"), sectors: [.bsn])
            user.providerValues[userNote] = DigiDUser(
                number: number, level: try reached(login, usual), returnTo: login.transaction.returnTo)
        } catch {
            throw RelyingPartyError(error, in: .idToken)
        }
        try await checkAccessToken(login, party)
    }

    /// Checks that the login was with this client. An ID token of another service that was encrypted anew to this
    /// client's key comes with an access token of that service, or with none.
    private static func checkAccessToken(
        _ login: LoginContext, _ party: RelyingParty
    ) async throws(RelyingPartyError) {
        let provider = try await party.directory.provider(login.transaction.provider, until: login.deadline)
        guard let response = login.response, let reader = provider.readers.further[accessToken] else {
            throw RelyingPartyError(.internalFault, in: .accessToken)
        }
        let token = try await reader.verify(
            response.accessToken, step: .accessToken, until: login.deadline)
        let own = login.with(token.claims, of: token)
        do throws(RelyingPartyError.Reason) {
            try own.check([
                .issuer, .expiration, .claim("azp", isOneOf: [own.clientID]), .requiredString("jti"),
            ])
        } catch {
            throw RelyingPartyError(error, in: .accessToken)
        }
    }
}
