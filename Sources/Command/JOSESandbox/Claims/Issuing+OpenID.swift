internal import JOSE
internal import JOSETokens

/// The claims of OpenID Connect Core, 2 and 5.
extension Issuing {
    func openIDID() throws -> ClaimsBuilder {
        var claims = common(lifetime: 300)
        claims["acr"] = .string(isHigh ? grant.requestedLevels.first ?? "high" : "low")
        claims["at_hash"] = .string(try SignatureAlgorithm.rs256.tokenHash(of: accessToken))
        return claims
    }

    func openIDUserinfo() -> ClaimsBuilder {
        var claims: ClaimsBuilder = ["sub": .string(subject)]
        if grant.has("profile") {
            claims["name"] = .string(person.name)
            claims["given_name"] = .string(person.givenName)
            claims["family_name"] = .string(person.familyName)
            claims["birthdate"] = .string(person.birthdate)
        }
        if grant.has("email") {
            claims["email"] = .string(person.email)
            claims["email_verified"] = false
        }
        if grant.has("phone") {
            claims["phone_number"] = .string(person.phone)
            claims["phone_number_verified"] = true
        }
        return claims
    }
}
