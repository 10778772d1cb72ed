internal import JOSE
public import JOSERelyingParty
internal import JOSETokens

extension LoggedInUser {
    /// The user's claims as itsme defines them, for all generations of itsme. A claim is nil if itsme did not return
    /// it, or returned it in an unexpected form.
    public var itsme: ItsmeUser { ItsmeUser(claims: ItsmeClaims(sources: sources)) }
}

/// The claims of itsme about a user. The properties of `StandardClaims` are properties of this type too. The description
/// contains none of the claims.
@dynamicMemberLookup public struct ItsmeUser: Sendable {
    let claims: ItsmeClaims

    /// Returns a standard claim, such as `givenName` or `email`. The date of birth is nil unless it is `YYYY-MM-DD`, the
    /// locale is in lower case, and the address is the claim `address` or else the separate claims of its parts, as in
    /// the ID token of itsme's first generation. The picture, which the scope `profile` requests, is an https URL of
    /// itsme that requires the access token, or base64 in itsme's first generation.
    public subscript<Value>(dynamicMember claim: KeyPath<StandardClaims, Value>) -> Value { standard[keyPath: claim] }

    private var standard: StandardClaims {
        var standard = StandardClaims(claims.sources)
        standard.birthdate = standard.birthdate.flatMap { ItsmeClaims.isDate($0) ? $0 : nil }
        standard.locale = standard.locale?.lowercased()
        let parts = StandardClaims.Address(claims.text)
        if standard.address == nil, parts != StandardClaims.Address({ _ in nil }) { standard.address = parts }
        return standard
    }

    /// The level of assurance of the login (`acr`); ``ItsmeLevel/basic`` if the token states none.
    public var level: ItsmeLevel { claims.text("acr").flatMap { ItsmeLevel(acr: $0) } ?? .basic }
    /// The phone with which the user confirmed the login (`claim_device`); nil if itsme did not return it.
    public var device: ItsmeDevice? { claims.object(names("claim_device")).map { ItsmeDevice(value: $0) } }
    /// The security mechanisms of the login: `claim_transaction_info` in itsme's first generation, `transaction_info`
    /// in the later ones. The service must not rely on it, because itsme may return no value.
    public var transactionInfo: ItsmeTransactionInfo? {
        claims.object(names("claim_transaction_info", "transaction_info")).map { ItsmeTransactionInfo($0) }
    }
    /// The citizenship (`claim_nationality` or `claim_citizenship`).
    public var citizenship: String? { claims.text(names("claim_nationality", "claim_citizenship")) }
    /// The place of birth: the claim `place_of_birth`, or else the claims `claim_city_of_birth` and
    /// `claim_country_of_birth`.
    public var placeOfBirth: ItsmePlaceOfBirth? { ItsmePlaceOfBirth(claims) }
    /// The number of the passport (`claim_passport_sn`).
    public var passportNumber: String? { claims.text(names("claim_passport_sn")) }
    /// The number of the Belgian identity card (`BEeidSn`, also spelled `BEeidSN`). Wrong check digits do not make the
    /// login fail.
    public var belgianCardNumber: ItsmeNumber? {
        claims.text(names("BEeidSn", "BEeidSN")).map { ItsmeNumber(belgianCard: $0) }
    }
    /// The Belgian national number (`BENationalNumber`). Wrong check digits do not make the login fail.
    public var belgianNationalNumber: ItsmeNumber? {
        claims.text(names("BENationalNumber")).map { ItsmeNumber(belgianNational: $0) }
    }
    /// The contents of the Belgian identity card (`claim_eid` of itsme's first generation).
    public var belgianCard: ItsmeIdentityCard? { claims.object(names("claim_eid")).map { ItsmeIdentityCard($0) } }
    /// The social security number of Luxembourg (`claim_luxtrust_ssn`). Its check digits are not verified.
    public var luxembourgNumber: String? { claims.text(names("claim_luxtrust_ssn")) }
    /// The portrait as a JPEG image: `claim_photo` in itsme's first generation, `physical_person_photo` in the later
    /// ones, where the base64 is the claim itself or its member `value`. It is nil if it is larger than 256 KiB, or if
    /// it does not begin like a JPEG image.
    public var photo: [UInt8]? {
        let encoded =
            claims.text(names("claim_photo", "physical_person_photo"))
            ?? claims.object(names("physical_person_photo"))?.text("value")
        return encoded.flatMap { ItsmeClaims.jpeg($0) }
    }
    /// The way in which the user was identified to itsme (`identification_mode`): `QR`, `MSISDN`, or `a2a` (from app to
    /// app).
    public var identificationMode: String? { claims.text(names("identification_mode")) }
    /// The IP address from which the login was begun (`transaction_ip`).
    public var transactionIP: String? { claims.text(names("transaction_ip")) }
    /// Whether the user had a telephone call while confirming the login (`ongoing_call`), which is a Boolean or the
    /// string `true` or `false`; nil for any other value.
    public var hadOngoingCall: Bool? { names("ongoing_call").lazy.compactMap { claims.flag($0) }.first }
    /// The account at itsme (`account`); nil if itsme did not return it.
    public var account: ItsmeAccount? { claims.object(names("account")).map { ItsmeAccount($0) } }

    /// Returns how itsme verified an attribute; nil if itsme returned nothing about it.
    ///
    /// - Parameter attribute: The name of the attribute's claim without itsme's prefix, such as `BENationalNumber`.
    public func metadata(of attribute: String) -> ItsmeMetadata? { ItsmeMetadata(claims, of: attribute) }

    /// Returns a claim of itsme that is a string, such as `birthdate_as_string`.
    ///
    /// - Parameter name: The name of the claim without itsme's prefix.
    /// - Returns: The value, or nil if no claim has this name with or without one of itsme's prefixes.
    public func claim(_ name: String) -> String? { claims.text(names(name)) }

    private func names(_ endings: String...) -> [String] { ItsmeClaims.names(endings) }
}

extension ItsmeUser: Redacted {}
