/// The action that a service takes after a login that failed.
public enum Remedy: Equatable, Sendable {
    /// The service repeats the call a little later: nothing was used up.
    case retry
    /// The service begins a new login.
    case restart
    /// The service tells the user that the login was refused, and offers another way to log in.
    case tellUser
    /// A person corrects the configuration of the service or of the provider: another login fails as well.
    case fixConfiguration
    /// A person reads the log: a message was one that no honest party sends.
    case investigate
}
