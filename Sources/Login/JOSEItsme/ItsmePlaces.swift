internal import JOSE
internal import JOSERelyingParty

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

extension ItsmePlaceOfBirth: Redacted {}
