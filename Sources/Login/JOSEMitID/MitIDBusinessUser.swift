internal import JOSE
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// The claims of a member of a Danish organization, from a login with MitID Erhverv (`nemlogin.`). Each may be absent.
///
/// An account is identified by `LoggedInUser.issuer` and `LoggedInUser.subject`, and may be found again by
/// ``persistentProfessionalID``.
public struct MitIDBusinessUser: Sendable {
    /// The full name; nil if the user logged in with a pseudonym.
    public let name: String?
    /// The given name; nil if the user logged in with a pseudonym.
    public let givenName: String?
    /// The family name; nil if the user logged in with a pseudonym.
    public let familyName: String?
    /// The e-mail address at the organization.
    public let email: String?
    /// The date of birth, as the broker writes it.
    public let dateOfBirth: String?
    /// The alias of the user. The text `Pseudonym` means that the user's names are not disclosed.
    public let alias: String?
    /// The identifier of the employee (RID) in NemID, the predecessor of MitID.
    public let nemIDRID: String?
    /// The name of the organization.
    public let organizationName: String?
    /// The permanent identifier of the user as a member of the organization.
    public let persistentProfessionalID: String?
    /// The registration number of the organization in the Danish business register, as the broker writes it;
    /// ``isCVRValid`` says whether it is one.
    public let cvr: String?
    /// The number of the organization's tax unit (SE number).
    public let seNumber: String?
    /// The number of the organization's production unit (P number).
    public let pNumber: String?
    /// The identifier of the person in the Danish civil register (CPR UUID).
    public let cprUUID: String?
    /// The civil registration number of the user. Use it for comparison only.
    public let cpr: CPRNumber?
    /// The user's authority to represent the organization, as the broker writes it.
    public let authorityToRepresent: String?

    /// Whether the user logged in with a pseudonym, so that no names are given.
    public var isPseudonym: Bool { alias.map { bytesEqual($0, "Pseudonym") } ?? false }
    /// Whether ``cvr`` has the eight digits of a registration number; false if it is absent.
    public var isCVRValid: Bool {
        cvr.map { text in text.utf8.count == 8 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } } ?? false
    }

    /// Reads the claims of a userinfo response.
    init(_ claims: Claims) throws(RelyingPartyError.Reason) {
        let reader = MitIDTexts(claims)
        func text(_ name: StaticString) throws(RelyingPartyError.Reason) -> String? {
            try reader.optional(ClaimName("nemlogin.\(name)"))
        }
        let alias = try text("alias")
        let names = (try text("name"), try text("given_name"), try text("family_name"))
        let hidesNames = alias.map { bytesEqual($0, "Pseudonym") } ?? false
        self.alias = alias
        (name, givenName, familyName) = hidesNames ? (nil, nil, nil) : names
        email = try text("email")
        dateOfBirth = try text("date_of_birth")
        nemIDRID = try text("nemid.rid")
        organizationName = try text("org_name")
        persistentProfessionalID = try text("persistent_professional_id")
        cvr = try text("cvr")
        seNumber = try text("se_number")
        pNumber = try text("p_number")
        cprUUID = try text("cpr_uuid")
        cpr = try reader.cpr("nemlogin.cpr")
        authorityToRepresent = try text("auth_to_repr")
    }
}

extension MitIDBusinessUser: Redacted {}

/// The thoroughness with which MitID Erhverv verified the identity of a user (`loip`).
public enum MitIDIdentityProofing: String, Sendable {
    /// The identity was verified at the baseline or at the extended level.
    case baseline, extended
}
