internal import JOSE
internal import JOSERelyingParty

/// The phone with which a user confirmed the login (`claim_device`). Its description contains no data about the phone.
public struct ItsmeDevice: Sendable {
    let value: ItsmeClaims.Object

    /// The operating system of the phone: `ANDROID` or `iOS`.
    public var operatingSystem: String? { value.text("os") }

    /// Returns a member of the claim that is a string, such as `deviceModel`; nil if it is absent or has another type.
    ///
    /// - Parameter name: The name of the member.
    public func text(_ name: String) -> String? { value.text(name) }
    /// Returns a member of the claim that is a Boolean, or a string that spells one, such as `rooted`; nil if it is
    /// absent or has another type.
    ///
    /// - Parameter name: The name of the member.
    public func flag(_ name: String) -> Bool? { value.flag(name) }
}

/// The security mechanisms of a login (`claim_transaction_info` or `transaction_info`). Its description contains none
/// of the values.
public struct ItsmeTransactionInfo: Sendable, Equatable {
    /// The components of the phone on whose security itsme relies.
    @nonexhaustive public enum Level: String, Sendable, CaseIterable {
        /// Itsme relies on software alone.
        case soft = "SOFT_ONLY"
        /// Itsme relies on the SIM card alone.
        case sim = "SIM_ONLY"
        /// Itsme relies on the SIM card and on software.
        case simAndSoft = "SIM_AND_SOFT"
    }

    /// The components of the phone that secured this login (`securityLevel`); nil for a value that itsme does not
    /// define.
    public let securityLevel: Level?
    /// The components that bind the itsme account to the phone (`bindLevel`); nil for a value that itsme does not
    /// define.
    public let bindLevel: Level?
    /// The mobile country code of the phone's network, such as 206 (`mcc`; ITU-T E.212).
    public let mobileCountryCode: Int?

    init(_ object: ItsmeClaims.Object) {
        securityLevel = object.text("securityLevel").flatMap { Level(rawValue: $0) }
        bindLevel = object.text("bindLevel").flatMap { Level(rawValue: $0) }
        mobileCountryCode = object.integer("mcc")
    }
}

extension ItsmeDevice: Redacted {}

extension ItsmeTransactionInfo: Redacted {}
