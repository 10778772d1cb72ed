internal import JOSEItsme
internal import JOSESupport
internal import JOSETokens

/// The claims of itsme's documentation: tokens have `tag:sixdots.be,…` in v1 and `V2` in v2, where requests are spelt
/// otherwise.
extension Issuing {
    func itsmeID() -> ClaimsBuilder {
        var claims = common(lifetime: 300)
        let word = isHigh ? "advanced" : "basic"
        claims["acr"] = .string(
            client.flavour == .itsmeV1
                ? "tag:sixdots.be,2016-06:acr_\(word)" : "http://itsme.services/V2/claim/acr_\(word)")
        if case .direct = client.tokens { claims["nbf"] = .integer(seconds) }
        return claims
    }

    func itsmeUserinfo() -> ClaimsBuilder {
        var claims: ClaimsBuilder = ["sub": .string(subject)]
        if !client.userinfoIsJSON {
            claims["iss"] = .string(issuer)
            claims["aud"] = .string(client.clientID)
        }
        let asked = requestedClaims()
        // A claim that is asked for by its name is there without its scope, too.
        let values: [(scope: String, name: String, claims: ClaimsBuilder)] = [
            ("profile", "name", ["name": .string(person.name)]),
            ("profile", "given_name", ["given_name": .string(person.givenName)]),
            ("profile", "family_name", ["family_name": .string(person.familyName)]),
            ("profile", "gender", ["gender": .string(person.gender)]),
            ("profile", "birthdate", ["birthdate": .string(person.birthdate)]),
            ("profile", "locale", ["locale": client.flavour == .itsmeNow ? "EN" : "en"]),
            ("email", "email", ["email": .string(person.email), "email_verified": false]),
            ("phone", "phone_number", ["phone_number": .string(person.phone), "phone_number_verified": true]),
            ("address", "address", ["address": Self.address]),
        ]
        for value in values where grant.has(value.scope) || asked.contains(value.name) { claims.add(value.claims) }
        for name in asked { if let value = special(name) { claims[name] = value } }
        return claims
    }

    private static let address: ClaimValue = [
        "street_address": "Keizerslaan 1", "locality": "Brussel", "postal_code": "1000", "country": "BE",
    ]

    /// Returns the members of `claims.userinfo` in the request (OpenID Connect Core, 5.5).
    private func requestedClaims() -> [String] {
        guard let text = grant.parameters["claims"].map({ Array($0.utf8) }),
            let object = try? JSONObject(parsing: text.span),
            let members = object.first("userinfo", in: text.span)?.object(in: text.span)
        else { return [] }
        return members.map { $0.name(in: text.span) }
    }

    private func special(_ name: String) -> ClaimValue? {
        let last = name.split(whereSeparator: { $0 == ":" || $0 == "/" }).last.map(String.init) ?? name
        switch last {
        case "claim_nationality", "claim_citizenship": return "BE"
        case "claim_city_of_birth": return "Brussel"
        case "place_of_birth": return ["formatted": "Brussel België", "city": "Brussel", "country": "BE"]
        case "claim_country_of_birth": return "BE"
        case "BENationalNumber": return .string(person.belgianNumber)
        case "BEeidSn": return .string(person.belgianCard)
        case "claim_eid":
            return [
                "eid": .string(person.belgianCard), "national_number": .string(person.belgianNumber),
                "read_date": "2017-04-01T19:43:37+0000",
            ]
        case "claim_device":
            return [
                "os": "ANDROID", "appName": "itsme app", "deviceLockLevel": "touchID", "smsEnabled": "true",
                "appRelease": "1.17.13",
            ]
        case "claim_transaction_info", "transaction_info":
            return ["securityLevel": "SIM_AND_SOFT", "bindLevel": "SIM_AND_SOFT", "mcc": 206]
        default: return nil
        }
    }
}
