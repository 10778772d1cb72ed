internal import JOSE
internal import JOSETokens

/// The claims of the wallet AltID, as the broker's documentation names them: those of a person, and those of an age
/// alone.
extension Issuing {
    /// The name of the wallet's part that answers, as the request names it.
    private var wallet: String? { ["euid", "euav"].first { $0 == grant.parameters["idp_values"] } }

    var isAltID: Bool { wallet != nil }

    /// Returns the claims of the ID token, which has neither a level nor a type of identity.
    func altIDID() throws -> ClaimsBuilder {
        var claims = common(lifetime: 300)
        claims["nbf"] = .integer(seconds)
        claims["at_hash"] = .string(try SignatureAlgorithm.rs256.tokenHash(of: accessToken))
        claims["idp"] = wallet.map { .string($0) }
        claims["transaction_id"] = .string(transactionID)
        guard wallet == "euav" else {
            claims["session_expiry"] = .string(String(seconds + 14_400))
            claims["idtoken_type"] = "transactional"
            return claims
        }
        claims["idtoken_type"] = grant.misbehaviour == .loginToken ? "transactional" : "av"
        let prefix = "age_over:"
        for age in grant.scopes.filter({ $0.hasPrefix(prefix) }).compactMap({ Int($0.dropFirst(prefix.count)) })
        where grant.misbehaviour != .missingAge {
            claims["age_over_\(age)"] = .bool(isAtLeast(age))
        }
        if grant.misbehaviour == .twoAges {
            for age in [18, 67] { claims["age_over:\(age)"] = .bool(!isAtLeast(age)) }
        }
        return claims
    }

    /// Returns what the person disclosed, of what the request has scopes for.
    func altIDUserinfo() -> ClaimsBuilder {
        let values: [(String, ClaimValue)] = [
            ("full_name", .string(person.name)), ("given_name", .string(person.givenName)),
            ("family_name", .string(person.familyName)), ("birth_date", .string(person.birthdate)),
            ("nationality", ["DK"]), ("personal_administrative_number", .string(person.danishNumber)),
            ("issuing_country", "DK"),
        ]
        var claims: ClaimsBuilder = ["sub": .string(subject)]
        for (name, value) in values where grant.has(name) { claims[name] = value }
        return claims
    }
}
