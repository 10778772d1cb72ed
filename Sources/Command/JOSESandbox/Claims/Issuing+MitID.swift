internal import JOSE
internal import JOSECrypto
internal import JOSESupport
internal import JOSETokens

/// The claims of the broker's documentation and of its test environment: all members of userinfo are strings.
extension Issuing {
    private static let levels = "https://data.gov.dk/concept/core/nsis/"

    /// Whether MitID Erhverv answers, because the request names it first.
    private var isBusiness: Bool { grant.parameters["idp_values"]?.hasPrefix("mitid_erhverv") ?? false }

    /// The age that the request asks about, with the scope for it.
    private var verifiedAge: Int? {
        let prefix = "age_verify:"
        return grant.scopes.first { $0.hasPrefix(prefix) }.flatMap { Int($0.dropFirst(prefix.count)) }
    }

    /// Whether the response states the age in years.
    private var statesYears: Bool { grant.has("age") && grant.misbehaviour != .missingAge }

    func mitIDID() throws -> ClaimsBuilder {
        if isAltID { return try altIDID() }
        var claims = common(lifetime: 300)
        let highest = isBusiness ? "Substantial" : "High"
        let level: ClaimValue = .string(Self.levels + (isHigh ? highest : "Low"))
        claims.add([
            "nbf": .integer(seconds), "amr": isBusiness ? ["mitid:code_app"] : ["code_app"],
            "at_hash": .string(try SignatureAlgorithm.rs256.tokenHash(of: accessToken)),
            "sid": .string(Randomness.text()), "neb_sid": .string(Randomness.text()),
            "idp": isBusiness ? "mitid_erhverv" : "mitid", "acr": level, "loa": level, "aal": level, "ial": level,
            "identity_type": isBusiness ? "professional" : "private",
        ])
        if isBusiness { claims["loip"] = "extended" }
        if let age = verifiedAge, grant.misbehaviour != .missingAge {
            claims["idbrokerdk_age_verified"] = .string("\(age):\(isAtLeast(age))")
        }
        if statesYears { claims["idbrokerdk_age"] = .string("\(person.age(at: now))") }
        claims.add([
            "transaction_id": .string(transactionID), "idp_transaction_id": .string(Randomness.text()),
            "session_expiry": .string(String(seconds + 14_400)), "idtoken_type": "transactional",
        ])
        return claims
    }

    func mitIDUserinfo() -> ClaimsBuilder {
        if isBusiness { return businessUserinfo() }
        if isAltID { return altIDUserinfo() }
        var claims = grant.has("minimal") ? ["sub": .string(subject)] : personUserinfo()
        if let age = verifiedAge {
            let answer = isAtLeast(age) != (grant.misbehaviour == .twoAges)
            claims["idbrokerdk_age_verify_\(age)"] = "\(answer)"
        }
        if statesYears {
            let years = person.age(at: now) + (grant.misbehaviour == .twoAges ? 1 : 0)
            claims["idbrokerdk_age"] = .string("\(years)")
        }
        return claims
    }

    /// Returns the claims about a person. A minimal response, which identifies nobody, has none of them but a subject.
    private func personUserinfo() -> ClaimsBuilder {
        var claims: ClaimsBuilder = [
            "sub": .string(subject), "mitid.uuid": .string(person.uuid), "mitid.age": .string("\(person.age(at: now))"),
            "mitid.date_of_birth": .string(person.birthdate), "mitid.has_cpr": "true",
            "mitid.identity_name": .string(person.name), "mitid.transaction_id": .string(Randomness.text()),
            "mitid.psd2": "false", "idp_identity_id": .string(person.uuid), "session_is_active": "true",
            "session_expiry": .string(String(seconds + 14_400)),
        ]
        if grant.has("ssn") { claims["dk.cpr"] = .string(person.danishNumber) }
        if grant.has("ssn.details_name") {
            claims.add([
                "ssn.details.status": "success", "ssn.details.person_status": "Active",
                "ssn.details.name_address_protected": "false", "ssn.details.given_name": .string(person.givenName),
                "ssn.details.surname": .string(person.familyName),
            ])
        }
        return claims
    }

    /// Returns the claims of a member of an organization, if the request has the scope for them.
    private func businessUserinfo() -> ClaimsBuilder {
        guard grant.has("nemlogin") else { return ["sub": .string(subject)] }
        return [
            "sub": .string(subject), "nemlogin.name": .string(person.name),
            "nemlogin.given_name": .string(person.givenName), "nemlogin.family_name": .string(person.familyName),
            "nemlogin.org_name": "Sandbox", "nemlogin.cvr": "12345678",
            "nemlogin.persistent_professional_id": .string("urn:sandbox:" + person.uuid),
        ]
    }

    /// The members of `userinfo_token` besides the registered ones.
    var mitIDUserinfoMembers: ClaimsBuilder {
        [
            "mitid.uuid": .string(person.uuid), "mitid.identity_name": .string(person.name), "mitid.has_cpr": "true",
        ]
    }

    /// Returns the claims of the transaction token, the evidence of a transaction, which is valid for six years.
    func mitIDTransaction() throws -> ClaimsBuilder {
        var claims = try mitIDID()
        claims["nonce"] = nil
        claims["at_hash"] = nil
        claims["exp"] = .integer(seconds + 189_388_800)
        claims["amr"] = "code_app"
        claims["transaction_actions"] = "LOG_ON"
        if let text = transactionText() {
            let digest = try Hash.sha256.digest(text.span)
            claims["transaction_text_sha256"] = .string(Base64.encode(digest.span))
        }
        return claims
    }

    private func transactionText() -> [UInt8]? {
        guard let text = grant.parameters["idp_params"].map({ Array($0.utf8) }),
            let object = try? JSONObject(parsing: text.span),
            let mitID = object.first("mitid", in: text.span)?.object(in: text.span),
            let encoded = mitID.first("transaction_text", in: text.span)?.string(in: text.span)
        else { return nil }
        return Base64.decode(Array(encoded.utf8))
    }
}
