public import JOSE
internal import JOSERelyingParty
public import JOSETokens

/// A verified transaction token, in which the broker attests a login or a signed text. It can serve as evidence for
/// years, and it is not an ID token.
public struct MitIDTransaction: Sendable {
    /// The encoded token, exactly as it was received, for the service to archive.
    public let token: String
    /// The claims of the transaction token.
    public let claims: Claims
    /// The authenticators with which the user logged in or signed (`amr`).
    public let authenticators: [MitIDAuthenticator]
    /// The actions of the user, as the broker names them (`transaction_actions`).
    public let actions: [String]
    /// The time at which the token was issued (`iat`).
    public let issuedAt: NumericDate
    /// The OCSP response for the certificate of the token's key, which has been checked; nil if
    /// ``MitIDSettings/evidence`` is nil.
    public let statusResponse: String?
}

extension MitIDTransaction: Redacted {}
