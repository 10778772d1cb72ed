internal import JOSE

/// The rules for logins that the back end begins and for whose result it polls (OpenID Connect Client-Initiated
/// Backchannel Authentication Core 1.0, poll mode). Ping and push are not supported.
public struct BackChannelRules: Sendable {
    /// The rules for authentication requests (7.1 and 7.1.1).
    ///
    /// ``RequestDelivery/pushedParameters`` sends the parameters as a form, ``RequestDelivery/pushed`` as a signed
    /// request. By default both are possible, the parameters are ``parameters``, and a signed request is valid for 60
    /// seconds. A signed request is valid for at most 300 seconds and never encrypted; the response mode and PKCE are
    /// not used.
    public var request: RequestRules
    /// Whether ID tokens may have a `nonce`. By default such a token is rejected with `claimUnexpected`, because an
    /// authentication request has none.
    public var acceptsNonce = false
    /// The functions that begin a login: those of this library for any provider, or functions of the profile, with
    /// which a browser takes part, the provider finds the user first, whom a signed or a plain hint then names, or no
    /// hint names the user.
    package enum Beginning: Equatable { case request, browser, discoveredUser(isSigned: Bool), unknownUser }
    package var beginning = Beginning.request
    /// The path of the endpoint after the issuer, for a provider whose metadata do not announce the endpoint, the poll
    /// mode and the signature algorithms; nil if they do.
    package var endpointPath: String?
    /// Whether polls have `client_id` besides the authentication of the client.
    package var pollsNameClient = false

    /// Creates rules with the default values.
    public init() {
        request = RequestRules()
        request.parameters = Self.parameters
        request.deliveries = [.pushedParameters, .pushed]
        request.object = RequestObjectRules(algorithms: [.rs256, .ps256, .es256])
        request.object?.lifetime = .seconds(60)
        request.needsRedirectURI = false
        request.usesPKCE = false
    }

    /// The parameters of an authentication request that a service may set (7.1). `binding_message` has 1 to 64
    /// characters.
    public static let parameters: [ParameterName: ParameterRule] = [
        "acr_values": .any, "login_hint": .plainText(1_024), "login_hint_token": .plainText(16_384),
        "id_token_hint": .plainText(65_536), "binding_message": .plainText(64), "user_code": .plainText(128),
        "requested_expiry": ParameterRule { text in digits(text).map { $0 > 0 && $0 <= 1_000_000_000 } == true },
    ]

    /// The parameters of which a request has exactly one (7.1).
    static let hints: [ParameterName] = ["login_hint", "login_hint_token", "id_token_hint"]
}

extension ParameterRule {
    /// Returns the rule that accepts a text without control characters, format characters and line breaks.
    ///
    /// - Parameter limit: The largest number of characters, each of them a Unicode scalar value. The smallest is 1.
    public static func plainText(_ limit: Int) -> ParameterRule {
        ParameterRule { text in
            // A character has at most four bytes, so that a longer text is not counted.
            text.utf8.count / 4 <= limit && !text.isEmpty && text.unicodeScalars.count <= limit
                && text.unicodeScalars.allSatisfy { character in
                    switch character.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
                    default: true
                    }
                }
        }
    }
}

extension LoginRequest {
    /// The text that the user sees on both devices (`binding_message`), for a login that the back end begins.
    public var bindingMessage: String? {
        get { self["binding_message"] }
        set { self["binding_message"] = newValue }
    }

    /// The requested time until a login that the back end begins expires (`requested_expiry`). Fractions of a second
    /// are dropped.
    public var requestedExpiry: Duration? {
        get { self["requested_expiry"].flatMap { Int64($0) }.map { .seconds($0) } }
        set { self["requested_expiry"] = newValue.map { String($0.components.seconds) } }
    }
}
