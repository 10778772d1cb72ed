internal import JOSE
package import JOSESupport
package import JOSETokens

/// The standard claims about a user (OpenID Connect Core, 5.1). A claim is nil if the provider did not return it, or
/// returned it in an unexpected form. None of them identifies an account. The description contains none of them.
public struct StandardClaims: Sendable, Equatable {
    /// A postal address (OpenID Connect Core, 5.1.1). The description contains none of the values.
    public struct Address: Sendable, Equatable {
        /// A part of the address, or the whole address with line breaks (`formatted`); nil if it is absent.
        public let formatted, streetAddress, locality, region, postalCode, country: String?

        /// Reads the members of an address by their names.
        package init<Failure>(_ text: (String) throws(Failure) -> String?) throws(Failure) {
            formatted = try text("formatted")
            streetAddress = try text("street_address")
            locality = try text("locality")
            region = try text("region")
            postalCode = try text("postal_code")
            country = try text("country")
        }
    }

    /// The full name, given name or family name.
    public package(set) var name, givenName, familyName: String?
    /// The e-mail address, which may belong to another person later.
    public package(set) var email: String?
    /// Whether the provider has verified that ``email`` belongs to the user (`email_verified`): a Boolean, or the
    /// string `true` or `false`. It is nil if the source of the address does not say it.
    public package(set) var isEmailVerified: Bool?
    /// The telephone number, such as `+32 422010099`.
    public package(set) var phoneNumber: String?
    /// Whether the provider has verified that ``phoneNumber`` belongs to the user (`phone_number_verified`): a Boolean,
    /// or the string `true` or `false`. It is nil if the source of the number does not say it.
    public package(set) var isPhoneNumberVerified: Bool?
    /// The date of birth, as `YYYY-MM-DD` or in the form of the provider.
    public package(set) var birthdate: String?
    /// The gender: `female`, `male` or another value.
    public package(set) var gender: String?
    /// The locale, such as `en-US`.
    public package(set) var locale: String?
    /// The picture: a URL, which the library does not fetch, or another form of the provider.
    public package(set) var picture: String?
    /// The postal address.
    public package(set) var address: Address?

    package init() {}

    /// Reads the claims. Of each name, the first source that has it in the expected form counts. Whether an e-mail
    /// address or a telephone number is verified is read from the source that has this address or number (OpenID
    /// Connect Core, 5.1): another source may say it of another one.
    package init(_ sources: [Claims]) {
        func first<Value>(_ name: String, _ read: (JSONValue, [UInt8]) -> Value?) -> Value? {
            for source in sources {
                if let value = source.value(name), let found = read(value, source.payload) { return found }
            }
            return nil
        }
        func text(_ name: String) -> String? { first(name) { $0.string(in: $1.span) } }
        func verified(_ name: String) -> (text: String?, isVerified: Bool?) {
            for source in sources {
                let payload = source.payload
                guard let text = source.value(name)?.string(in: payload.span) else { continue }
                return (text, source.value(name + "_verified").flatMap { Self.flag($0, in: payload) })
            }
            return (nil, nil)
        }
        (name, givenName, familyName) = (text("name"), text("given_name"), text("family_name"))
        (email, isEmailVerified) = verified("email")
        (phoneNumber, isPhoneNumberVerified) = verified("phone_number")
        (birthdate, gender) = (text("birthdate"), text("gender"))
        (locale, picture) = (text("locale"), text("picture"))
        address = first("address") { value, bytes in
            value.object(in: bytes.span).map { members in
                Address { members.first($0.utf8.span, in: bytes.span)?.string(in: bytes.span) }
            }
        }
    }

    /// Returns a Boolean, or a string that spells one.
    package static func flag(_ value: JSONValue, in bytes: [UInt8]) -> Bool? {
        if let flag = value.bool() { return flag }
        return switch value.string(in: bytes.span) {
        case "true", "True": true
        case "false", "False": false
        default: nil
        }
    }
}

extension LoggedInUser {
    /// The standard claims about the user, of userinfo and then of the ID token. The accessors of providers that write
    /// some of them in another form read that form.
    public var standardClaims: StandardClaims { StandardClaims(sources) }
}

extension StandardClaims: Redacted {}

extension StandardClaims.Address: Redacted {}
