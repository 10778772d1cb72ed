internal import JOSETokens

/// What a carrier says of its user, in one model whichever way it was written: flat members, as in the guide, or objects.
public struct ZenKeyUserInfo: Sendable, Equatable {
    /// Where a user lives.
    public struct Address: Sendable, Equatable {
        /// As far as the carrier says it; `formatted` is all of it, with line breaks.
        public let formatted, streetAddress, locality, region, postalCode, country: String?
    }

    /// `sub`; it has been compared with the ID token's where it comes out of a login.
    public let subject: String
    /// The whole of it, and its parts.
    public let name, givenName, familyName: String?
    /// May be another's one day: never a key of an account.
    public let email: String?
    /// Whether the carrier has seen that it is the user's; nil where it says nothing.
    public let isEmailVerified: Bool?
    /// As the carrier writes it: five digits, or nine with a hyphen.
    public let postalCode: String?
    /// With a plus and the country in front.
    public let phoneNumber: String?
    /// See `isEmailVerified`.
    public let isPhoneNumberVerified: Bool?
    /// As the carrier writes it.
    public let birthdate: String?
    /// Where the user lives.
    public let address: Address?
    /// The last four digits of the social security number: a national number, to be kept as one.
    public let lastFourSocial: String?
    /// `is_adult18`.
    public let isAdult18: Bool?

    /// Reads the answer. Throws `malformed`, `claimMissing("sub")`, `claimType` of the first member of a wrong type, and
    /// `claimUnexpected` of one that is there in both ways and says two things.
    public init(parsing json: [UInt8]) throws(RelyingPartyError) {
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
    /// Absent, or a string.
    fileprivate func text(_ name: String, of claim: String? = nil) throws(RelyingPartyError) -> String? {
        guard contains(name) else { return nil }
        guard let text = string(name) else {
            throw RelyingPartyError(.claimType(ClaimName(claim ?? name)), in: .userInfo)
        }
        return text
    }

    /// A string, or an object whose `value` is one.
    fileprivate func value(_ name: String) throws(RelyingPartyError) -> String? {
        if let object = object(name) { return try object.text("value", of: name) }
        return try text(name)
    }

    /// Flat, or within an object; of both, the same.
    fileprivate func text(
        _ name: String, or other: CarrierJSON?, _ member: String
    ) throws(RelyingPartyError) -> String? {
        let flat = try text(name)
        guard let nested = try other?.text(member, of: name) else { return flat }
        guard flat == nil || flat?.utf8.elementsEqual(nested.utf8) == true else {
            throw RelyingPartyError(.claimUnexpected(ClaimName(name)), in: .userInfo)
        }
        return nested
    }

    /// `true` and `false`, or these two words as strings; no other.
    fileprivate func truth(_ name: String) throws(RelyingPartyError) -> Bool? {
        guard contains(name) else { return nil }
        if let value = bool(name) { return value }
        switch string(name) {
        case "true": return true
        case "false": return false
        default: throw RelyingPartyError(.claimType(ClaimName(name)), in: .userInfo)
        }
    }

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

extension ZenKeyUserInfo: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the user.
    public var description: String { "ZenKeyUserInfo" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ZenKeyUserInfo.Address: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the user.
    public var description: String { "Address" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
