/// A type that performs logins with one provider, whichever protocol the provider uses.
///
/// A service creates one value for each provider. It gives each a redirect URI of its own, whose path shows which value
/// completes a login. Stores, bindings and errors work alike with all providers.
public protocol LoginProvider<Request, User>: Sendable {
    /// The type of the parameters of one login.
    associatedtype Request: Sendable
    /// The type of a user who has logged in.
    associatedtype User: Sendable

    /// Begins a login.
    ///
    /// - Parameter request: The parameters of the login.
    /// - Returns: The authorization request: the URL for the browser or the app, and the cookie that binds the callback
    ///   to it.
    /// - Throws: The error of the step that failed. Its ``RelyingPartyError/action`` is the action to take.
    func beginLogin(_ request: Request) async throws(RelyingPartyError) -> AuthorizationRequest
    /// Completes a login.
    ///
    /// - Parameters:
    ///   - callback: The request to the redirect URI.
    ///   - binding: The binding that the browser or the app sent with the callback; nil if it sent none.
    /// - Returns: The user who has logged in.
    /// - Throws: The error of the check that failed. Its ``RelyingPartyError/action`` is the action to take.
    func completeLogin(callback: AuthorizationCallback, binding: String?) async throws(RelyingPartyError) -> User
}

extension RelyingParty: LoginProvider {}
