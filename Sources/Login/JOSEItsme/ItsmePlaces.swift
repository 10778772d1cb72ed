internal import JOSE
internal import JOSERelyingParty

/// A postal address as itsme returns it (OpenID Connect Core, 5.1.1). The description contains none of the values.
public struct ItsmeAddress: Sendable, Equatable {
    /// A member of the address: `formatted`, `street_address`, `locality`, `postal_code` or `country`; nil if it is
    /// absent.
    public let formatted, streetAddress, locality, postalCode, country: String?

    init?(_ claims: ItsmeClaims) {
        if let object = claims.object(["address"]) {
            self.init(object.text)
        } else {
            self.init(claims.text)
            guard self != ItsmeAddress({ _ in nil }) else { return nil }
        }
    }

    private init(_ text: (String) -> String?) {
        formatted = text("formatted")
        streetAddress = text("street_address")
        locality = text("locality")
        postalCode = text("postal_code")
        country = text("country")
    }
}

/// A place of birth as itsme returns it. The description contains none of the values.
public struct ItsmePlaceOfBirth: Sendable, Equatable {
    /// The whole place of birth, such as `bruxelles Belgium`.
    public let formatted: String?
    /// The city of birth: the member `city`, or the claim `claim_city_of_birth`.
    public let city: String?
    /// The country of birth: the member `country`, or the claim `claim_country_of_birth`.
    public let country: String?

    init?(_ claims: ItsmeClaims) {
        if let object = claims.object(ItsmeClaims.names(["place_of_birth"])) {
            formatted = object.text("formatted")
            city = object.text("city")
            country = object.text("country")
        } else {
            formatted = nil
            city = claims.text(ItsmeClaims.names(["claim_city_of_birth"]))
            country = claims.text(ItsmeClaims.names(["claim_country_of_birth"]))
            guard city != nil || country != nil else { return nil }
        }
    }
}

extension ItsmeAddress: Redacted {}

extension ItsmePlaceOfBirth: Redacted {}
