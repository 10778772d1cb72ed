internal import JOSE
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// A person's name and address in the Danish civil register (`ssn.details.`), if the scopes `ssn.details_name` or
/// `ssn.details_address` were granted. Each value may be absent.
public struct MitIDCivilDetails: Sendable {
    /// The name and the address of the person, as the register writes them.
    public let givenName, middleName, surname, careOfName, cityName, floor, streetName, streetNumber, unit, zipCode,
        zipName: String?
    /// The status of the person in the register.
    public let personStatus: MitIDPersonStatus?
    /// Whether the name and the address are protected. The names are then nil. It may be true of a register that was
    /// not read.
    public let isProtected: Bool
    /// Whether the register was read. If it was not, all texts are nil.
    public let isAvailable: Bool

    /// The text with which the register replaces a protected name.
    private static let placeholder = "NAVNE & ADRESSEBESKYTTET"

    /// Reads the claims of a userinfo response; nil if it has none of the register.
    init?(_ claims: Claims) throws(RelyingPartyError.Reason) {
        let reader = MitIDTexts(claims)
        var texts: [String: String] = [:]
        var isPresent = false
        for name in Self.names {
            let claim = ClaimName("ssn.details.\(name)")
            if reader.contains(claim) { isPresent = true }
            texts[name] = try reader.optional(claim)
        }
        let flag: ClaimName = "ssn.details.name_address_protected"
        let isFlagged = try reader.optionalBool(flag)
        guard isPresent || isFlagged != nil else { return nil }
        let isAvailable = texts["status"].map { bytesEqual($0, "success") } ?? true
        let isReplaced = texts.values.contains { bytesEqual($0, Self.placeholder) }
        func text(_ name: String) -> String? {
            guard isAvailable, let text = texts[name], !bytesEqual(text, Self.placeholder) else { return nil }
            return text
        }
        let isProtected = isFlagged == true || isReplaced
        func personal(_ name: String) -> String? { isProtected ? nil : text(name) }
        self.isAvailable = isAvailable
        self.isProtected = isProtected
        personStatus = text("person_status").map { MitIDPersonStatus($0) }
        givenName = personal("given_name")
        middleName = personal("middle_name")
        surname = personal("surname")
        careOfName = personal("care_of_name")
        cityName = text("city_name")
        floor = text("floor")
        streetName = text("street_name")
        streetNumber = text("street_number")
        unit = text("unit")
        zipCode = text("zip_code")
        zipName = text("zip_name")
    }

    private static let names = [
        "status", "person_status", "given_name", "middle_name", "surname", "care_of_name", "city_name", "floor",
        "street_name", "street_number", "unit", "zip_code", "zip_name",
    ]
}

extension MitIDCivilDetails: Redacted {}

/// The status of a person in the Danish civil register (`ssn.details.person_status`).
@nonexhaustive public enum MitIDPersonStatus: Hashable, Sendable {
    /// The person lives in Denmark; with a high road code, the person has no fixed address.
    case active, activeWithHighRoadCode
    /// The person lives in Greenland; with a high road code, the person has no fixed address.
    case activeInGreenland, activeInGreenlandWithHighRoadCode
    /// The number was issued for administrative purposes, such as taxes, to a person who lives elsewhere.
    case activeAdministrativeNumber
    /// The number was cancelled, deleted, or replaced by another one.
    case cancelledNumber, deletedNumber, changedNumber
    /// The person is missing, has emigrated, or has died.
    case missing, emigrated, deceased
    /// A status that this library does not know, as the broker writes it.
    case other(String)

    /// Creates a status from the broker's text, whose ASCII letters are compared without regard to case.
    ///
    /// - Parameter text: The text of the claim.
    package init(_ text: String) {
        let lower = text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        self = Self.known.first { $0.text.utf8.elementsEqual(lower) }?.status ?? .other(text)
    }

    private static let known: [(text: String, status: Self)] = [
        ("active", .active), ("activewithhighroadcode", .activeWithHighRoadCode),
        ("activeregisteredresidenceingreenlandiccpr", .activeInGreenland),
        ("activeregisteredresidenceingreenlandiccprwithhighroadcode", .activeInGreenlandWithHighRoadCode),
        ("activeadministrativesocialsecuritynumber", .activeAdministrativeNumber),
        ("cancelledsocialsecuritynumber", .cancelledNumber), ("deletedsocialsecuritynumber", .deletedNumber),
        ("changedsocialsecuritynumber", .changedNumber), ("missing", .missing), ("emigrated", .emigrated),
        ("deceased", .deceased),
    ]
}
