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
            claims.add([
                "name": .string(person.name), "given_name": .string(person.givenName),
                "family_name": .string(person.familyName), "birthdate": .string(person.birthdate),
            ])
        }
        if grant.has("email") { claims.add(["email": .string(person.email), "email_verified": false]) }
        if grant.has("phone") { claims.add(["phone_number": .string(person.phone), "phone_number_verified": true]) }
        return claims
    }
}
