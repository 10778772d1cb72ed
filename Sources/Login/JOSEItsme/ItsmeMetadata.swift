internal import JOSE
internal import JOSERelyingParty

/// The verification of an attribute of the user by itsme, such as the number of a document. Its description contains
/// none of the values.
///
/// In its present generation, itsme returns each of these claims for the attributes that were requested together with
/// it, as an object whose members have the names of the attributes.
public struct ItsmeMetadata: Sendable, Equatable {
    /// The first or the last day of the attribute's validity, in itsme's format (`validityFrom`, `validityTo`).
    public let validFrom, validTo: String?
    /// The time at which the attribute was verified, in itsme's format (`verificationDate`).
    public let verified: String?
    /// The country that issued the document with the attribute (`IDIssuingCountry`).
    public let issuingCountry: String?
    /// The place at which the document was issued (`issuance_locality`).
    public let issuanceLocality: String?

    /// Reads the metadata of an attribute. Nil if there is none.
    init?(_ claims: ItsmeClaims, of attribute: String) {
        let members = ItsmeClaims.names([attribute])
        func text(_ name: String) -> String? {
            claims.objects(ItsmeClaims.names([name])).lazy
                .compactMap { object in members.lazy.compactMap { object.text($0) }.first }.first
        }
        validFrom = text("validityFrom")
        validTo = text("validityTo")
        verified = text("verificationDate")
        issuingCountry = text("IDIssuingCountry")
        issuanceLocality = text("issuance_locality")
        guard [validFrom, validTo, verified, issuingCountry, issuanceLocality].contains(where: { $0 != nil }) else {
            return nil
        }
    }
}

/// The user's account at itsme (`account`). Its description contains none of the values.
public struct ItsmeAccount: Sendable, Equatable {
    /// The way in which a user proved their identity when the account was activated.
    @nonexhaustive public enum Activation: String, Sendable, CaseIterable {
        /// A card reader read the identity card.
        case cardReader = "CARD_READER"
        /// The phone read the identity card without contact.
        case contactless = "CONTACT_LESS"
        /// Another provider, such as a bank, identified the user.
        case identityProvider = "ID_PROVIDER"
    }

    /// The time at which the account was activated, in itsme's format (`activationDate`).
    public let activated: String?
    /// The way in which the account was activated (`activationMechanism`); nil for a value that itsme does not define.
    public let activation: Activation?

    init(_ object: ItsmeClaims.Object) {
        activated = object.text("activationDate")
        activation = object.text("activationMechanism").flatMap { Activation(rawValue: $0) }
    }
}

extension ItsmeMetadata: Redacted {}

extension ItsmeAccount: Redacted {}
