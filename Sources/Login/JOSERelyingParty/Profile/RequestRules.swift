internal import JOSE
internal import JOSEBytes

/// The rules for authorization requests and their delivery.
struct RequestRules: Sendable {
    /// The parameters that a service may set besides those that the login sets itself. Any other is rejected.
    var parameters: [String: ParameterRule] = RequestRules.ofOpenID
    /// The deliveries that the provider supports, the default first.
    var deliveries: [RequestDelivery] = [.query]
    var responseMode = ResponseMode.query
    /// Whether PKCE with S256 is used (threat R03). It is false only if the provider does not support it.
    var usesPKCE = true
    var object: RequestObjectRules?
    /// Whether logins begin in the back end, and none begins in a browser.
    var isBackChannel = false
    /// Checks a request as a whole, after which each parameter is checked alone, and sets the parameters that the
    /// provider always requires.
    var check: @Sendable (inout LoginRequest, RelyingPartyClient) throws(RelyingPartyError.Reason) -> Void = {
        (_, _) throws(RelyingPartyError.Reason) in
    }

    /// The parameters of OpenID Connect Core, 3.1.2.1.
    static let ofOpenID: [String: ParameterRule] = [
        "acr_values": .any, "claims": .any, "display": .oneOf(["page", "popup", "touch", "wap"]),
        "prompt": .listOf(["none", "login", "consent", "select_account"]), "max_age": .seconds, "ui_locales": .any,
        "login_hint": .any, "id_token_hint": .any,
    ]
}

/// The response mode, by which a callback is delivered.
enum ResponseMode: String, Sendable { case query, formPost = "form_post" }

/// The rule for the value of a parameter.
struct ParameterRule: Sendable {
    let accepts: @Sendable (String) -> Bool
    /// Whether an invalid value is left out of the request and reported in ``AuthorizationRequest/dropped``; otherwise
    /// it fails the login.
    var isDropped = false

    static let any = ParameterRule { _ in true }
    static let seconds = ParameterRule { text in
        (1...10).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    static func oneOf(_ values: [String]) -> ParameterRule {
        ParameterRule { text in values.contains { bytesEqual($0, text) } }
    }

    /// Returns a rule for values separated by single spaces.
    static func listOf(_ values: [String]) -> ParameterRule {
        ParameterRule { text in
            text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).allSatisfy { word in
                values.contains { $0.utf8.elementsEqual(word) }
            }
        }
    }

    /// A copy of the rule by which an invalid value is left out and does not fail the login.
    var dropping: ParameterRule {
        var rule = self
        rule.isDropped = true
        return rule
    }
}

/// The rules for request objects (OpenID Connect Core, 6; RFC 9101).
struct RequestObjectRules: Sendable {
    var algorithms: [SignatureAlgorithm] = [.rs256]
    var audience = AudienceRuleOfProfile.issuer
    /// The algorithms of the encryption that follows the signature; nil if the object is only signed.
    var encryption: EncryptionRules?
    /// The lifetime of a request object.
    var lifetime = Duration.seconds(120)
    /// Whether the object has `nbf` besides `iat` and `exp`.
    var hasNotBefore = false
    /// The type (`typ`) of the object.
    var type = "JWT"
    /// Returns whether a string is a valid `request_uri`.
    var acceptsURI: @Sendable (String) -> Bool = { _ in true }
}
