internal import JOSEBytes
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
        func wants(_ scope: String, _ name: String) -> Bool { grant.has(scope) || asked.contains(name) }
        if wants("profile", "name") { claims["name"] = .string(person.name) }
        if wants("profile", "given_name") { claims["given_name"] = .string(person.givenName) }
        if wants("profile", "family_name") { claims["family_name"] = .string(person.familyName) }
        if wants("profile", "gender") { claims["gender"] = .string(person.gender) }
        if wants("profile", "birthdate") { claims["birthdate"] = .string(person.birthdate) }
        if wants("profile", "locale") { claims["locale"] = client.flavour == .itsmeNow ? "EN" : "en" }
        if wants("email", "email") {
            claims["email"] = .string(person.email)
            claims["email_verified"] = false
        }
        if wants("phone", "phone_number") {
            claims["phone_number"] = .string(person.phone)
            claims["phone_number_verified"] = true
        }
        if wants("address", "address") {
            claims["address"] = [
                "street_address": "Keizerslaan 1", "locality": "Brussel", "postal_code": "1000", "country": "BE",
            ]
        }
        for name in asked { if let value = special(name) { claims[name] = value } }
        return claims
    }

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
