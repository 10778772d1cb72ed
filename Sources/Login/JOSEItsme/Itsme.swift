internal import JOSE
internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSETokens

/// The rules that all generations of itsme share: identifiers, URLs, levels, and the meaning of errors.
enum Itsme {
    enum Generation { case first, second, today }

    /// The issuers of a generation.
    struct Issuers {
        let test: String
        let production: String
    }

    static let second = Issuers(
        test: "https://idp.e2e.itsme.services/v2", production: "https://idp.prd.itsme.services/v2")
    static let first = Issuers(
        test: "https://e2emerchant.itsme.be/oidc", production: "https://merchant.itsme.be/oidc")

    /// The rules for an ID token, in itsme's order. The age is checked if `max_age` was sent, which the first
    /// generation supports.
    static let rules: [LoginRule] = [
        .issuer, .audience(trusted: []), .authorizedPartyIfPresent, .expiration, .notBefore,
        .issuedAt, .nonce, level, .authenticationTime, .subject,
    ]

    /// The rules for an ID token of the second generation, whose `sub` has 32 characters. The samples of other
    /// generations have other lengths.
    static let secondRules: [LoginRule] =
        rules + [
            LoginRule { login throws(RelyingPartyError.Reason) in
                guard login.claims.subject?.utf8.count == 32 else { throw .claimType("sub") }
            }
        ]

    /// Returns whether a string is a redirect URI: itsme allows no parameters in one. A client may register several,
    /// one for each service.
    static let acceptsRedirectURI: @Sendable (_ uri: String, _ clientID: String) -> Bool = { uri, _ in
        ClientRules.redirectURL(uri).map { !$0.hasQuery } ?? false
    }

    /// The level must be at least the highest requested one. A token without `acr` is of the lowest level.
    private static let level = LoginRule { login throws(RelyingPartyError.Reason) in
        let wanted = login.acrValues.compactMap(ItsmeLevel.rank).max() ?? 0
        let given = try login.string("acr").map { ItsmeLevel.rank($0) ?? Int.min } ?? 0
        guard given >= wanted else { throw .acrTooLow }
        try login.checkEssentialLevels(ItsmeLevel.rank)
    }

    static let errors = ErrorRules { code, _, endpoint in
        switch (endpoint, code.description) {
        case (.authorization, "access_denied"): ErrorMeaning(.cancelled, action: .tellUser)
        case (.authorization, "interaction_required"): ErrorMeaning(action: .restart)
        case (.authorization, "temporary_unavailable"), (.authorization, "temporarily_unavailable"):
            ErrorMeaning(action: .retry)
        case (.token, "invalid_grant"): ErrorMeaning(action: .restart)
        case (.userInfo, "invalid_token"): ErrorMeaning(action: .restart)
        // An undocumented code does not show that the configuration is wrong.
        case (.authorization, let code) where !known.contains(code): ErrorMeaning(action: .restart)
        default: ErrorMeaning(action: .fixConfiguration)
        }
    }

    /// The error codes that show a fault of the configuration.
    private static let known: Set<String> = [
        "invalid_request_object", "invalid_request_uri", "request_uri_not_supported", "registration_not_supported",
        "invalid_request", "invalid_scope", "unsupported_response_type", "unsupported_display", "unauthorized_client",
        "invalid_client_id", "invalid_redirect_uri", "unsupported_request", "login_required", "unsupported_grant_type",
        "invalid_grant", "not_implemented",
    ]
}

/// A level of assurance of itsme.
public enum ItsmeLevel: Int, Sendable, RankedLevel {
    /// A login that the user may confirm with biometrics.
    case basic
    /// A login that the user confirms with the itsme code.
    case advanced

    /// Creates a level from one of the four spellings of `acr`, compared byte by byte. Nil for any other text.
    init?(acr: String) {
        let found = Self.prefixes.first { acr.utf8.starts(with: $0.utf8) }
        switch found.map({ acr.utf8.dropFirst($0.utf8.count) }) {
        case let suffix? where suffix.elementsEqual("basic".utf8): self = .basic
        case let suffix? where suffix.elementsEqual("advanced".utf8): self = .advanced
        default: return nil
        }
    }

    static let rank: @Sendable (String) -> Int? = { ItsmeLevel(acr: $0)?.rawValue }

    static let tags = "tag:itsmetag:sixdots.be,2016-06:acr_"
    static let addresses = "http://itsme.services/v2/claim/acr_"
    private static let prefixes = [
        tags, addresses, "tag:sixdots.be,2016-06:acr_", "http://itsme.services/V2/claim/acr_",
    ]

    /// Returns the value of `acr_values` for this level.
    func acr(_ prefix: String) -> String { prefix + (self == .basic ? "basic" : "advanced") }
}
