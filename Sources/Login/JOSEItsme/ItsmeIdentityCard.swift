internal import JOSE
internal import JOSERelyingParty

/// The contents of a Belgian identity card, as itsme read them (`claim_eid` of the first generation of itsme). The
/// description contains none of the values.
public struct ItsmeIdentityCard: Sendable, Equatable {
    /// The number of the card (`eid`).
    public let number: ItsmeNumber?
    /// The national number of the holder (`national_number`).
    public let nationalNumber: ItsmeNumber?
    /// The place of issue (`issuance_locality`).
    public let issuanceLocality: String?
    /// The first or the last day of validity, in itsme's format (`validity_from`, `validity_to`).
    public let validFrom, validTo: String?
    /// The validity of the certificates, in itsme's format (`certificate_validity`).
    public let certificateValidity: String?
    /// The time at which the card was read, such as `2017-04-01T19:43:37+0000` (`read_date`). The time zone may be
    /// missing.
    public let readDate: String?

    init(_ object: ItsmeClaims.Object) {
        number = object.text("eid").map { ItsmeNumber(belgianCard: $0) }
        nationalNumber = object.text("national_number").map { ItsmeNumber(belgianNational: $0) }
        issuanceLocality = object.text("issuance_locality")
        validFrom = object.text("validity_from")
        validTo = object.text("validity_to")
        certificateValidity = object.text("certificate_validity")
        readDate = object.text("read_date")
    }
}

extension ItsmeIdentityCard: Redacted {}
