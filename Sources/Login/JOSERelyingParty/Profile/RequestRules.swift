public import JOSE
internal import JOSESupport

/// The rules for authorization requests and their delivery.
public struct RequestRules: Sendable {
    /// The parameters that a service may set besides those that the login sets itself, by their names. Any other is
    /// rejected with `invalidParameter`. By default they are ``openIDParameters``.
    public var parameters: [ParameterName: ParameterRule] = RequestRules.openIDParameters
    /// The deliveries that the provider supports, the default first. If there are none, no login begins with such a
    /// request.
    public var deliveries: [RequestDelivery] = [.query]
    /// The response mode, by which the provider delivers the callback.
    public var responseMode = ResponseMode.query
    /// Whether PKCE with S256 is used (threat R03). It is false only if the provider does not support it.
    public var usesPKCE = true
    /// The rules for request objects; nil, the default, if the provider accepts none.
    public var object: RequestObjectRules?
    /// Whether the request is for a redirect URI, to which the browser returns.
    var needsRedirectURI = true
    /// Checks a request as a whole, after which each parameter is checked alone, and sets the parameters that the
    /// provider always requires. What it throws fails the login before anything is sent.
    public var check: @Sendable (inout LoginRequest, RelyingPartyClient) throws(RelyingPartyError.Reason) -> Void = {
        (_, _) throws(RelyingPartyError.Reason) in
    }

    /// Creates rules with the default values.
    public init() {}

    /// The optional parameters of OpenID Connect Core, 3.1.2.1.
    public static let openIDParameters: [ParameterName: ParameterRule] = [
        "acr_values": .any, "claims": .any, "display": .oneOf(["page", "popup", "touch", "wap"]),
        "prompt": .listOf(["none", "login", "consent", "select_account"]), "max_age": .seconds, "ui_locales": .any,
        "login_hint": .any, "id_token_hint": .any,
    ]
}

/// The response mode, by which a callback is delivered.
@nonexhaustive public enum ResponseMode: String, Sendable {
    /// The parameters are in the query of the redirect URI.
    case query
    /// The browser posts the parameters as a form (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
}

/// The rule for the value of a parameter.
public struct ParameterRule: Sendable {
    let accepts: @Sendable (String) -> Bool
    /// Whether an invalid value is left out of the request and reported in ``AuthorizationRequest/dropped``; otherwise
    /// it fails the login.
    private(set) var isDropped = false

    /// Creates a rule.
    ///
    /// - Parameter accepts: A function that returns whether a value is valid.
    public init(accepts: @escaping @Sendable (_ value: String) -> Bool) { self.accepts = accepts }

    /// The rule that accepts any value.
    public static let any = ParameterRule { _ in true }
    /// The rule that accepts a number of seconds: 1 to 10 digits.
    public static let seconds = ParameterRule { text in
        (1...10).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns the rule that accepts one of the given values, byte by byte.
    public static func oneOf(_ values: [String]) -> ParameterRule {
        ParameterRule { text in values.contains { bytesEqual($0, text) } }
    }

    /// Returns the rule that accepts one or more of the given values, separated by single spaces.
    public static func listOf(_ values: [String]) -> ParameterRule {
        ParameterRule { text in
            text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).allSatisfy { word in
                values.contains { $0.utf8.elementsEqual(word) }
            }
        }
    }

    /// A copy of the rule by which an invalid value is left out of the request and does not fail the login, for a
    /// provider that would ignore it. ``AuthorizationRequest/dropped`` names the parameter.
    public var dropping: ParameterRule {
        var rule = self
        rule.isDropped = true
        return rule
    }
}

/// The rules for request objects (OpenID Connect Core, 6; RFC 9101).
public struct RequestObjectRules: Sendable {
    /// The signature algorithms. The first one that the client's key can be used with is used.
    public var algorithms: [SignatureAlgorithm]
    /// The audience of the object.
    public var audience = AssertionAudience.issuer
    /// The algorithms of the encryption that follows the signature; nil if the object is only signed.
    public var encryption: EncryptionRules?
    /// The lifetime of a request object, at most 600 seconds: 120 seconds by default.
    public var lifetime = Duration.seconds(120)
    /// Whether the object has `nbf` besides `iat` and `exp`.
    public var hasNotBefore = false
    /// The type (`typ`) of the object.
    public var type = "JWT"
    /// Returns whether a string is a `request_uri` that the provider accepts.
    public var acceptsURI: @Sendable (String) -> Bool = { _ in true }

    /// Creates rules for objects that are only signed.
    ///
    /// - Parameter algorithms: The signature algorithms. The first one that the client's key can be used with is used.
    public init(algorithms: [SignatureAlgorithm] = [.rs256]) { self.algorithms = algorithms }
}
