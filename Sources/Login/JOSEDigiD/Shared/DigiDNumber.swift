package import JOSE
package import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// The sector of a national identification number: the register to which the number belongs. The same digits in two
/// sectors identify two different users.
public enum DigiDSector: String, Hashable, CaseIterable, Sendable {
    /// Citizen service numbers (burgerservicenummer, BSN).
    case bsn = "s00000000"
    /// Social and fiscal numbers (sofinummer), the predecessors of the BSN.
    case sofi = "s00000001"

    /// Creates a sector from its code, in upper or lower case.
    init?(code: String) {
        guard let found = Self.allCases.first(where: { $0.rawValue == code.lowercased() }) else { return nil }
        self = found
    }
}

/// A national identification number and its sector, which together identify a user.
///
/// Its descriptions show no digits, and neither do those of the library's values that contain it. Store the number
/// encrypted or hashed. Do not send it to the app, and do not write it into a URL or a log.
public struct DigiDNumber: Hashable, Sendable, Redacted {
    /// The sector of the number.
    public let sector: DigiDSector
    /// The nine digits of the number.
    public let digits: String

    /// Creates a number from nine digits, or from eight digits without the leading zero. The result is nil for any
    /// other text, and for digits that fail the modulus 11 check (elfproef).
    ///
    /// - Parameters:
    ///   - text: The digits.
    ///   - sector: The sector of the number.
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
}

extension DigiDNumber {
    /// Creates a number from a `NameID` such as `s00000000:…`, which consists of the sector code, a colon and the
    /// digits.
    ///
    /// - Throws: `sectorUnexpected` if the sector is not among `sectors`, and `claimType(BSN)` if the digits are
    ///   invalid.
    package init(nameID: String, sectors: Set<DigiDSector>) throws(RelyingPartyError.Reason) {
        let parts = nameID.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .claimType("BSN") }
        guard let sector = DigiDSector(code: String(Substring(parts[0]))), sectors.contains(sector) else {
            throw .sectorUnexpected
        }
        try self.init(digits: String(Substring(parts[1])), sector)
    }

    /// Creates a citizen service number after checking its qualifier, which is a `NameQualifier` in SAML, and the claim
    /// `sub_id_type` in an ID token.
    ///
    /// - Throws: `sectorUnexpected` if the qualifier is not that of citizen service numbers, or if `sectors` does not
    ///   contain them; `claimType(BSN)` if the digits are invalid.
    package init(
        _ digits: String, qualifier: String?, sectors: Set<DigiDSector>
    ) throws(RelyingPartyError.Reason) {
        guard let qualifier, Self.qualifiers.contains(where: { bytesEqual($0, qualifier) }),
            sectors.contains(.bsn)
        else { throw .sectorUnexpected }
        try self.init(digits: digits, .bsn)
    }

    private init(digits: String, _ sector: DigiDSector) throws(RelyingPartyError.Reason) {
        guard let number = DigiDNumber(digits, sector: sector) else { throw .claimType("BSN") }
        self = number
    }

    /// The qualifiers of citizen service numbers.
    package static let qualifiers = ["urn:nl-eid-gdi:1.0:id:legacy-BSN", "urn:nl-eid-gdi:1.0:id:BSN"]
    /// The qualifier of a pseudonym, which identifies a user to one service only.
    package static let pseudonymQualifier = "urn:nl-eid-gdi:1.0:id:Pseudonym"
}
