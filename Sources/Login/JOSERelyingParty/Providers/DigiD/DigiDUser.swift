/// A user who has logged in with DigiD. Its description shows only the level.
public struct DigiDUser: Sendable {
    /// The number that identifies the account.
    public let number: DigiDNumber
    /// The level of the login, which is at least the required one.
    public let level: DigiDLevel
    /// The pseudonym by which only this service knows the user, if DigiD returned one. It must not be mixed with numbers.
    public let pseudonym: String?
    /// The mandate by which the user acts for another person; nil if they act for themselves. The service must accept mandates
    /// explicitly.
    public let mandate: DigiDMandate?
    /// The network address at which DigiD saw the user, for the service's log of logins.
    public let locality: String?
    /// The path of the service to which the user returns, as the request named it.
    public let returnTo: String?

    package init(
        number: DigiDNumber, level: DigiDLevel, pseudonym: String? = nil, locality: String? = nil,
        mandate: DigiDMandate? = nil, returnTo: String? = nil
    ) {
        self.number = number
        self.level = level
        self.pseudonym = pseudonym
        self.locality = locality
        self.mandate = mandate
        self.returnTo = returnTo
    }
}

extension DigiDUser: CustomStringConvertible, CustomReflectable {
    /// Only the level, because the number is personal data.
    public var description: String { "DigiDUser(\(level))" }
    /// An empty mirror: the values are secret or personal.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A mandate, by which a user acts for another person, whom the login is about (`LegalSubjectID`). Its description shows
/// neither the person nor the services.
public struct DigiDMandate: Sendable, Hashable {
    /// The number of the person for whom the user acts. The user's own number is ``DigiDUser/number``.
    public let number: DigiDNumber
    /// The UUIDs of the services that the mandate covers (`MandateServices`); empty if DigiD returned none.
    public let services: [String]

    package init(number: DigiDNumber, services: [String]) {
        self.number = number
        self.services = services
    }
}

extension DigiDMandate: CustomStringConvertible, CustomReflectable {
    /// Only the number of services, because the person and the services are personal data.
    public var description: String { "DigiDMandate(\(services.count) services)" }
    /// An empty mirror: the values are secret or personal.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
