/// A service's side of logins with one provider, whatever protocol that speaks: a service that has several keeps one for each, and tells
/// by its own path which one an answer is for. Stores, bindings and errors are the same for all.
public protocol LoginProvider<Request, User>: Sendable {
    /// What the service asks for.
    associatedtype Request: Sendable
    /// Who has logged in.
    associatedtype User: Sendable

    /// Begins a login: where the browser or the app goes, and what ties the answer to it.
    func beginLogin(_ request: Request) async throws(RelyingPartyError) -> AuthorizationRequest
    /// Completes it, with what came back and the binding that the browser or app sent beside it.
    func completeLogin(callback: AuthorizationCallback, binding: String?) async throws(RelyingPartyError) -> User
}

extension RelyingParty: LoginProvider {}
