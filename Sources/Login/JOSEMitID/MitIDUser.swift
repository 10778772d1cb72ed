public import JOSE
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// The claims of the broker's userinfo response. The broker returns every value as a string; these properties have
/// types of their own.
public struct MitIDUser: Sendable {
    /// The subject (`sub`), by which the broker identifies the user to this organization. The subject and the issuer
    /// together identify an account.
    package let subject: String
    /// The UUID by which MitID identifies the person (`mitid.uuid`). With it, an account can be found again after the
    /// client has moved to another organization or broker.
    public let uuid: String?
    /// The age in years, on the day of the login.
    public let age: Int?
    /// The date of birth, as `YYYY-MM-DD`.
    public let dateOfBirth: String?
    /// Whether the person has a civil registration number, even if the response does not contain it.
    public let hasCPR: Bool?
    /// The person's name at MitID.
    public let identityName: String?
    /// The identifier of the transaction at MitID, which identifies it to MitID's support.
    public let transactionID: String?
    /// Whether the login is valid for payments under PSD2 (`mitid.psd2`).
    public let isPSD2: Bool?
    /// The civil registration number, if the scope `ssn` was granted. Use it for comparison only, because it does not
    /// identify an account permanently.
    public let cpr: CPRNumber?
    /// The identifier of the identity at the identity provider.
    public let identityID: String?
    /// Whether the user still has a session at the broker.
    public let sessionIsActive: Bool?
    /// The time at which the user's session at the broker ends.
    public let sessionExpiry: NumericDate?
    /// The user's identifier (PID) in NemID, the predecessor of MitID, and the broker's text about it. They are nil
    /// unless the scope `nemid.pid` was granted.
    public let nemIDPID, nemIDPIDStatus: String?
    /// The name and the address in the civil register; nil unless the scope `ssn.details_name` or `ssn.details_address`
    /// was granted.
    public let civilDetails: MitIDCivilDetails?
    /// The UUID by which SoloID identifies the person (`soloid.mitid_uuid`).
    public let soloIDUUID: String?

    init(_ claims: Claims) throws(RelyingPartyError.Reason) {
        let reader = MitIDTexts(claims)
        guard let subject = try reader.text("sub") else { throw .claimMissing("sub") }
        self.subject = subject
        uuid = try reader.text("mitid.uuid")
        age = try reader.integer("mitid.age").map { Int($0) }
        dateOfBirth = try reader.date("mitid.date_of_birth")
        hasCPR = try reader.bool("mitid.has_cpr")
        identityName = try reader.text("mitid.identity_name")
        transactionID = try reader.text("mitid.transaction_id")
        isPSD2 = try reader.bool("mitid.psd2")
        // The broker's documentation once misspelled the name of the claim.
        let cpr = try reader.cpr("dk.cpr")
        let misspelled = try reader.cpr("da.cpr")
        if let cpr, let misspelled, cpr != misspelled {
            throw .claimUnexpected("da.cpr")
        }
        self.cpr = cpr ?? misspelled
        identityID = try reader.text("idp_identity_id")
        sessionIsActive = try reader.bool("session_is_active")
        sessionExpiry = try reader.integer("session_expiry").map { NumericDate(secondsSince1970: Double($0)) }
        nemIDPID = try reader.optional("nemid.pid")
        nemIDPIDStatus = try reader.optional("nemid.pid_status")
        civilDetails = try MitIDCivilDetails(claims)
        soloIDUUID = try reader.optional("soloid.mitid_uuid")
    }
}

extension MitIDUser: Redacted {}
