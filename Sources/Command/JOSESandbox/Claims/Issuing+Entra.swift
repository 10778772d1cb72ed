internal import JOSE
internal import JOSETokens

/// The claims of Microsoft's reference of ID tokens, version 2.0: those of its sample, and `email` if the request has
/// the scope.
extension Issuing {
    private var tenant: String { grant.tenant ?? person.tenant }

    private func issuer(of tenant: String) -> String { tenants?.issuer(of: tenant) ?? issuer }

    /// The identifier of the person within a tenant, which differs between tenants.
    private var objectID: String { String(person.uuid.dropLast(12)) + tenant.suffix(8) + person.uuid.suffix(4) }

    func entraID() -> ClaimsBuilder {
        // The sample has neither `auth_time` nor `acr`. It is valid for a day.
        var claims: ClaimsBuilder = [
            "ver": "2.0", "iss": .string(issuer(of: tenant)), "sub": .string(subject),
            "aud": .string(client.clientID), "exp": .integer(seconds + 86_700), "iat": .integer(seconds),
            "nbf": .integer(seconds), "tid": .string(tenant), "aio": .string(Randomness.text()),
        ]
        if grant.has("profile") {
            claims.add([
                "name": .string(person.name), "preferred_username": .string(person.email), "oid": .string(objectID),
            ])
        }
        if grant.has("email") { claims["email"] = .string(person.email) }
        return claims
    }

    func entraUserinfo() -> ClaimsBuilder {
        var claims: ClaimsBuilder = ["sub": .string(subject)]
        if grant.has("profile") { claims["name"] = .string(person.name) }
        if grant.has("email") { claims["email"] = .string(person.email) }
        return claims
    }

    /// Changes the claims about the tenant, as the misbehaviour has it. All but the first leave `iss` the issuer of
    /// `tid`.
    func changeTenant(_ claims: inout ClaimsBuilder) {
        func move(to tenant: String) {
            claims["tid"] = .string(tenant)
            claims["iss"] = .string(issuer(of: tenant))
        }
        switch grant.misbehaviour {
        case .tenantIssuer: claims["iss"] = .string(issuer(of: Tenants.other(than: tenant)))
        case .pathTenant: move(to: "../x")
        case .upperTenant: move(to: tenant.uppercased())
        case .bracedTenant: move(to: "{\(tenant)}")
        case .templateIssuer: move(to: Tenants.placeholder)
        case .strangeTenant: move(to: Tenants.strange)
        case .missingTenant: claims["tid"] = nil
        case .oldVersion: claims["ver"] = "1.0"
        default: break
        }
    }
}
