internal import JOSE
internal import JOSEBytes

/// What may stand in an authorization request, and how it travels.
struct RequestRules: Sendable {
    /// Those that a service may set besides what the login sets itself; any other is refused.
    var parameters: [String: ParameterRule] = RequestRules.ofOpenID
    /// The ways that the provider has, the usual one first.
    var deliveries: [RequestDelivery] = [.query]
    var responseMode = ResponseMode.query
    /// S256 (threat R03); false only where the provider has none.
    var usesPKCE = true
    var object: RequestObjectRules?
    /// The back end begins the login, and none begins in a browser.
    var isBackChannel = false
    /// What no rule of a single parameter can say; also the place to set what the provider always wants.
    var check: @Sendable (inout LoginRequest, RelyingPartyClient) throws(RelyingPartyError.Reason) -> Void = {
        (_, _) throws(RelyingPartyError.Reason) in
    }

    /// OpenID Connect Core, 3.1.2.1.
    static let ofOpenID: [String: ParameterRule] = [
        "acr_values": .any, "claims": .any, "display": .oneOf(["page", "popup", "touch", "wap"]),
        "prompt": .listOf(["none", "login", "consent", "select_account"]), "max_age": .seconds, "ui_locales": .any,
        "login_hint": .any, "id_token_hint": .any,
    ]
}

/// How a callback comes.
enum ResponseMode: String, Sendable { case query, formPost = "form_post" }

/// What a parameter's value must be.
struct ParameterRule: Sendable {
    let accepts: @Sendable (String) -> Bool
    /// A value that does not hold is left out, and the login tells so; else it refuses the request.
    var isDropped = false

    static let any = ParameterRule { _ in true }
    static let seconds = ParameterRule { text in
        (1...10).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    static func oneOf(_ values: [String]) -> ParameterRule {
        ParameterRule { text in values.contains { $0.utf8.elementsEqual(text.utf8) } }
    }

    /// Words with one space between them.
    static func listOf(_ values: [String]) -> ParameterRule {
        ParameterRule { text in
            text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).allSatisfy { word in
                values.contains { $0.utf8.elementsEqual(word) }
            }
        }
    }

    /// The same rule, by which a value is left out and does not refuse the request.
    var dropping: ParameterRule {
        var rule = self
        rule.isDropped = true
        return rule
    }
}

/// What a request object is (OpenID Connect Core, 6; RFC 9101).
struct RequestObjectRules: Sendable {
    var algorithms: [SignatureAlgorithm] = [.rs256]
    var audience = AudienceRuleOfProfile.issuer
    /// Signed, then encrypted; nil: signed alone.
    var encryption: EncryptionRules?
    /// Seconds.
    var lifetime = 120.0
    /// `nbf` beside `iat` and `exp`.
    var hasNotBefore = false
    /// `typ`.
    var type = "JWT"
    /// What a `request_uri` must be.
    var acceptsURI: @Sendable (String) -> Bool = { _ in true }
}
