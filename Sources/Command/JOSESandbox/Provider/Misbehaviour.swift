/// A way to answer wrongly, from the providers' test lists. `|` separates the failures of signed tokens and of nested
/// ones, those of logins in a browser and of itsme's by the back channel, and those of AltID's ages, of MitID's answer
/// about an age, and of MitID's age in years.
package enum Misbehaviour: WrongAnswerRow, WrongAnswer {
    // The authorization response, which the browser brings.
    case missingState = "missing-state: state left out -> state_mismatch"
    // The browser has no cookie for this state.
    case wrongState = "wrong-state: another state -> binding_mismatch"
    case twoCodes = "two-codes: two codes -> duplicate_parameter(code)"
    case missingCode = "missing-code: no code -> missing_parameter(code)"
    case otherIssuer = "other-iss: another iss in the response with the code -> issuer_mismatch"
    case answeredByGet = "answered-by-get: answer by GET -> invalid_parameter(response_mode)"
    case busy = "busy: temporarily unavailable -> provider_error(temporarily_unavailable)"
    case unknownError = "unknown-error: an unknown error code -> provider_error(sandbox_is_odd)"
    // The token endpoint.
    case codeRefused = "code-refused: the code is refused -> provider_error(invalid_grant)"
    case missingIDToken = "missing-id-token: no ID token -> missing_parameter(id_token)|claim_missing(id_token)"
    // The ID token's layers.
    case bareJWS = "bare-jws: ID token without encryption -> token_not_encrypted"
    case bareClaims = "bare-claims: encrypted claims without signature -> token_not_signed"
    case unsigned = "alg-none: ID token with alg none -> algorithm_not_allowed"
    case publicKeyAsSecret = "hs256: ID token with HS256 by the public key -> algorithm_not_allowed"
    case rsa15 = "rsa1_5: ID token encrypted with RSA1_5 -> algorithm_not_allowed"
    case compressed = "zip: compressed ID token -> algorithm_not_allowed"
    case critical = "crit: ID token with a critical extension -> critical_header_unknown"
    case tampered = "tampered: ID token with one bit changed -> decryption_failed|signature_invalid"
    case logoutType = "typ-logout: ID token with the typ of a logout token -> content_type_mismatch"
    case strangersKey = "strangers-key: ID token not signed with the key that kid names -> signature_invalid"
    case unknownKey = "unknown-kid: ID token under a kid that is not published -> key_not_found"
    case transactionKey = "transaction-key: ID token signed by the transaction key -> key_unsuitable"
    // Its claims.
    case wrongIssuer = "wrong-iss: another iss -> issuer_mismatch"
    case wrongAudience = "wrong-aud: another aud -> audience_mismatch"
    case wrongNonce = "wrong-nonce: another nonce -> nonce_mismatch"
    case missingNonce = "missing-nonce: no nonce -> nonce_mismatch"
    case expired = "expired: expired -> token_expired"
    case future = "future: issued in an hour -> token_issued_in_future"
    case wrongHash = "wrong-at-hash: at_hash of another access token -> hash_mismatch"
    case wrongCodeHash = "wrong-c-hash: c_hash of another code -> hash_mismatch"
    case otherParty = "other-azp: azp of another client -> authorized_party_mismatch"
    case secondAudience = "second-aud: a second aud -> audience_mismatch|authorized_party_mismatch"
    case logoutEvents = "logout-events: events of a logout token -> claim_unexpected(events)"
    case lowLevel = "low-level: the lowest level -> acr_too_low"
    case missingSubject = "missing-sub: no sub -> claim_missing(sub)"
    case otherProvider = "other-idp: an identity provider not asked for -> claim_unexpected(idp)"
    case ageProof = "age-proof: an age proof as ID token -> claim_unexpected(idtoken_type)"
    case loginToken = "login-token: an ID token of a login -> claim_unexpected(idtoken_type)"
    case missingAge = """
        missing-age: no answer about an age -> \
        claim_missing(age_over_18)|claim_missing(idbrokerdk_age_verified)|claim_missing(idbrokerdk_age)
        """
    case twoAges = "two-ages: two answers about an age -> claim_unexpected(age_over_18)|claim_unexpected(age)"
    // The tenant of an issuer by template, and the issuer of the key.
    case tenantIssuer = "iss-of-other-tenant: the iss of another tenant -> issuer_mismatch"
    case pathTenant = "tid-path: a path as tid -> claim_type_invalid(tid)"
    case upperTenant = "tid-upper-case: tid in upper case -> claim_type_invalid(tid)"
    case bracedTenant = "tid-braces: tid in braces -> claim_type_invalid(tid)"
    case missingTenant = "missing-tid: no tid -> claim_missing(tid)"
    case templateIssuer = "iss-is-template: the template as iss -> claim_type_invalid(tid)"
    case strangeTenant = "tenant-not-listed: a tenant that is not accepted -> untrusted_issuer"
    case personalKey = "personal-key: the key of personal accounts -> key_unsuitable"
    case unboundKey = "key-without-issuer: a key that names no issuer -> key_unsuitable"
    case oldVersion = "ver-1: ver 1.0 -> claim_unexpected(ver)"
    // Userinfo.
    case otherSubject = "other-sub: userinfo of another sub -> subject_mismatch"
    case plainUserinfo = "plain-userinfo: userinfo without encryption -> token_not_encrypted"
    case userinfoRefused = "userinfo-refused: userinfo refused -> provider_error(invalid_token)"

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
