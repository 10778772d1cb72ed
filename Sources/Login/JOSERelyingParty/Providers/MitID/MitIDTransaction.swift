public import JOSE
public import JOSETokens

/// What the broker attests of a login or a signed text: a transaction token that held. It lives for years, and is no ID token.
public struct MitIDTransaction: Sendable {
    /// As it came, to be kept.
    public let token: String
    /// Those of the token.
    public let claims: Claims
    /// `amr`, whether it came as a text or a list.
    public let authenticators: [MitIDAuthenticator]
    /// What the user did, in the broker's words.
    public let actions: [String]
    /// Seconds since 1970.
    public let issuedAt: NumericDate
    /// The OCSP response that came with it, checked; nil where no evidence was asked for.
    public let statusResponse: String?
}

extension MitIDTransaction: CustomStringConvertible, CustomReflectable {
    public var description: String { "MitIDTransaction" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
