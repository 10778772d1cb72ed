public import JOSE
internal import JOSEBytes
internal import JOSETokens

/// The claims of the broker's userinfo response. The broker returns every value as a string; these properties have
/// types of their own.
public struct MitIDUser: Sendable {
    /// The subject (`sub`), by which the broker identifies the user to this organization. The subject and the issuer
    /// together identify an account.
    public let subject: String
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

    init(_ claims: Claims) throws(RelyingPartyError.Reason) {
        let reader = MitIDTexts(claims: claims)
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
    }
}

extension MitIDUser: CustomStringConvertible, CustomReflectable {
    /// Only the name of the type, because the values are personal data.
    public var description: String { "MitIDUser" }
    /// An empty mirror, because the values are secret or personal.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A reader of claims that are strings, whatever they stand for.
private struct MitIDTexts {
    let claims: Claims

    func text(_ name: ClaimName) throws(RelyingPartyError.Reason) -> String? {
        guard claims.contains(name.description) else { return nil }
        guard let text = claims.string(name.description), !text.isEmpty else { throw .claimType(name) }
        return text
    }

    func bool(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Bool? {
        guard let text = try text(name) else { return nil }
        if bytesEqual(text, "true") { return true }
        guard bytesEqual(text, "false") else { throw .claimType(name) }
        return false
    }

    func integer(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let number = digits(text) else { throw .claimType(name) }
        return number
    }

    func cpr(_ name: ClaimName) throws(RelyingPartyError.Reason) -> CPRNumber? {
        guard let text = try text(name) else { return nil }
        guard let number = CPRNumber(text) else { throw .claimType(name) }
        return number
    }

    func date(_ name: ClaimName) throws(RelyingPartyError.Reason) -> String? {
        guard let text = try text(name) else { return nil }
        let bytes = Array(text.utf8)
        let isDate =
            bytes.count == 10
            && bytes.indices.allSatisfy {
                $0 == 4 || $0 == 7 ? bytes[$0] == UInt8(ascii: "-") : (0x30...0x39).contains(bytes[$0])
            }
        guard isDate else { throw .claimType(name) }
        return text
    }
}
