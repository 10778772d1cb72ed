internal import JOSE
public import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// The claims of a carrier's userinfo response. Some carriers return flat members, as ZenKey's guide describes them,
/// and others return objects; both are read into the same properties. The properties of `StandardClaims` are properties of
/// this type too.
@dynamicMemberLookup public struct ZenKeyUserInfo: Sendable, Equatable {
    /// The subject (`sub`). In a login, it has been checked to equal the subject of the ID token.
    public let subject: String
    /// The postal code in the carrier's format: five digits, or nine with a hyphen.
    public let postalCode: String?
    /// The last four digits of the social security number. They need the same protection as the whole number.
    public let lastFourSocial: String?
    /// Whether the user is at least 18 years old (`is_adult18`); nil if the response does not state this.
    public let isAdult18: Bool?
    private let standard: StandardClaims

    /// Returns a standard claim, such as `givenName` or `email`. The telephone number begins with a plus sign and the
    /// country code, and the date of birth is in the carrier's format.
    public subscript<Value>(dynamicMember claim: KeyPath<StandardClaims, Value>) -> Value { standard[keyPath: claim] }

    /// Creates a value from a userinfo response.
    ///
    /// - Parameter json: The body of the response, a JSON object.
    /// - Throws: `malformed`, `claimMissing(sub)`, `claimType` for the first member of a wrong type, and
    ///   `claimUnexpected` if a flat member and the corresponding object have different values.
    package init(parsing json: [UInt8]) throws(RelyingPartyError) {
        guard let answer = CarrierJSON(json) else { throw RelyingPartyError(.malformed, in: .userInfo) }
        guard let subject = try answer.text("sub") else {
            throw RelyingPartyError(.claimMissing("sub"), in: .userInfo)
        }
        guard !subject.isEmpty else { throw RelyingPartyError(.claimType("sub"), in: .userInfo) }
        self.subject = subject
        let nested = answer.object("name")
        var standard = StandardClaims()
        standard.name = if let nested { try nested.text("value", of: "name") } else { try answer.text("name") }
        standard.givenName = try answer.text("given_name", or: nested, "given_name")
        standard.familyName = try answer.text("family_name", or: nested, "family_name")
        standard.email = try answer.value("email")
        standard.isEmailVerified = try answer.truth("email_verified")
        postalCode = try answer.value("postal_code")
        standard.phoneNumber = try answer.text("phone_number", or: answer.object("phone"), "value")
        standard.isPhoneNumberVerified = try answer.truth("phone_number_verified")
        standard.birthdate = try answer.value("birthdate")
        lastFourSocial = try answer.value("last_4_social")
        isAdult18 = try answer.truth("is_adult18")
        standard.address = try answer.address()
        self.standard = standard
    }
}

extension CarrierJSON {
    /// Returns a member that must be a string, or nil if it is absent.
    fileprivate func text(_ name: String, of claim: String? = nil) throws(RelyingPartyError) -> String? {
        guard contains(name) else { return nil }
        guard let text = string(name) else {
            throw RelyingPartyError(.claimType(ClaimName(claim ?? name)), in: .userInfo)
        }
        return text
    }

    /// Returns a member that is a string, or an object whose `value` is one.
    fileprivate func value(_ name: String) throws(RelyingPartyError) -> String? {
        if let object = object(name) { return try object.text("value", of: name) }
        return try text(name)
    }

    /// Returns a value that is flat, within an object, or equal in both.
    fileprivate func text(
        _ name: String, or other: CarrierJSON?, _ member: String
    ) throws(RelyingPartyError) -> String? {
        let flat = try text(name)
        guard let nested = try other?.text(member, of: name) else { return flat }
        guard flat == nil || bytesEqual(flat, nested) else {
            throw RelyingPartyError(.claimUnexpected(ClaimName(name)), in: .userInfo)
        }
        return nested
    }

    /// Returns a member that is a Boolean, or the string `true` or `false`.
    fileprivate func truth(_ name: String) throws(RelyingPartyError) -> Bool? {
        guard contains(name) else { return nil }
        if let value = bool(name) { return value }
        switch string(name) {
        case "true": return true
        case "false": return false
        default: throw RelyingPartyError(.claimType(ClaimName(name)), in: .userInfo)
        }
    }

    /// Returns the address, if it is present.
    fileprivate func address() throws(RelyingPartyError) -> StandardClaims.Address? {
        guard contains("address") else { return nil }
        guard let object = object("address") else { throw RelyingPartyError(.claimType("address"), in: .userInfo) }
        return try StandardClaims.Address { (name) throws(RelyingPartyError) in try object.text(name, of: "address") }
    }
}

extension ZenKeyUserInfo: Redacted {}
