public import JOSE
internal import JOSESupport

/// The identity of a user at one provider: `iss` and `sub`. It contains no telephone number, e-mail address or other
/// value that may later belong to another person. References are compared byte by byte.
public struct AccountReference: Sendable, Hashable {
    /// The issuer (`iss`).
    public let issuer: String
    /// The subject (`sub`), which identifies the user only together with the issuer.
    public let subject: String

    /// Creates the reference of a user from two claims of a verified ID token.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` of a verified ID token.
    ///   - subject: The `sub` of the same token.
    public init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }

    /// Returns whether two references have equal issuers and subjects, compared as UTF-8 bytes.
    public static func == (left: Self, right: Self) -> Bool {
        bytesEqual(left.issuer, right.issuer) && bytesEqual(left.subject, right.subject)
    }

    /// Hashes the UTF-8 bytes of the issuer and the subject.
    public func hash(into hasher: inout Hasher) {
        for byte in issuer.utf8 { hasher.combine(byte) }
        // The byte 0xFF is never part of UTF-8, so that it separates the two strings.
        hasher.combine(UInt8(0xFF))
        for byte in subject.utf8 { hasher.combine(byte) }
    }
}

extension AccountReference: Redacted {}

/// A reference of an account, with the person and the level of assurance of the login that added it.
public struct AccountLink: Sendable, Equatable {
    /// The reference by which the account is found.
    public let reference: AccountReference
    /// An identifier of the person that is independent of the service's client registration, such as a
    /// number that the provider gives it; nil if the provider issues none. It serves to find an account whose reference has changed, and is
    /// never sufficient to log in.
    public var person: String?
    /// The level of assurance of the login that added the link, as a number that is higher for a higher level; nil if
    /// it is not known.
    public var level: Int?

    /// Creates a link between an account and a user.
    ///
    /// - Parameters:
    ///   - reference: The reference by which the account is found.
    ///   - person: An identifier of the person that is independent of the service's client registration; nil if the
    ///     provider issues none.
    ///   - level: The level of assurance of the login; nil if it is not known.
    public init(_ reference: AccountReference, person: String? = nil, level: Int? = nil) {
        self.reference = reference
        self.person = person
        self.level = level
    }
}

extension AccountLink: Redacted {}

/// The record of a change of an account's references.
public struct AccountChange: Sendable, Equatable {
    /// The proof on which a change is based.
    public enum Reason: Sendable, Equatable {
        /// A port token, in which the user's previous carrier states the `sub` that the user had there. `hash`
        /// is the SHA-256 digest of the token's signing input.
        case portToken(hash: [UInt8])
        /// The user proved by other means that the account is theirs.
        case proven
        /// The login and the account have the same ``AccountLink/person``.
        case samePerson
    }
    /// The references that were removed.
    public let old: [AccountReference]
    /// The reference that was added.
    public let new: AccountReference
    /// The proof on which the change is based.
    public let reason: Reason
    /// The time of the change.
    public let time: NumericDate

    /// Creates a record, for types that conform to ``AccountStore`` and read stored records.
    ///
    /// - Parameters:
    ///   - old: The references that were removed.
    ///   - new: The reference that was added.
    ///   - reason: The proof on which the change is based.
    ///   - time: The time of the change.
    public init(old: [AccountReference], new: AccountReference, reason: Reason, time: NumericDate) {
        self.old = old
        self.new = new
        self.reason = reason
        self.time = time
    }
}
