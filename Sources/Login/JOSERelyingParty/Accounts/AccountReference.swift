/// Who a user is to one provider: `iss` and `sub`, and nothing that another person may have one day, such as a telephone number or an
/// address of mail. Compared byte by byte.
public struct AccountReference: Sendable, Hashable {
    /// `iss`.
    public let issuer: String
    /// `sub`, which says nothing to anybody but the issuer.
    public let subject: String

    /// Out of a verified ID token.
    public init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.issuer.utf8.elementsEqual(right.issuer.utf8) && left.subject.utf8.elementsEqual(right.subject.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in issuer.utf8 { hasher.combine(byte) }
        // No UTF-8 has it: the two texts cannot run into one another.
        hasher.combine(UInt8(0xFF))
        for byte in subject.utf8 { hasher.combine(byte) }
    }
}

extension AccountReference: CustomStringConvertible, CustomReflectable {
    /// Without the subject: it is a person's.
    public var description: String { "AccountReference(\(issuer))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A reference as an account has it.
public struct AccountLink: Sendable, Equatable {
    /// What the account is found by.
    public let reference: AccountReference
    /// Who the person is beyond this provider's client, such as MitID's `mitid.uuid`: to find an account whose reference has changed,
    /// never to log in by.
    public var person: String?
    /// How sure the provider was when the link was made: a higher number is surer.
    public var level: Int?

    /// The rest is set on the value.
    public init(_ reference: AccountReference, person: String? = nil, level: Int? = nil) {
        self.reference = reference
        self.person = person
        self.level = level
    }
}

extension AccountLink: CustomStringConvertible, CustomReflectable {
    /// Without the person.
    public var description: String { "AccountLink(\(reference))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is kept of an account's references being changed, for whoever must explain it later.
public struct AccountChange: Sendable, Equatable {
    /// What allowed it.
    public enum Reason: Sendable, Equatable {
        /// A carrier vouched that its user is the one whom another carrier had: SHA-256 of its token.
        case portToken(hash: [UInt8])
        /// The user proved the account by other means.
        case proven
        /// The same person, by `AccountLink.person`.
        case samePerson
    }
    /// They stopped working.
    public let old: [AccountReference]
    /// It works from then on.
    public let new: AccountReference
    /// What allowed it.
    public let reason: Reason
    /// Seconds since 1970.
    public let time: Double

    /// Of a store's own making.
    public init(old: [AccountReference], new: AccountReference, reason: Reason, time: Double) {
        self.old = old
        self.new = new
        self.reason = reason
        self.time = time
    }
}
