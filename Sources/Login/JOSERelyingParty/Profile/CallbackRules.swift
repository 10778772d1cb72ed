/// The rules for callbacks, the requests to the redirect URI.
public struct CallbackRules: Sendable {
    /// The rule for the parameter `iss` (RFC 9207). A parameter that is present is always checked.
    @nonexhaustive public enum IssuerParameter: Sendable {
        /// The parameter is required if the metadata says that it is sent.
        case asAnnounced
        /// The parameter is required if the metadata says that it is sent, except in error responses.
        case asAnnouncedWithoutErrors
    }
    /// The rule for the parameter `iss`.
    public var issuer = IssuerParameter.asAnnounced
    /// Whether a repeated callback is reported as `replayed` and not as `stateMismatch`. This stores one more mark for
    /// each login.
    public var reportsReplays = false
    /// The names of the provider's own parameters. A duplicate of one of them is reported by its name.
    public var parameters: [ParameterName] = []
    /// Whether `error` may follow a second `?`, and so appear as the end of `state`.
    public var errorMayEndState = false

    /// Creates rules with the default values.
    public init() {}
}
