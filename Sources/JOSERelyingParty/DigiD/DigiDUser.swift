/// Who has logged in with DigiD: what an account is keyed by, and how sure DigiD is. Prints nothing of it.
public struct DigiDUser: Sendable {
    /// The account's key.
    public let number: DigiDNumber
    /// At least the one that was asked for.
    public let level: DigiDLevel
    /// A name that this service alone knows the user by, where DigiD gave one. Never mixed with numbers.
    public let pseudonym: String?
    /// The network address that DigiD saw the user at, for the service's log of logins.
    public let locality: String?
    /// Where the service wanted the user: as it was in the request.
    public let returnTo: String?

    package init(
        number: DigiDNumber, level: DigiDLevel, pseudonym: String? = nil, locality: String? = nil,
        returnTo: String? = nil
    ) {
        self.number = number
        self.level = level
        self.pseudonym = pseudonym
        self.locality = locality
        self.returnTo = returnTo
    }
}

extension DigiDUser: CustomStringConvertible, CustomReflectable {
    public var description: String { "DigiDUser(\(level))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
