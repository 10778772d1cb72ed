internal import JOSETokens

/// The claims of ZenKey's iOS integration guide: userinfo is flat, with `email_verified` as a string.
extension Issuing {
    func zenKeyID() -> ClaimsBuilder {
        var claims = common(lifetime: 3600)
        claims["acr"] = isHigh ? .string(grant.requestedLevels.max() ?? "a3") : "a1"
        claims["amr"] = ["hwk", "pin"]
        if let context = grant.parameters["context"] { claims["context"] = .string(context) }
        if !portTokens.isEmpty { claims["aka"] = .array(portTokens.map { .string($0) }) }
        return claims
    }

    func zenKeyUserinfo() -> ClaimsBuilder {
        var claims: ClaimsBuilder = ["sub": .string(subject)]
        if grant.has("name") {
            claims.add([
                "name": .string(person.name), "given_name": .string(person.givenName),
                "family_name": .string(person.familyName),
            ])
        }
        if grant.has("email") { claims.add(["email": .string(person.email), "email_verified": "true"]) }
        if grant.has("postal_code") { claims["postal_code"] = "90210-3456" }
        if grant.has("phone") { claims.add(["phone_number": "+13101234567", "phone_number_verified": "true"]) }
        return claims
    }
}
