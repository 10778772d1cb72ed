/// What itsme read from a Belgian identity card: `claim_eid` of the first generation. Its description has none of the values.
public struct ItsmeIdentityCard: Sendable, Equatable {
    /// `eid`: the number of the card.
    public let number: ItsmeNumber?
    /// `national_number`: the holder's national number.
    public let nationalNumber: ItsmeNumber?
    /// `issuance_locality`: where the card was issued.
    public let issuanceLocality: String?
    /// `validity_from` and `validity_to`, as itsme spells them.
    public let validFrom, validTo: String?
    /// `certificate_validity`, as itsme spells it.
    public let certificateValidity: String?
    /// `read_date`: when the card was read, such as `2017-04-01T19:43:37+0000`; some documents leave out the time zone.
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

extension ItsmeIdentityCard: CustomStringConvertible, CustomReflectable {
    public var description: String { "ItsmeIdentityCard" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
