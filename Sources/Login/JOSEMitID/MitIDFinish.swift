public import JOSE
internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport
public import JOSETokens

extension LoggedInUser {
    /// The claims of the broker's userinfo response; nil if there was none. They mean nothing after a login with
    /// another provider.
    public var mitID: MitIDUser? { userInfo.flatMap { try? MitIDUser($0) } }
    /// The level of assurance of the login (`loa`), which is at least the requested one; nil if the ID token states
    /// none.
    public var mitIDLevel: NSISLevel? { idToken.claims.string("loa").flatMap { NSISLevel(uri: $0) } }
    /// The identity provider that answered (`idp`), which is one of `LoginRequest.mitIDProviders`; nil after a login
    /// with a profile that is not one of MitID's broker.
    public var mitIDProvider: MitIDProvider? { providerValues[MitID.Value.provider] as? MitIDProvider }
    /// Whether later logins of the user have the same `subject`, so that it can identify an account. It is false
    /// after a request for an age alone, and after a login with a profile that is not one of MitID's broker.
    public var mitIDSubjectLasts: Bool {
        guard let rules = mitIDProvider?.rules else { return false }
        return rules.subjectLasts && !transaction.scopes.contains(MitIDAge.minimalScope)
    }
    /// The claims of a member of an organization; nil unless MitID Erhverv answered.
    public var mitIDBusinessUser: MitIDBusinessUser? { providerValues[MitID.Value.business] as? MitIDBusinessUser }
    /// The thoroughness with which MitID Erhverv verified the identity (`loip`); nil if the ID token does not state it.
    public var mitIDIdentityProofing: MitIDIdentityProofing? {
        guard mitIDProvider == .mitIDErhverv else { return nil }
        return idToken.claims.string("loip").flatMap { MitIDIdentityProofing(rawValue: $0) }
    }
    /// The age that MitID stated; nil unless `LoginRequest.mitIDAge()` or `LoginRequest.mitIDAge(atLeast:)`
    /// requested it.
    public var mitIDAge: MitIDAge? { providerValues[MitID.Value.age] as? MitIDAge }
    /// The person identification data; nil unless the wallet AltID answered.
    public var altIDPerson: AltIDPerson? { providerValues[MitID.Value.person] as? AltIDPerson }
    /// The authenticators with which the user logged in (`amr`), without the prefix `mitid:` of MitID Erhverv.
    public var mitIDAuthenticators: [MitIDAuthenticator] {
        (try? MitIDClaims.authenticators(idToken.claims, of: mitIDProvider)) ?? []
    }
    /// The type of identity with which the user logged in (`identity_type`).
    public var mitIDIdentityType: MitIDIdentityType? {
        idToken.claims.string("identity_type").flatMap { MitIDIdentityType(rawValue: $0) }
    }
    /// The time at which the user's session at the broker ends (`session_expiry`); nil if the ID token does not contain
    /// it.
    public var mitIDSessionExpiry: NumericDate? {
        let seconds = (try? MitIDClaims.seconds("session_expiry", idToken.claims)) ?? nil
        return seconds.map { NumericDate(secondsSince1970: $0) }
    }
    /// The verified transaction token; nil unless the scope `transaction_token` was requested. If
    /// ``MitIDSettings/evidence`` is set, the certificate of its key has been checked too.
    public var mitIDTransaction: MitIDTransaction? { providerValues[MitID.transactionToken] as? MitIDTransaction }
    /// The claims of the verified userinfo token; nil unless the scope `userinfo_token` was requested.
    public var mitIDUserInfoToken: Claims? { providerValues[MitID.userInfoToken] as? Claims }
}

extension MitID {
    /// The names of the values of a login that only this provider returns.
    enum Value {
        static let provider = "idp"
        static let business = "nemlogin"
        static let age = "age"
        static let person = "pid"
    }

    /// Reads the claims that the provider which answered has, and adds their values to the user.
    private static func addClaims(_ user: inout LoggedInUser, _ login: LoginContext) throws(RelyingPartyError) {
        let provider = MitIDClaims.provider(login.claims)
        user.providerValues[Value.provider] = provider
        do throws(RelyingPartyError.Reason) {
            // Only MitID states an age.
            if provider != .mitID, MitIDAge.isRequested(login.scopes) { throw .claimMissing("age") }
            switch provider {
            case .mitID:
                user.providerValues[Value.age] = try MitIDAge(
                    ofMitID: login.scopes, idToken: login.claims, userInfo: user.userInfo)
            case .mitIDErhverv:
                if let claims = user.userInfo { user.providerValues[Value.business] = try MitIDBusinessUser(claims) }
            case .altIDPerson: user.providerValues[Value.person] = try AltIDPerson(user.sources)
            default: break
            }
        } catch {
            throw RelyingPartyError(error, in: .userInfo)
        }
    }

    /// Reads the claims of the provider that answered, verifies the further tokens of the scopes, and adds their values
    /// to the user.
    static func finish(
        _ user: inout LoggedInUser, _ login: LoginContext, _ party: RelyingParty, _ settings: MitIDSettings
    ) async throws(RelyingPartyError) {
        try addClaims(&user, login)
        let scopes = login.transaction.scopes
        if scopes.contains(MitIDScope.userInfoToken.rawValue) {
            let token = try await verified(userInfoToken, login, party, step: .userInfo)
            do throws(RelyingPartyError.Reason) {
                try checkUserInfoToken(login.with(token.claims, of: token))
                guard let about = token.claims.subject, bytesEqual(about, user.subject) else { throw .subjectMismatch }
            } catch {
                throw RelyingPartyError(error, in: .userInfo)
            }
            user.providerValues[userInfoToken] = token.claims
        }
        if scopes.contains(MitIDScope.transactionToken.rawValue) {
            user.providerValues[transactionToken] = try await transaction(login, party, settings)
        }
    }

    private static func verified(
        _ name: String, _ login: LoginContext, _ party: RelyingParty, step: LoginStep
    ) async throws(RelyingPartyError) -> VerifiedToken {
        guard let text = login.response?.answer.string(name) else {
            throw RelyingPartyError(.missingParameter(ParameterName(name)), in: .tokenResponse)
        }
        let provider = try await party.directory.provider(login.transaction.provider, until: login.deadline)
        guard let reader = provider.readers.further[name] else { throw RelyingPartyError(.internalFault, in: step) }
        return try await reader.verify(text, step: step, until: login.deadline)
    }

    /// Checks a userinfo token like an ID token, except for the nonce.
    private static func checkUserInfoToken(_ login: LoginContext) throws(RelyingPartyError.Reason) {
        try login.check([.issuer, .audience(trusted: []), .expiration, .notBefore, .issuedAt])
        try login.check(IDTokenRules.always + [demandedOfToken])
    }

    private static func transaction(
        _ login: LoginContext, _ party: RelyingParty, _ settings: MitIDSettings
    ) async throws(RelyingPartyError) -> MitIDTransaction {
        let token = try await verified(transactionToken, login, party, step: .transactionToken)
        let authenticators: [MitIDAuthenticator]
        let actions: [String]
        let issuedAt: NumericDate
        do throws(RelyingPartyError.Reason) {
            let own = login.with(token.claims, of: token)
            try own.check([.issuer, .audience(trusted: nil), .expiration, .notBefore, .issuedAt])
            // The subject may be absent: `bind` compares what ties the token to the login.
            try own.check(IDTokenRules.ifPresent)
            issuedAt = NumericDate(secondsSince1970: try own.requiredTime("iat"))
            try bind(own, to: login.claims)
            if let wanted = login.transaction.notes[Note.textHash] {
                guard let hash = try own.string(ClaimName(Note.textHash)), bytesEqual(hash, wanted) else {
                    throw .hashMismatch
                }
            }
            authenticators = try MitIDClaims.authenticators(token.claims, of: MitIDClaims.provider(login.claims))
            actions = try MitIDClaims.actions(token.claims)
        } catch {
            throw RelyingPartyError(error, in: .transactionToken)
        }
        let response = login.response?.answer.string("transaction_token_ocsp_resp")
        if let evidence = settings.evidence {
            guard let response else {
                throw RelyingPartyError(.missingParameter("transaction_token_ocsp_resp"), in: .tokenResponse)
            }
            guard let key = token.key else { throw RelyingPartyError(.keyUnsuitable, in: .transactionToken) }
            try evidence.check(key: key, issuedAt: issuedAt, response: response)
        }
        return MitIDTransaction(
            token: login.response?.answer.string(transactionToken) ?? "", claims: token.claims,
            authenticators: authenticators, actions: actions, issuedAt: issuedAt,
            statusResponse: settings.evidence == nil ? nil : response)
    }

    /// Checks that a transaction token is from the same login as the ID token: the claims that both have must be equal.
    private static func bind(_ own: LoginContext, to idToken: Claims) throws(RelyingPartyError.Reason) {
        var isBound = false
        if let subject = try own.string("sub"), let wanted = idToken.subject {
            guard bytesEqual(subject, wanted) else { throw .subjectMismatch }
            isBound = true
        }
        if let transaction = try own.string("transaction_id"), let wanted = idToken.string("transaction_id") {
            guard bytesEqual(transaction, wanted) else { throw .claimUnexpected("transaction_id") }
            isBound = true
        }
        // A token without any of these claims could be from any login.
        guard isBound else { throw .claimMissing("transaction_id") }
    }
}
