internal import JOSE
internal import JOSEEntra
internal import JOSEItsme
internal import JOSEMitID
internal import JOSETokens
internal import JOSEZenKey

/// The claims that a grant gives at its issuer, at a moment.
struct Issuing {
    let grant: Grant
    let issuer: String
    let now: Double
    let accessToken: String
    /// The tenants of the provider, or nil for a provider with one issuer.
    let tenants: Tenants?
    /// The transaction ID of all tokens of one answer.
    let transactionID = Randomness.text()
    /// ZenKey's claim `aka`.
    var portTokens: [String] = []

    var client: Registration { grant.client }
    var person: Person { grant.person }

    /// Returns the claims of the ID token, with the misbehaviour that was chosen.
    func idClaims() throws -> ClaimsBuilder {
        var claims: ClaimsBuilder
        switch client.flavour {
        case .itsmeV1, .itsmeV2, .itsmeNow: claims = itsmeID()
        case .zenKey: claims = zenKeyID()
        case .mitID: claims = try mitIDID()
        case .entra: claims = entraID()
        case .openID: claims = try openIDID()
        }
        if let nonce = grant.parameters["nonce"] { claims["nonce"] = .string(nonce) }
        switch grant.misbehaviour {
        case .wrongIssuer: claims["iss"] = .string(issuer + "/")
        case .wrongAudience: claims["aud"] = "somebody-else"
        case .wrongNonce: claims["nonce"] = .string(Randomness.text())
        case .missingNonce: claims["nonce"] = nil
        case .expired:
            claims["iat"] = .integer(seconds - 4000)
            claims["nbf"] = claims["nbf"] == nil ? nil : .integer(seconds - 4000)
            claims["exp"] = .integer(seconds - 400)
        case .future:
            claims["iat"] = .integer(seconds + 3600)
            claims["exp"] = .integer(seconds + 7200)
        case .missingSubject: claims["sub"] = nil
        case .otherProvider: claims["idp"] = "soloid"
        case .ageProof: claims["idtoken_type"] = "av"
        case .tenantIssuer, .pathTenant, .upperTenant, .bracedTenant, .templateIssuer, .missingTenant, .strangeTenant,
            .oldVersion:
            changeTenant(&claims)
        case .wrongHash:
            claims["at_hash"] = .string(try SignatureAlgorithm.rs256.tokenHash(of: Randomness.text()))
        case .wrongCodeHash:
            claims["c_hash"] = .string(try SignatureAlgorithm.rs256.tokenHash(of: Randomness.text()))
        case .otherParty: claims["azp"] = "somebody-else"
        case .secondAudience: claims["aud"] = [.string(client.clientID), "somebody-else"]
        case .logoutEvents: claims["events"] = ["http://schemas.openid.net/event/backchannel-logout": [:]]
        default: break
        }
        return claims
    }

    /// Returns the claims of userinfo.
    func userinfoClaims() -> ClaimsBuilder {
        var claims: ClaimsBuilder =
            switch client.flavour {
            case .itsmeV1, .itsmeV2, .itsmeNow: itsmeUserinfo()
            case .zenKey: zenKeyUserinfo()
            case .mitID: mitIDUserinfo()
            case .entra: entraUserinfo()
            case .openID: openIDUserinfo()
            }
        if grant.misbehaviour == .otherSubject { claims["sub"] = .string(Randomness.text()) }
        return claims
    }

    var seconds: Int64 { Int64(now) }
    var subject: String { grant.subject(at: issuer) }
    /// Whether the person shows a high level; the misbehaviour `lowLevel` shows a low one.
    var isHigh: Bool { person.isHigh && grant.misbehaviour != .lowLevel }

    /// Returns whether the person has reached an age.
    func isAtLeast(_ age: Int) -> Bool { person.age(at: now) >= age }

    func common(lifetime: Int64) -> ClaimsBuilder {
        [
            "iss": .string(issuer), "sub": .string(subject), "aud": .string(client.clientID),
            "exp": .integer(seconds + lifetime), "iat": .integer(seconds),
            "auth_time": .integer(Int64(grant.authenticated)),
        ]
    }
}

extension ClaimsBuilder {
    mutating func add(_ others: ClaimsBuilder) { for (name, value) in others.object { self[name] = value } }
}
