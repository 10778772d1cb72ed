internal import JOSE
public import JOSETokens

/// A user who has logged in. The service identifies the user's account by ``issuer`` and ``subject`` together, never by
/// an e-mail address, a telephone number or another claim.
public struct LoggedInUser: Sendable {
    /// The issuer (`iss`) of the ID token.
    public let issuer: String
    /// The subject (`sub`) of the ID token, which is unique within the issuer and never reassigned to another user.
    public let subject: String
    /// The verified ID token, whose claims have passed all checks of the provider's profile.
    public let idToken: VerifiedToken
    /// The claims that the userinfo endpoint returned about this user; nil if the profile does not use that endpoint.
    public internal(set) var userInfo: Claims?
    /// The local path to which the service redirects the user after the login, as set in ``LoginRequest/returnTo``; nil
    /// if none was set.
    public var returnTo: String? { transaction.returnTo }
    /// The tokens for calls to the provider on the user's behalf. They do not replace the service's own session.
    public var tokens: UserTokens { UserTokens(response: response) }
    let response: TokenResponse
    package let transaction: LoginTransaction
    /// The time of the authentication (`auth_time`), as the profile reads it.
    var authenticationTime: NumericDate?
    /// The values that only this provider returns, by names of its profile. Each provider has a typed accessor for
    /// them.
    package var providerValues: [String: any Sendable] = [:]

    init(
        issuer: String, subject: String, idToken: VerifiedToken, response: TokenResponse,
        transaction: LoginTransaction
    ) {
        self.issuer = issuer
        self.subject = subject
        self.idToken = idToken
        self.response = response
        self.transaction = transaction
    }

    /// Returns the value of a string claim. ``userInfo`` is searched first, then ``idToken``.
    ///
    /// - Parameter name: The name of the claim.
    /// - Returns: The value, or nil if neither contains a string claim of this name.
    public func string(_ name: String) -> String? { userInfo?.string(name) ?? idToken.claims.string(name) }

    /// The claims of the login in the order in which they are searched: userinfo first, then the ID token.
    package var sources: [Claims] { [userInfo, idToken.claims].compactMap { $0 } }
}

/// The tokens that the token endpoint returned. Descriptions and dumps do not contain them.
public struct UserTokens: Sendable {
    let response: TokenResponse

    /// The access token, for requests to the provider's own endpoints.
    public var accessToken: String { response.accessToken }
    /// The lifetime of the access token, counted from the token response (`expires_in`); nil if the provider did not
    /// state it.
    public var expiresIn: Duration? { response.expiresIn }
    /// The refresh token; nil if the provider issued none, or if its profile does not support refresh tokens.
    public var refreshToken: String? { response.refreshToken }
    /// The ID token in compact serialization, for use as `id_token_hint`; nil if the response contained none.
    public var idToken: String? { response.idToken }
}

extension LoggedInUser: Redacted {}

extension UserTokens: Redacted {}
