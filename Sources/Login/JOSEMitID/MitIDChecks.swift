internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

extension MitID {
    /// Returns the rules for an ID token in the broker's order, from the issuer on.
    static func rules(_ settings: MitIDSettings) -> [LoginRule] {
        [
            .issuer, .audience(trusted: []), .authorizedPartyIfPresent, .expiration, .notBefore, .issuedAt, .nonce,
            .accessTokenHash, .codeHash, identityProvider, loginToken, level, identityType(settings),
            authenticators(settings), identityProofing, authenticationTime, session, .subject,
        ]
    }

    /// Checks that the identity provider is one of the requested ones.
    static let identityProvider = LoginRule { login throws(RelyingPartyError.Reason) in
        let wanted = (login.transaction.notes[Note.providers] ?? "mitid").split(separator: " ")
        guard let provider = try login.string("idp") else { throw .claimMissing("idp") }
        guard wanted.contains(where: { bytesEqual(String($0), provider) }) else { throw .claimUnexpected("idp") }
        _ = try rules(of: login)
    }

    /// Returns the row of the table for the provider that answered, by which all later rules check.
    private static func rules(of login: LoginContext) throws(RelyingPartyError.Reason) -> MitIDProviderRules {
        guard let provider = MitIDClaims.provider(login.claims) else { throw .claimUnexpected("idp") }
        return provider.rules
    }

    /// Checks that the token is of a login and not a proof of an age, and that a person whom the request names was
    /// identified by a provider whose response can be compared with the request.
    private static let loginToken = LoginRule { login throws(RelyingPartyError.Reason) in
        if let type = login.claims.string("idtoken_type"), bytesEqual(type, ageTokenType) {
            throw .claimUnexpected("idtoken_type")
        }
        let rules = try rules(of: login)
        guard rules.isLogin else { throw .claimUnexpected("idp") }
        let notes = login.transaction.notes
        if !rules.isMitID, notes[Note.uuid] != nil || notes[Note.cpr] != nil { throw .subjectMismatch }
    }

    /// Checks that the level of the login, or that of the authenticator, is at least the requested one, and that the
    /// provider can have reached the level.
    private static let level = LoginRule { login throws(RelyingPartyError.Reason) in
        let notes = login.transaction.notes
        try MitIDClaims.require(notes[Note.level], "loa", login.claims)
        try MitIDClaims.require(notes[Note.authenticatorLevel], "aal", login.claims)
        guard let highest = try rules(of: login).highestLevel,
            let level = login.claims.string("loa").flatMap({ NSISLevel(uri: $0) })
        else { return }
        guard level <= highest else { throw .claimUnexpected("loa") }
    }

    /// Returns a check that the type of the identity is accepted from the provider that answered.
    private static func identityType(_ settings: MitIDSettings) -> LoginRule {
        LoginRule { login throws(RelyingPartyError.Reason) in
            let name = try login.string("identity_type")
            let type = name.flatMap { MitIDIdentityType(rawValue: $0) }
            var accepted: Set<MitIDIdentityType>
            switch try rules(of: login).identity {
            case .optional:
                // A test identity is never accepted in production, whichever provider states it.
                guard type != .test || !login.isProduction else { throw .claimUnexpected("identity_type") }
                return
            case .asConfigured: accepted = settings.identityTypes
            case .professional:
                accepted = [.professional]
                if login.transaction.notes[Note.allowsPrivate] != nil { accepted.insert(.private) }
            }
            guard name != nil else { throw .claimMissing("identity_type") }
            guard let type, type == .test ? !login.isProduction : accepted.contains(type) else {
                throw .claimUnexpected("identity_type")
            }
        }
    }

    /// Checks that `loip` is one of its two values, if MitID Erhverv answered and the claim is present.
    private static let identityProofing = LoginRule { login throws(RelyingPartyError.Reason) in
        guard MitIDClaims.provider(login.claims) == .mitIDErhverv, let text = try login.string("loip") else { return }
        guard MitIDIdentityProofing(rawValue: text) != nil else { throw .claimUnexpected("loip") }
    }

    /// Returns a check that one of the accepted authenticators was used.
    private static func authenticators(_ settings: MitIDSettings) -> LoginRule {
        LoginRule { login throws(RelyingPartyError.Reason) in
            let provider = MitIDClaims.provider(login.claims)
            let used = try MitIDClaims.authenticators(login.claims, of: provider)
            // The authenticators are MitID's. Other providers have none of them.
            guard let wanted = settings.authenticators, try rules(of: login).isMitID else { return }
            guard login.claims.contains("amr") else { throw .claimMissing("amr") }
            guard used.contains(where: { wanted.contains($0) }) else { throw .claimUnexpected("amr") }
        }
    }

    /// Checks the age of `auth_time`, which is a number or a string of digits, if `max_age` was requested.
    private static let authenticationTime = LoginRule { login throws(RelyingPartyError.Reason) in
        guard let maximumAge = login.transaction.maximumAge else { return }
        let time = try MitIDClaims.seconds("auth_time", login.claims)
        do throws(ClaimFault) {
            try login.evaluation.check(authenticatedAt: time, maximumAge: maximumAge)
        } catch {
            throw RelyingPartyError.Reason(error)
        }
    }

    /// Checks that `session_expiry` is a time, if it is present.
    private static let session = LoginRule { login throws(RelyingPartyError.Reason) in
        _ = try MitIDClaims.seconds("session_expiry", login.claims)
    }

    /// Checks the userinfo response against the request (threat R35): a login for payments must be one, and a person
    /// whom the response names must be the one of the request's hints.
    static let demanded = LoginRule { login throws(RelyingPartyError.Reason) in
        let user = try MitIDUser(login.claims)
        if login.transaction.notes[Note.psd2] != nil {
            guard let isPSD2 = user.isPSD2 else { throw .claimMissing("mitid.psd2") }
            guard isPSD2 else { throw .claimUnexpected("mitid.psd2") }
        }
        try checkPerson(uuid: user.uuid, cpr: user.cpr, login)
        try checkPerson(uuid: nil, cpr: try MitIDTexts(login.claims).cpr("nemlogin.cpr"), login)
    }

    /// Checks the userinfo token against the request (threat R35). Every claim may be absent there, and a claim that
    /// the request does not restrict is not read.
    static let demandedOfToken = LoginRule { login throws(RelyingPartyError.Reason) in
        let notes = login.transaction.notes
        if notes[Note.psd2] != nil, let psd2 = try login.string("mitid.psd2") {
            guard bytesEqual(psd2, "true") else { throw .claimUnexpected("mitid.psd2") }
        }
        if notes[Note.uuid] != nil { try checkPerson(uuid: try login.string("mitid.uuid"), cpr: nil, login) }
        guard notes[Note.cpr] != nil else { return }
        for name: ClaimName in ["dk.cpr", "da.cpr", "nemlogin.cpr"] {
            guard let text = try login.string(name) else { continue }
            guard let cpr = CPRNumber(text) else { throw .claimType(name) }
            try checkPerson(uuid: nil, cpr: cpr, login)
        }
    }

    private static func checkPerson(
        uuid: String?, cpr: CPRNumber?, _ login: LoginContext
    ) throws(RelyingPartyError.Reason) {
        if let uuid, try !login.transaction.accepts(comparable(uuid), as: Note.uuid) { throw .subjectMismatch }
        if let cpr, try !login.transaction.accepts(cpr.digits, as: Note.cpr) { throw .subjectMismatch }
    }

    /// Returns a UUID in lower case, because UUIDs are compared without regard to case (RFC 9562, 4).
    static func comparable(_ uuid: String) -> String {
        String(decoding: uuid.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
