/// The action that a service should take after a failed login.
public enum Remedy: Equatable, Sendable {
    /// The service repeats the same call a little later. No value that is accepted only once has been used.
    case retry
    /// The service begins a new login.
    case restart
    /// The service tells the user that the login did not succeed, and offers another way to log in.
    case tellUser
    /// An operator corrects the configuration of the service, or its registration with the provider. Until then,
    /// further logins fail too.
    case fixConfiguration
    /// An operator investigates, because a message was received that no correct and honest party sends.
    case investigate
}
