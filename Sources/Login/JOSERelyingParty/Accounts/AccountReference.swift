public import JOSE

/// The identity of a user at one provider: `iss` and `sub`. It contains nothing that another person may have one day, such as a
/// telephone number or an e-mail address. References are compared byte by byte.
public struct AccountReference: Sendable, Hashable {
    /// The issuer (`iss`).
    public let issuer: String
    /// The subject (`sub`), which is meaningful to the issuer alone.
    public let subject: String

    /// Creates the reference of a user.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` of a verified ID token.
    ///   - subject: The `sub` of the same token.
    public init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }

    /// Returns whether the bytes of issuer and subject are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.issuer.utf8.elementsEqual(right.issuer.utf8) && left.subject.utf8.elementsEqual(right.subject.utf8)
    }

    /// Hashes the bytes of issuer and subject.
    public func hash(into hasher: inout Hasher) {
        for byte in issuer.utf8 { hasher.combine(byte) }
        // The byte 0xFF is never part of UTF-8, so that it separates the two strings.
        hasher.combine(UInt8(0xFF))
        for byte in subject.utf8 { hasher.combine(byte) }
    }
}

extension AccountReference: CustomStringConvertible, CustomReflectable {
    /// The issuer, without the subject: it identifies a person.
    public var description: String { "AccountReference(\(issuer))" }
    /// An empty mirror: the subject identifies a person.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A reference of an account, with what is known of the login that added it.
public struct AccountLink: Sendable, Equatable {
    /// The reference by which the account is found.
    public let reference: AccountReference
    /// The person beyond this provider's client, such as MitID's `mitid.uuid`. It finds an account whose reference has changed,
    /// and is never used to log in.
    public var person: String?
    /// The level of assurance of the login that added the link: a higher number is a higher level. Nil if it is not known.
    public var level: Int?

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - reference: The reference by which the account is found.
    ///   - person: The person beyond this provider's client, if the provider identifies them.
    ///   - level: The level of assurance of the login, if it is known.
    public init(_ reference: AccountReference, person: String? = nil, level: Int? = nil) {
        self.reference = reference
        self.person = person
        self.level = level
    }
}

extension AccountLink: CustomStringConvertible, CustomReflectable {
    /// The issuer of the reference, without the person.
    public var description: String { "AccountLink(\(reference))" }
    /// An empty mirror: the link identifies a person.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The record of a change of an account's references.
public struct AccountChange: Sendable, Equatable {
    /// The reason that allowed a change.
    public enum Reason: Sendable, Equatable {
        /// A carrier confirmed by a port token that its user is the former user of another carrier. The value is the SHA-256
        /// digest of the token.
        case portToken(hash: [UInt8])
        /// The user proved by other means that the account is theirs.
        case proven
        /// The login was by the same person, according to ``AccountLink/person``.
        case samePerson
    }
    /// The references that were removed.
    public let old: [AccountReference]
    /// The reference that was added.
    public let new: AccountReference
    /// The reason that allowed the change.
    public let reason: Reason
    /// The time of the change.
    public let time: NumericDate

    /// Creates a record, for implementations of ``AccountStore`` that read their records back.
    ///
    /// - Parameters:
    ///   - old: The references that were removed.
    ///   - new: The reference that was added.
    ///   - reason: The reason that allowed the change.
    ///   - time: The time of the change.
    public init(old: [AccountReference], new: AccountReference, reason: Reason, time: NumericDate) {
        self.old = old
        self.new = new
        self.reason = reason
        self.time = time
    }
}
