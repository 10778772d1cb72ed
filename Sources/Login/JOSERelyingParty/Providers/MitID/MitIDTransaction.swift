public import JOSE
public import JOSETokens

/// A verified transaction token, in which the broker attests a login or a signed text. It is valid for years, and is not an ID
/// token.
public struct MitIDTransaction: Sendable {
    /// The token as it was received, for the service to store.
    public let token: String
    /// The claims of the token.
    public let claims: Claims
    /// The authenticators (`amr`), whether the claim is a string or an array.
    public let authenticators: [MitIDAuthenticator]
    /// The actions of the user, in the broker's words (`transaction_actions`).
    public let actions: [String]
    /// The time at which the token was issued (`iat`).
    public let issuedAt: NumericDate
    /// The OCSP response of the token, which was checked; nil if the settings require no evidence.
    public let statusResponse: String?
}

extension MitIDTransaction: CustomStringConvertible, CustomReflectable {
    /// The name of the type, without its values.
    public var description: String { "MitIDTransaction" }
    /// An empty mirror: the values are secret or personal.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
