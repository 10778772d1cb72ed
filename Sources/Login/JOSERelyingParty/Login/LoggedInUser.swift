internal import JOSE
public import JOSETokens

/// A user who has logged in. The service identifies an account by ``issuer`` and ``subject`` together, never by an address or a
/// number.
public struct LoggedInUser: Sendable {
    /// The issuer (`iss`) of the ID token.
    public let issuer: String
    /// The subject (`sub`) of the ID token, which is unique for the issuer and never reassigned.
    public let subject: String
    /// The ID token, which has passed every check of the profile.
    public let idToken: VerifiedToken
    /// The claims of the userinfo endpoint about the same user; nil if the profile does not request them.
    public internal(set) var userInfo: Claims?
    /// The path of the service to which the user returns, as ``LoginRequest/returnTo`` named it.
    public var returnTo: String? { transaction.returnTo }
    /// The tokens for calls to the provider on the user's behalf. They are not a session of the service.
    public var tokens: UserTokens { UserTokens(response: response) }
    let response: TokenResponse
    let transaction: LoginTransaction
    /// The time of the authentication (`auth_time`), as the profile reads it.
    var authenticationTime: NumericDate?
    /// The values that only this provider returns, by names of its profile. Each provider has a typed accessor for them.
    var providerValues: [String: any Sendable] = [:]

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

    /// Returns a claim whose value is a string: that of ``userInfo`` or else that of ``idToken``.
    ///
    /// - Parameter name: The name of the claim.
    /// - Returns: The value, or nil if neither has a string of this name.
    public func string(_ name: String) -> String? { userInfo?.string(name) ?? idToken.claims.string(name) }

    /// The claims of the login in the order in which they are searched: userinfo first, then the ID token.
    var sources: [Claims] { [userInfo, idToken.claims].compactMap { $0 } }
}

/// The response of the token endpoint. Its descriptions contain no token.
public struct UserTokens: Sendable {
    let response: TokenResponse

    /// The access token, for the provider's own endpoints.
    public var accessToken: String { response.accessToken }
    /// The lifetime of the access token, counted from the response (`expires_in`); nil if the provider did not state it.
    public var expiresIn: Duration? { response.expiresIn }
    /// The refresh token; nil if the provider issued none.
    public var refreshToken: String? { response.refreshToken }
    /// The ID token in its compact serialization, for `id_token_hint`.
    public var idToken: String? { response.idToken }
}

extension LoggedInUser: CustomStringConvertible, CustomReflectable {
    /// The name of the profile, without anything about the user.
    public var description: String { "LoggedInUser(\(transaction.profile))" }
    /// An empty mirror: the claims and tokens are secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UserTokens: CustomStringConvertible, CustomReflectable {
    /// Only the name of the type, because the tokens are secret.
    public var description: String { "UserTokens" }
    /// An empty mirror: the tokens are secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
