/// A parameter of callbacks in whose value a provider sends its whole response, the `state` included.
struct CallbackEnvelope: Sendable {
    let parameter: ParameterName
    /// Returns the `state` of a callback that has the parameter; nil if there is none, or the value cannot be parsed.
    let state: @Sendable (AuthorizationCallback) -> String?

    /// The envelopes of all providers. A callback is recognized by its parameter, because the cookie of a login is read
    /// before it is known with which profile the login began.
    static let all = [DigiDReturn.envelope]
}
