/// A way to answer wrongly, from the providers' test lists. The table below is the only one: pages and tests read it.
package enum Misbehaviour: String, CaseIterable, Sendable {
    // The authorization response, which the browser brings.
    case missingState = "missing-state"
    case wrongState = "wrong-state"
    case twoCodes = "two-codes"
    case missingCode = "missing-code"
    case otherIssuer = "other-iss"
    case answeredByGet = "answered-by-get"
    case busy = "busy"
    case unknownError = "unknown-error"
    // The token endpoint.
    case codeRefused = "code-refused"
    case missingIDToken = "missing-id-token"
    // The ID token's layers.
    case bareJWS = "bare-jws"
    case bareClaims = "bare-claims"
    case unsigned = "alg-none"
    case publicKeyAsSecret = "hs256"
    case rsa15 = "rsa1_5"
    case compressed = "zip"
    case critical = "crit"
    case tampered = "tampered"
    case logoutType = "typ-logout"
    case strangersKey = "strangers-key"
    case unknownKey = "unknown-kid"
    case transactionKey = "transaction-key"
    // Its claims.
    case wrongIssuer = "wrong-iss"
    case wrongAudience = "wrong-aud"
    case wrongNonce = "wrong-nonce"
    case missingNonce = "missing-nonce"
    case expired = "expired"
    case future = "future"
    case wrongHash = "wrong-at-hash"
    case wrongCodeHash = "wrong-c-hash"
    case otherParty = "other-azp"
    case secondAudience = "second-aud"
    case logoutEvents = "logout-events"
    case lowLevel = "low-level"
    case missingSubject = "missing-sub"
    case otherProvider = "other-idp"
    case ageProof = "age-proof"
    case loginToken = "login-token"
    case missingAge = "missing-age"
    case twoAges = "two-ages"
    // The tenant of an issuer by template, and the issuer of the key.
    case tenantIssuer = "iss-of-other-tenant"
    case pathTenant = "tid-path"
    case upperTenant = "tid-upper-case"
    case bracedTenant = "tid-braces"
    case missingTenant = "missing-tid"
    case templateIssuer = "iss-is-template"
    case strangeTenant = "tenant-not-listed"
    case personalKey = "personal-key"
    case unboundKey = "key-without-issuer"
    case oldVersion = "ver-1"
    // Userinfo.
    case otherSubject = "other-sub"
    case plainUserinfo = "plain-userinfo"
    case userinfoRefused = "userinfo-refused"

    package struct Row: Sendable {
        package let title: String
        /// The code with which a relying party must end the login; `|` separates the codes for signed tokens and for
        /// nested ones, those of logins in a browser and of itsme's by the back channel, and those of AltID's ages, of
        /// MitID's answer about an age, and of MitID's age in years. A name in parentheses is the value that the reason
        /// carries.
        package let failure: String
    }

    package var row: Row {
        switch self {
        case .missingState: Row(title: "state left out", failure: "state_mismatch")
        // The browser has no cookie for this state.
        case .wrongState: Row(title: "another state", failure: "binding_mismatch")
        case .twoCodes: Row(title: "two codes", failure: "duplicate_parameter(code)")
        case .missingCode: Row(title: "no code", failure: "missing_parameter(code)")
        case .otherIssuer: Row(title: "another iss in the response with the code", failure: "issuer_mismatch")
        case .answeredByGet: Row(title: "answer by GET", failure: "invalid_parameter(response_mode)")
        case .busy: Row(title: "temporarily unavailable", failure: "provider_error(temporarily_unavailable)")
        case .unknownError: Row(title: "an unknown error code", failure: "provider_error(sandbox_is_odd)")
        case .codeRefused: Row(title: "the code is refused", failure: "provider_error(invalid_grant)")
        case .missingIDToken: Row(title: "no ID token", failure: "missing_parameter(id_token)|claim_missing(id_token)")
        case .bareJWS: Row(title: "ID token without encryption", failure: "token_not_encrypted")
        case .bareClaims: Row(title: "encrypted claims without signature", failure: "token_not_signed")
        case .unsigned: Row(title: "ID token with alg none", failure: "algorithm_not_allowed")
        case .publicKeyAsSecret: Row(title: "ID token with HS256 by the public key", failure: "algorithm_not_allowed")
        case .rsa15: Row(title: "ID token encrypted with RSA1_5", failure: "algorithm_not_allowed")
        case .compressed: Row(title: "compressed ID token", failure: "algorithm_not_allowed")
        case .critical: Row(title: "ID token with a critical extension", failure: "critical_header_unknown")
        case .tampered: Row(title: "ID token with one bit changed", failure: "decryption_failed|signature_invalid")
        case .logoutType: Row(title: "ID token with the typ of a logout token", failure: "content_type_mismatch")
        case .strangersKey: Row(title: "ID token not signed with the key that kid names", failure: "signature_invalid")
        case .unknownKey: Row(title: "ID token under a kid that is not published", failure: "key_not_found")
        case .transactionKey: Row(title: "ID token signed by the transaction key", failure: "key_unsuitable")
        case .wrongIssuer: Row(title: "another iss", failure: "issuer_mismatch")
        case .wrongAudience: Row(title: "another aud", failure: "audience_mismatch")
        case .wrongNonce: Row(title: "another nonce", failure: "nonce_mismatch")
        case .missingNonce: Row(title: "no nonce", failure: "nonce_mismatch")
        case .expired: Row(title: "expired", failure: "token_expired")
        case .future: Row(title: "issued in an hour", failure: "token_issued_in_future")
        case .wrongHash: Row(title: "at_hash of another access token", failure: "hash_mismatch")
        case .wrongCodeHash: Row(title: "c_hash of another code", failure: "hash_mismatch")
        case .otherParty: Row(title: "azp of another client", failure: "authorized_party_mismatch")
        case .secondAudience: Row(title: "a second aud", failure: "audience_mismatch|authorized_party_mismatch")
        case .logoutEvents: Row(title: "events of a logout token", failure: "claim_unexpected(events)")
        case .lowLevel: Row(title: "the lowest level", failure: "acr_too_low")
        case .missingSubject: Row(title: "no sub", failure: "claim_missing(sub)")
        case .otherProvider: Row(title: "an identity provider not asked for", failure: "claim_unexpected(idp)")
        case .ageProof: Row(title: "an age proof as ID token", failure: "claim_unexpected(idtoken_type)")
        case .loginToken: Row(title: "an ID token of a login", failure: "claim_unexpected(idtoken_type)")
        case .missingAge:
            Row(
                title: "no answer about an age",
                failure:
                    "claim_missing(age_over_18)|claim_missing(idbrokerdk_age_verified)|claim_missing(idbrokerdk_age)")
        case .twoAges:
            Row(title: "two answers about an age", failure: "claim_unexpected(age_over_18)|claim_unexpected(age)")
        case .tenantIssuer: Row(title: "the iss of another tenant", failure: "issuer_mismatch")
        case .pathTenant: Row(title: "a path as tid", failure: "claim_type_invalid(tid)")
        case .upperTenant: Row(title: "tid in upper case", failure: "claim_type_invalid(tid)")
        case .bracedTenant: Row(title: "tid in braces", failure: "claim_type_invalid(tid)")
        case .missingTenant: Row(title: "no tid", failure: "claim_missing(tid)")
        case .templateIssuer: Row(title: "the template as iss", failure: "claim_type_invalid(tid)")
        case .strangeTenant: Row(title: "a tenant that is not accepted", failure: "untrusted_issuer")
        case .personalKey: Row(title: "the key of personal accounts", failure: "key_unsuitable")
        case .unboundKey: Row(title: "a key that names no issuer", failure: "key_unsuitable")
        case .oldVersion: Row(title: "ver 1.0", failure: "claim_unexpected(ver)")
        case .otherSubject: Row(title: "userinfo of another sub", failure: "subject_mismatch")
        case .plainUserinfo: Row(title: "userinfo without encryption", failure: "token_not_encrypted")
        case .userinfoRefused: Row(title: "userinfo refused", failure: "provider_error(invalid_token)")
        }
    }

    /// The misbehaviours of answers by the browser. A back-channel login has no such answer, and neither code nor
    /// nonce.
    private static let ofBrowsers: Set<Self> = [
        .missingState, .wrongState, .twoCodes, .missingCode, .otherIssuer, .answeredByGet, .busy, .unknownError,
        .codeRefused, .wrongNonce, .missingNonce, .wrongCodeHash,
    ]

    /// Returns whether the answer is wrong under the rules of the client's provider, and possible there.
    package func applies(to client: Registration) -> Bool {
        if client.isBackChannel, Self.ofBrowsers.contains(self) { return false }
        return switch self {
        case .loginToken: client.isAgeProof
        case .missingAge, .twoAges: client.isAgeProof || client.isMitIDAge
        case .ageProof: client.flavour == .mitID && !client.isAgeProof
        case .tenantIssuer, .pathTenant, .upperTenant, .bracedTenant, .missingTenant, .templateIssuer, .strangeTenant,
            .personalKey, .unboundKey, .oldVersion:
            client.flavour == .entra
        // The ID token of Entra ID has the claims of userinfo, so that userinfo is not requested.
        case .otherSubject, .userinfoRefused: !client.isAgeProof && client.flavour != .entra
        case .lowLevel: client.requiresLevel
        case .answeredByGet, .transactionKey, .otherProvider: client.flavour == .mitID
        case .otherIssuer: client.flavour == .mitID || client.flavour == .openID
        case .bareJWS, .bareClaims, .compressed, .plainUserinfo: client.tokens.isEncrypted
        case .rsa15: if case .nested = client.tokens { true } else { false }
        case .missingNonce: !client.flavour.isItsme || client.flavour == .itsmeNow || client.flavour == .itsmeV2
        default: true
        }
    }

    package static func all(for client: Registration) -> [Misbehaviour] { allCases.filter { $0.applies(to: client) } }
}
