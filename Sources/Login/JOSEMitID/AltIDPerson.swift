internal import JOSE
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// A claim of the person identification data in the wallet AltID, which is requested by a scope of the same name.
public enum AltIDClaim: String, CaseIterable, Sendable {
    /// A name of the person.
    case fullName = "full_name", familyName = "family_name", givenName = "given_name"
    /// The date, or the place, of birth.
    case birthDate = "birth_date", birthPlace = "birth_place"
    /// The nationalities of the person.
    case nationality
    /// The address at which the person lives.
    case residentAddress = "resident_address"
    /// The civil registration number.
    case personalAdministrativeNumber = "personal_administrative_number"
    /// The last day on which the data are valid.
    case expiryDate = "expiry_date"
    /// The authority, or the country, that issued the data.
    case issuingAuthority = "issuing_authority", issuingCountry = "issuing_country"
}

/// The person identification data (PID) of a login with the wallet AltID. Each value is nil unless its scope was
/// requested and the user disclosed it.
public struct AltIDPerson: Sendable {
    /// The names of the person.
    public let fullName, familyName, givenName: String?
    /// The date and the place of birth, as the wallet writes them.
    public let birthDate, birthPlace: String?
    /// The nationalities of the person; empty if they were not disclosed.
    public let nationalities: [String]
    /// The address at which the person lives.
    public let residentAddress: String?
    /// The civil registration number (`personal_administrative_number`). Use it for comparison only.
    public let cpr: CPRNumber?
    /// The last day on which the data are valid, as the wallet writes it.
    public let expiryDate: String?
    /// The authority and the country that issued the data.
    public let issuingAuthority, issuingCountry: String?

    /// Reads the claims of userinfo and of the ID token.
    ///
    /// - Parameter sources: The claims in the order in which they are searched.
    init(_ sources: [Claims]) throws(RelyingPartyError.Reason) {
        let reader = MitIDTexts(sources: sources)
        func text(_ claim: AltIDClaim) throws(RelyingPartyError.Reason) -> String? {
            try reader.optional(ClaimName(claim.rawValue))
        }
        fullName = try text(.fullName)
        familyName = try text(.familyName)
        givenName = try text(.givenName)
        birthDate = try text(.birthDate)
        birthPlace = try text(.birthPlace)
        nationalities = try reader.list(ClaimName(AltIDClaim.nationality.rawValue)) ?? []
        residentAddress = try text(.residentAddress)
        cpr = try reader.cpr(ClaimName(AltIDClaim.personalAdministrativeNumber.rawValue))
        expiryDate = try text(.expiryDate)
        issuingAuthority = try text(.issuingAuthority)
        issuingCountry = try text(.issuingCountry)
    }
}

extension AltIDPerson: Redacted {}
