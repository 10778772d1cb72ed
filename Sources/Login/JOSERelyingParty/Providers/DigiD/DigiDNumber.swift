internal import JOSETokens

/// Which register a number is of. The same digits in two sectors are two users.
public enum DigiDSector: String, Hashable, CaseIterable, Sendable {
    /// Citizen service numbers (burgerservicenummer).
    case bsn = "s00000000"
    /// The social and fiscal numbers before them.
    case sofi = "s00000001"

    /// In letters of either case.
    init?(code: String) {
        guard let found = Self.allCases.first(where: { $0.rawValue == code.lowercased() }) else { return nil }
        self = found
    }
}

/// A national number, with its sector: together they are the user's key. No description of it, or of what it is part of, shows a digit; it
/// is kept encrypted or hashed, and never leaves for the app, a URL or a log.
public struct DigiDNumber: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// Of which the digits are.
    public let sector: DigiDSector
    /// Nine, as they are kept and compared.
    public let digits: String

    /// Nil for what is not nine digits, or eight without their leading zero, and for what fails the eleven-test.
    public init?(_ text: String, sector: DigiDSector = .bsn) {
        var bytes = Array(text.utf8)
        if bytes.count == 8 { bytes.insert(UInt8(ascii: "0"), at: 0) }
        guard bytes.count == 9, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let values = bytes.map { Int($0) - 0x30 }
        let sum = zip(values, [9, 8, 7, 6, 5, 4, 3, 2, -1]).reduce(0) { $0 + $1.0 * $1.1 }
        guard sum.isMultiple(of: 11), values.contains(where: { $0 != 0 }) else { return nil }
        self.sector = sector
        digits = String(decoding: bytes, as: UTF8.self)
    }

    public var description: String { "DigiDNumber" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension DigiDNumber {
    /// Of a `NameID` such as `s00000000:…`. `sectorUnexpected` for a sector that is not among `sectors`, `claimType(BSN)` for digits that
    /// are no number.
    package init(nameID: String, sectors: Set<DigiDSector>) throws(RelyingPartyError.Reason) {
        let parts = nameID.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .claimType("BSN") }
        guard let sector = DigiDSector(code: String(Substring(parts[0]))), sectors.contains(sector) else {
            throw .sectorUnexpected
        }
        try self.init(digits: String(Substring(parts[1])), sector)
    }

    /// Of a number whose sector its qualifier says: a `NameQualifier`, or `sub_id_type` of an ID token.
    package init(
        _ digits: String, qualifier: String?, sectors: Set<DigiDSector>
    ) throws(RelyingPartyError.Reason) {
        guard let qualifier, Self.qualifiers.contains(where: { $0.utf8.elementsEqual(qualifier.utf8) }),
            sectors.contains(.bsn)
        else { throw .sectorUnexpected }
        try self.init(digits: digits, .bsn)
    }

    private init(digits: String, _ sector: DigiDSector) throws(RelyingPartyError.Reason) {
        guard let number = DigiDNumber(digits, sector: sector) else { throw .claimType("BSN") }
        self = number
    }

    /// Those of a citizen service number.
    package static let qualifiers = ["urn:nl-eid-gdi:1.0:id:legacy-BSN", "urn:nl-eid-gdi:1.0:id:BSN"]
    /// That of a name that one service alone knows a user by.
    package static let pseudonymQualifier = "urn:nl-eid-gdi:1.0:id:Pseudonym"
}
