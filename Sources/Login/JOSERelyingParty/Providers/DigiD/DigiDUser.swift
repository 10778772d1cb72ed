/// Who has logged in with DigiD: what an account is keyed by, and how sure DigiD is. Prints nothing of it.
public struct DigiDUser: Sendable {
    /// The account's key.
    public let number: DigiDNumber
    /// At least the one that was asked for.
    public let level: DigiDLevel
    /// A name that this service alone knows the user by, where DigiD gave one. Never mixed with numbers.
    public let pseudonym: String?
    /// For whom they act, where that is somebody else and the service takes such logins; nil: for themselves.
    public let mandate: DigiDMandate?
    /// The network address that DigiD saw the user at, for the service's log of logins.
    public let locality: String?
    /// Where the service wanted the user: as it was in the request.
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
    public var description: String { "DigiDUser(\(level))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// That a user acts for somebody else (an authorisation, `LegalSubjectID`): whose matters the login is about. Prints nothing of it.
public struct DigiDMandate: Sendable, Hashable {
    /// Of the person that the user acts for; the user's own is ``DigiDUser/number``.
    public let number: DigiDNumber
    /// What they may do, by the UUIDs of services (`MandateServices`); empty where DigiD says nothing of it.
    public let services: [String]

    package init(number: DigiDNumber, services: [String]) {
        self.number = number
        self.services = services
    }
}

extension DigiDMandate: CustomStringConvertible, CustomReflectable {
    public var description: String { "DigiDMandate(\(services.count) services)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
