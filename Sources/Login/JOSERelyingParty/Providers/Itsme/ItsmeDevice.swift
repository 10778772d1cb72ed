/// The phone that a user confirmed with: `claim_device`. Its description says nothing of the phone.
public struct ItsmeDevice: Sendable {
    let value: ItsmeClaims.Object

    /// `ANDROID` or `iOS`.
    public var operatingSystem: String? { value.text("os") }

    /// Returns a member that is a text, such as `deviceModel`; nil where the member is absent or of another type.
    public func text(_ name: String) -> String? { value.text(name) }
    /// Returns a member that is a Boolean, or the text of one, such as `rooted`; nil where the member is absent or of another type.
    public func flag(_ name: String) -> Bool? { value.flag(name) }
}

/// How itsme secured a login: `claim_transaction_info` or `transaction_info`. Its description has none of the values.
public struct ItsmeTransactionInfo: Sendable, Equatable {
    /// Which of the phone's means itsme relies on.
    @nonexhaustive public enum Level: String, Sendable, CaseIterable {
        /// Software alone.
        case soft = "SOFT_ONLY"
        /// The SIM card alone.
        case sim = "SIM_ONLY"
        /// The SIM card and software.
        case simAndSoft = "SIM_AND_SOFT"
    }

    /// `securityLevel`: the means that secured this login; nil for a value that itsme does not define.
    public let securityLevel: Level?
    /// `bindLevel`: the means that bind the account to the phone; nil for a value that itsme does not define.
    public let bindLevel: Level?
    /// `mcc`: the mobile country code of the phone's network (ITU-T E.212), such as 206.
    public let mobileCountryCode: Int?

    init(_ object: ItsmeClaims.Object) {
        securityLevel = object.text("securityLevel").flatMap { Level(rawValue: $0) }
        bindLevel = object.text("bindLevel").flatMap { Level(rawValue: $0) }
        mobileCountryCode = object.integer("mcc")
    }
}

extension ItsmeDevice: CustomStringConvertible, CustomReflectable {
    public var description: String { "ItsmeDevice" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ItsmeTransactionInfo: CustomStringConvertible, CustomReflectable {
    public var description: String { "ItsmeTransactionInfo" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
