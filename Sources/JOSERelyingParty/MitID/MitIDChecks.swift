internal import JOSEKeySets
internal import JOSETokens

extension MitID {
    /// In the order in which the broker has an ID token checked, from the issuer on.
    static func checks(_ settings: MitIDSettings, hasNonce: Bool = true) -> [ClaimCheck] {
        let common: [ClaimCheck] = [
            .issuer, .audience(trusted: []), .authorizedPartyIfThere, .expiration, .notBefore, .issuedAt,
        ]
        return common + (hasNonce ? [.nonce] : []) + [
            .accessTokenHash, .codeHash, identityProvider, level, identityType(settings), authenticators(settings),
            authenticationTime, session, .subject,
        ]
    }

    /// One of those that were asked for.
    private static let identityProvider = ClaimCheck { check throws(RelyingPartyFailure) in
        let wanted = (check.transaction.notes[Note.providers] ?? "mitid").split(separator: " ")
        guard let provider = try check.text("idp") else { throw .claimMissing("idp") }
        guard wanted.contains(where: { $0.utf8.elementsEqual(provider.utf8) }) else { throw .claimUnexpected("idp") }
    }

    private static let level = ClaimCheck { check throws(RelyingPartyFailure) in
        let notes = check.transaction.notes
        try MitIDClaims.require(notes[Note.level], "loa", check.claims)
        try MitIDClaims.require(notes[Note.authenticatorLevel], "aal", check.claims)
    }

    private static func identityType(_ settings: MitIDSettings) -> ClaimCheck {
        ClaimCheck { check throws(RelyingPartyFailure) in
            guard let name = try check.text("identity_type") else { throw .claimMissing("identity_type") }
            guard let type = MitIDIdentityType(rawValue: name) else { throw .claimUnexpected("identity_type") }
            let isTaken = type == .test ? !check.isProduction : settings.identityTypes.contains(type)
            guard isTaken else { throw .claimUnexpected("identity_type") }
        }
    }

    private static func authenticators(_ settings: MitIDSettings) -> ClaimCheck {
        ClaimCheck { check throws(RelyingPartyFailure) in
            let used = try MitIDClaims.authenticators(check.claims)
            guard let wanted = settings.authenticators else { return }
            guard check.claims.contains("amr") else { throw .claimMissing("amr") }
            guard used.contains(where: { wanted.contains($0) }) else { throw .claimUnexpected("amr") }
        }
    }

    /// A number, or a text of digits.
    private static let authenticationTime = ClaimCheck { check throws(RelyingPartyFailure) in
        let time = try MitIDClaims.seconds("auth_time", check.claims)
        guard let most = check.transaction.maximumAge else { return }
        guard let time else { throw .claimMissing("auth_time") }
        guard time <= check.now + check.leeway else { throw .issuedInFuture }
        guard check.now - time <= most + check.leeway else { throw .authenticationTooOld }
    }

    private static let session = ClaimCheck { check throws(RelyingPartyFailure) in
        _ = try MitIDClaims.seconds("session_expiry", check.claims)
    }
}
