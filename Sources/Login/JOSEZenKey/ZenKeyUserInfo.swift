internal import JOSE
package import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// The claims of a carrier's userinfo response. Some carriers return flat members, as ZenKey's guide describes them,
/// and others return objects; both are read into the same properties.
public struct ZenKeyUserInfo: Sendable, Equatable {
    /// The postal address of a user.
    public struct Address: Sendable, Equatable {
        /// A part of the address, or the whole address with line breaks (`formatted`); nil if the carrier does not
        /// return it.
        public let formatted, streetAddress, locality, region, postalCode, country: String?
    }

    /// The subject (`sub`). In a login, it has been checked to equal the subject of the ID token.
    public let subject: String
    /// The full name, given name or family name; nil if the carrier does not return it.
    public let name, givenName, familyName: String?
    /// The e-mail address. It must not identify an account, because it may belong to another person later.
    public let email: String?
    /// Whether the carrier has verified that the e-mail address belongs to the user; nil if the response does not state
    /// this.
    public let isEmailVerified: Bool?
    /// The postal code in the carrier's format: five digits, or nine with a hyphen.
    public let postalCode: String?
    /// The telephone number, which begins with a plus sign and the country code.
    public let phoneNumber: String?
    /// Whether the carrier has verified that the telephone number belongs to the user; nil if the response does not
    /// state this.
    public let isPhoneNumberVerified: Bool?
    /// The date of birth, in the carrier's format.
    public let birthdate: String?
    /// The postal address of the user.
    public let address: Address?
    /// The last four digits of the social security number. They need the same protection as the whole number.
    public let lastFourSocial: String?
    /// Whether the user is at least 18 years old (`is_adult18`); nil if the response does not state this.
    public let isAdult18: Bool?

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
        name = if let nested { try nested.text("value", of: "name") } else { try answer.text("name") }
        givenName = try answer.text("given_name", or: nested, "given_name")
        familyName = try answer.text("family_name", or: nested, "family_name")
        email = try answer.value("email")
        isEmailVerified = try answer.truth("email_verified")
        postalCode = try answer.value("postal_code")
        phoneNumber = try answer.text("phone_number", or: answer.object("phone"), "value")
        isPhoneNumberVerified = try answer.truth("phone_number_verified")
        birthdate = try answer.value("birthdate")
        lastFourSocial = try answer.value("last_4_social")
        isAdult18 = try answer.truth("is_adult18")
        address = try answer.address()
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
    fileprivate func address() throws(RelyingPartyError) -> ZenKeyUserInfo.Address? {
        guard contains("address") else { return nil }
        guard let object = object("address") else { throw RelyingPartyError(.claimType("address"), in: .userInfo) }
        return ZenKeyUserInfo.Address(
            formatted: try object.text("formatted", of: "address"),
            streetAddress: try object.text("street_address", of: "address"),
            locality: try object.text("locality", of: "address"), region: try object.text("region", of: "address"),
            postalCode: try object.text("postal_code", of: "address"),
            country: try object.text("country", of: "address"))
    }
}

extension ZenKeyUserInfo: Redacted {}

extension ZenKeyUserInfo.Address: Redacted {}
