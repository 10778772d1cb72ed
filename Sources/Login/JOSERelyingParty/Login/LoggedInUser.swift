public import JOSETokens

/// Who has logged in. Accounts are keyed by issuer and subject together, never by an address or a number.
public struct LoggedInUser: Sendable {
    /// Whose user it is.
    public let issuer: String
    /// `sub`: unique within the issuer, and never given to another.
    public let subject: String
    /// The ID token, every check of the profile having held.
    public let idToken: VerifiedToken
    /// What the userinfo endpoint said of the same user, where the profile asks it.
    public internal(set) var userInfo: Claims?
    /// What ZenKey has besides; nil for every other provider.
    public internal(set) var zenKey: ZenKeyUser?
    /// Where the service wanted the user: as it was in the request.
    public var returnTo: String? { transaction.returnTo }
    /// For calls to the provider in the user's name; not a session.
    public var tokens: UserTokens { UserTokens(response: response) }
    let response: TokenResponse
    let transaction: LoginTransaction
    /// `auth_time`, as the profile reads it.
    var authenticationTime: Double?
    /// What a profile has besides, by its names for it.
    var further: [String: any Sendable] = [:]

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

    /// A claim that is a string: of the userinfo answer, or else of the ID token.
    public func string(_ name: String) -> String? { userInfo?.string(name) ?? idToken.claims.string(name) }

    /// Of both, those that have the claim, userinfo first.
    var sources: [Claims] { [userInfo, idToken.claims].compactMap { $0 } }
}

/// What the token endpoint gave besides the ID token; prints nothing of it.
public struct UserTokens: Sendable {
    let response: TokenResponse

    /// For the provider's own endpoints.
    public var accessToken: String { response.accessToken }
    /// Seconds from the login, where the provider said so.
    public var expiresIn: Double? { response.expiresIn }
    /// Where the provider gave one.
    public var refreshToken: String? { response.refreshToken }
    /// The ID token as it came: for `id_token_hint`.
    public var idToken: String? { response.idToken }
}

extension LoggedInUser: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the user.
    public var description: String { "LoggedInUser(\(transaction.profile))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UserTokens: CustomStringConvertible, CustomReflectable {
    public var description: String { "UserTokens" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
