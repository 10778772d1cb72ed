/// What a service does about a login that did not come about.
public enum Remedy: Equatable, Sendable {
    /// The same call again, a little later: nothing was used up.
    case retry
    /// A new login, from `beginLogin` on.
    case restart
    /// Say that the login was refused, and offer another.
    case tellUser
    /// A person looks at the settings, or at the provider: another login fails as well.
    case fixConfiguration
    /// A person looks at the log: somebody or something sent what no honest party sends.
    case investigate
}
