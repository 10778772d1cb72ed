public import JOSE

/// The functions that the provider supports after a login. A profile supports none of them by default.
public struct SessionRules: Sendable {
    /// Whether the service can end the user's session at the provider (OpenID Connect RP-Initiated Logout 1.0).
    public var supportsLogout = false
    /// The type (`typ`) of the logout tokens that the provider sends (OpenID Connect Back-Channel Logout 1.0, 2.4),
    /// such as `.exactly("logout+jwt")`; nil if it sends none.
    public var logoutTokenType: TypeRule?
    /// Whether the provider issues refresh tokens (OpenID Connect Core, 12).
    public var supportsRefresh = false
    /// Whether tokens can be revoked (RFC 7009).
    public var supportsRevocation = false

    /// Creates rules by which the provider supports no function.
    public init() {}
}
