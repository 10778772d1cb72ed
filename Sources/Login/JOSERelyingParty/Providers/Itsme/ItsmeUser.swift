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
    /// Whether itsme has verified the e-mail address: a truth value, or the text `true` or `false`; nil for any other value.
    public var isEmailVerified: Bool? { claims.flag("email_verified") }
    /// Whether itsme has verified the phone number, in the form of ``isEmailVerified``.
    public var isPhoneNumberVerified: Bool? { claims.flag("phone_number_verified") }
    /// The postal address: the object `address`, or else its members beside `sub`, as the ID token of the first generation has them.
    public var address: ItsmeAddress? { ItsmeAddress(claims) }
    /// The picture of the scope `profile`: an https URL at itsme, which takes the access token, or base64 in the first generation.
    /// Nothing fetches it.
    public var picture: String? { claims.text("picture") }
    /// How sure itsme was; without a word of it, basic.
    public var level: ItsmeLevel { claims.text("acr").flatMap { ItsmeLevel(acr: $0) } ?? .basic }
    /// The phone, where it was asked for.
    public var device: ItsmeDevice? { claims.object(names("claim_device")).map { ItsmeDevice(value: $0) } }
    /// How the login was secured: `claim_transaction_info` of the first generation, `transaction_info` of the later ones. itsme may
    /// give no value for it, so that no login may depend on it.
    public var transactionInfo: ItsmeTransactionInfo? {
        claims.object(names("claim_transaction_info", "transaction_info")).map { ItsmeTransactionInfo($0) }
    }
    /// `claim_nationality` or `claim_citizenship`.
    public var citizenship: String? { claims.text(names("claim_nationality", "claim_citizenship")) }
    /// The place of birth: the object `place_of_birth`, or else the texts `claim_city_of_birth` and `claim_country_of_birth`.
    public var placeOfBirth: ItsmePlaceOfBirth? { ItsmePlaceOfBirth(claims) }
    /// `claim_passport_sn`.
    public var passportNumber: String? { claims.text(names("claim_passport_sn")) }
    /// The number of the Belgian identity card: `BEeidSn`, also spelled `BEeidSN`. Wrong check digits do not stop a login.
    public var belgianCardNumber: ItsmeNumber? {
        claims.text(names("BEeidSn", "BEeidSN")).map { ItsmeNumber(belgianCard: $0) }
    }
    /// The Belgian national number: `BENationalNumber`. Wrong check digits do not stop a login.
    public var belgianNationalNumber: ItsmeNumber? {
        claims.text(names("BENationalNumber")).map { ItsmeNumber(belgianNational: $0) }
    }
    /// What was read from the Belgian identity card: `claim_eid` of the first generation.
    public var belgianCard: ItsmeIdentityCard? { claims.object(names("claim_eid")).map { ItsmeIdentityCard($0) } }
    /// The social security number of Luxembourg, `claim_luxtrust_ssn`: digits, whose check digits are not verified.
    public var luxembourgNumber: String? { claims.text(names("claim_luxtrust_ssn")) }
    /// The portrait as JPEG: `claim_photo` of the first generation, `physical_person_photo` of the later ones, in base64 by itself or as
    /// the member `value`. Nil where it is larger than 256 KiB or does not begin with the marker of a JPEG image.
    public var photo: [UInt8]? {
        let encoded =
            claims.text(names("claim_photo", "physical_person_photo"))
            ?? claims.object(names("physical_person_photo"))?.text("value")
        return encoded.flatMap { ItsmeClaims.jpeg($0) }
    }
    /// How the user came to itsme: `QR`, `MSISDN`, or `a2a` from app to app.
    public var identificationMode: String? { claims.text(names("identification_mode")) }

    /// Returns a claim of itsme that is a text, such as `birthdate_as_string`, by the end of its name behind any of itsme's prefixes,
    /// or by its bare name.
    public func claim(_ name: String) -> String? { claims.text(names(name)) }

    private func names(_ endings: String...) -> [String] { ItsmeClaims.names(endings) }
}

extension ItsmeUser: CustomStringConvertible, CustomReflectable {
    public var description: String { "ItsmeUser" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
