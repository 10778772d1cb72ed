internal import JOSE
internal import JOSERelyingParty

/// A user who has logged in with DigiD. The description shows nothing of the user.
public struct DigiDUser: Sendable {
    /// The national identification number that identifies the user's account.
    public let number: DigiDNumber
    /// The level of assurance of the login, which is at least the required one.
    public let level: DigiDLevel
    /// The pseudonym that identifies the user to this service only; nil if DigiD returned none. It is not
    /// interchangeable with ``number``.
    public let pseudonym: String?
    /// The mandate under which the user acts on behalf of another person; nil if the user acts for themselves. Logins
    /// with a mandate are rejected unless the service accepts mandates explicitly.
    public let mandate: DigiDMandate?
    /// The user's network address, as DigiD saw it, for the service's login log.
    public let locality: String?
    /// The local path of the service to which the user goes after the login, as the login request specified it.
    public let returnTo: String?
    /// The session of the user at DigiD, for a logout; nil after a login with DigiD's app, which has none.
    public let session: DigiDUserSession?

    package init(
        number: DigiDNumber, level: DigiDLevel, pseudonym: String? = nil, locality: String? = nil,
        mandate: DigiDMandate? = nil, returnTo: String? = nil, session: DigiDUserSession? = nil
    ) {
        self.number = number
        self.level = level
        self.pseudonym = pseudonym
        self.locality = locality
        self.mandate = mandate
        self.returnTo = returnTo
        self.session = session
    }
}

extension DigiDUser: Redacted {}

/// A mandate under which a user acts on behalf of another person (`LegalSubjectID`). Its description shows neither the
/// person's number nor the UUIDs of the services.
public struct DigiDMandate: Sendable, Hashable {
    /// The national identification number of the person on whose behalf the user acts. The user's own number is
    /// ``DigiDUser/number``.
    public let number: DigiDNumber
    /// The UUIDs of the services that the mandate covers (`MandateServices`); empty if DigiD returned none.
    public let services: [String]

    package init(number: DigiDNumber, services: [String]) {
        self.number = number
        self.services = services
    }
}

extension DigiDMandate: Redacted {}

/// The session of a user at DigiD that a login in the browser began. The service stores ``nameID`` with its own
/// session, and ends the session at DigiD with it. When DigiD ends the sessions of a user, the service finds them by
/// ``number``. The description shows nothing.
public struct DigiDUserSession: Sendable, Hashable {
    /// The identifier of the user in messages about the session (`NameID`), as it was received. With `.saml3` it
    /// contains the user's number, so that it is stored encrypted, and on the server only.
    public let nameID: String
    /// The user's number, which is equal for all spellings of the identifier; nil if the identifier is none, as with
    /// `.saml4`.
    public var number: DigiDNumber? { try? DigiDNumber(nameID: nameID, sectors: Set(DigiDSector.allCases)) }

    /// Creates a session that the service has stored.
    ///
    /// - Parameter nameID: The identifier that a login returned.
    public init(nameID: String) { self.nameID = nameID }
}

extension DigiDUserSession: Redacted {}
