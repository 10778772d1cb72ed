/// The relying party's side of logins with one provider, whichever protocol the provider uses.
///
/// A service with several providers has one value for each, and uses the path of the request to choose the one that a callback is
/// for. Stores, bindings and errors are common to all.
public protocol LoginProvider<Request, User>: Sendable {
    /// The type of the request: the parameters of one login.
    associatedtype Request: Sendable
    /// The type of the result: the user who has logged in.
    associatedtype User: Sendable

    /// Begins a login.
    ///
    /// - Parameter request: The parameters of the login.
    /// - Returns: The URL to which the browser or the app goes, and the cookie that ties the callback to it.
    /// - Throws: The error of the step that failed; ``RelyingPartyError/remedy`` says what to do.
    func beginLogin(_ request: Request) async throws(RelyingPartyError) -> AuthorizationRequest
    /// Completes a login.
    ///
    /// - Parameters:
    ///   - callback: The request to the redirect URI.
    ///   - binding: The binding that the browser or the app sent with it; nil if it sent none.
    /// - Returns: The user who has logged in.
    /// - Throws: The error of the check that failed; ``RelyingPartyError/remedy`` says what to do.
    func completeLogin(callback: AuthorizationCallback, binding: String?) async throws(RelyingPartyError) -> User
}

extension RelyingParty: LoginProvider {}
