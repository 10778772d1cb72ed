internal import JOSEBytes
internal import JOSETokens

extension LoggedInUser {
    /// The claims as itsme defines them, of whichever generation; each is nil where itsme did not give it, or not in its form.
    public var itsme: ItsmeUser { ItsmeUser(claims: ItsmeClaims(sources: sources)) }
}

/// What itsme says of a user. Prints nothing of it.
public struct ItsmeUser: Sendable {
    let claims: ItsmeClaims

    /// `name`.
    public var name: String? { claims.text("name") }
    /// `given_name`.
    public var givenName: String? { claims.text("given_name") }
    /// `family_name`.
    public var familyName: String? { claims.text("family_name") }
    /// `YYYY-MM-DD`.
    public var birthdate: String? { claims.text("birthdate").flatMap { ItsmeClaims.isDate($0) ? $0 : nil } }
    /// `male`, `female`, or what later documents add.
    public var gender: String? { claims.text("gender") }
    /// In lower case.
    public var locale: String? { claims.text("locale")?.lowercased() }
    /// Never proven, and never a key of an account.
    public var email: String? { claims.text("email") }
    /// Such as `+32 422010099`.
    public var phoneNumber: String? { claims.text("phone_number") }
    /// `address`.
    public var address: ItsmeAddress? {
        guard let value = claims.object("address") else { return nil }
        return ItsmeAddress(
            streetAddress: value.text("street_address"), locality: value.text("locality"),
            postalCode: value.text("postal_code"), country: value.text("country"))
    }
    /// How sure itsme was; without a word of it, basic.
    public var level: ItsmeLevel { claims.text("acr").flatMap { ItsmeLevel(acr: $0) } ?? .basic }
    /// The phone, where it was asked for.
    public var device: ItsmeDevice? { claims.object(names("claim_device")).map { ItsmeDevice(value: $0) } }
    /// `claim_nationality` or `claim_citizenship`.
    public var citizenship: String? { claims.text(names("claim_nationality", "claim_citizenship")) }
    /// `claim_city_of_birth` or `place_of_birth`.
    public var placeOfBirth: String? {
        claims.text(names("claim_city_of_birth")) ?? claims.text(names("place_of_birth"))
            ?? claims.object(names("place_of_birth"))?.text("city")
    }
    /// `claim_passport_sn`.
    public var passportNumber: String? { claims.text(names("claim_passport_sn")) }
    /// The number of the Belgian identity card, with what its check digits say; one that does not hold does not stop a login.
    public var belgianCardNumber: ItsmeNumber? {
        claims.text(names("BEeidSn")).map { ItsmeNumber(value: $0, isValid: ItsmeClaims.isCardNumber($0)) }
    }
    /// The Belgian national number.
    public var belgianNationalNumber: ItsmeNumber? {
        claims.text(names("BENationalNumber")).map { text in
            ItsmeNumber(
                value: text, isValid: text.utf8.count == 11 && text.utf8.allSatisfy { (0x30...0x39).contains($0) })
        }
    }
    /// How the user came to itsme: `QR`, `MSISDN`, or `a2a` from app to app.
    public var identificationMode: String? { claims.text(names("identification_mode")) }

    /// A claim of itsme that is a text, by the end of its name.
    public func claim(_ name: String) -> String? { claims.text(names(name)) }

    private func names(_ endings: String...) -> [String] {
        endings.flatMap { ending in ItsmeClaims.prefixes.map { $0 + ending } }
    }
}

/// A postal address as itsme gives it.
public struct ItsmeAddress: Sendable, Equatable {
    /// A member of its name.
    public let streetAddress, locality, postalCode, country: String?
}

/// A number that has a form, or check digits.
public struct ItsmeNumber: Sendable, Equatable {
    /// As it came.
    public let value: String
    /// Whether it has the form, and its check digits hold.
    public let isValid: Bool
}

/// The phone that a user confirmed with.
public struct ItsmeDevice: Sendable {
    let value: ItsmeClaims.Object

    /// `ANDROID` or `iOS`.
    public var operatingSystem: String? { value.text("os") }
    /// `SOFT_ONLY`, `SIM_ONLY` or `SIM_AND_SOFT`.
    public var securityLevel: String? { value.level("securityLevel") }
    /// The same of the binding.
    public var bindLevel: String? { value.level("bindLevel") }
    /// The country of the network.
    public var mobileCountryCode: Int? { value.integer("mcc") }

    /// A member that is a text.
    public func text(_ name: String) -> String? { value.text(name) }
    /// A member that is true or false, or a text that says so.
    public func flag(_ name: String) -> Bool? { value.flag(name) }
}

extension ItsmeUser: CustomStringConvertible, CustomReflectable {
    public var description: String { "ItsmeUser" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ItsmeDevice: CustomStringConvertible, CustomReflectable {
    public var description: String { "ItsmeDevice" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ItsmeAddress: CustomStringConvertible, CustomReflectable {
    public var description: String { "ItsmeAddress" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ItsmeNumber: CustomStringConvertible, CustomReflectable {
    public var description: String { "ItsmeNumber(isValid: \(isValid))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
