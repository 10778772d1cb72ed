public import JOSE
internal import JOSETokens

/// What the broker's userinfo endpoint says. There every value is a text; here each has its type.
public struct MitIDUser: Sendable {
    /// The broker's, of this organization. With the issuer the key of an account.
    public let subject: String
    /// MitID's own identifier of the person: to find an account again when the client moves to another organization or broker.
    public let uuid: String?
    /// Years, on the day of the login.
    public let age: Int?
    /// `YYYY-MM-DD`.
    public let dateOfBirth: String?
    /// Whether the person has a civil registration number, told or not.
    public let hasCPR: Bool?
    /// The person's name at MitID.
    public let identityName: String?
    /// MitID's, for its support.
    public let transactionID: String?
    /// Whether the login holds for payments.
    public let isPSD2: Bool?
    /// The civil registration number, where scope `ssn` was granted; matched against, and never an account's key.
    public let cpr: CPRNumber?
    /// The identity's at the provider of identities.
    public let identityID: String?
    /// Whether the broker still has the user's session.
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
        // Once misspelled by the broker's own documentation.
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
    /// Says nothing of the user.
    public var description: String { "MitIDUser" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Members that are texts, whatever they stand for.
private struct MitIDTexts {
    let claims: Claims

    func text(_ name: ClaimName) throws(RelyingPartyError.Reason) -> String? {
        guard claims.contains(name.description) else { return nil }
        guard let text = claims.string(name.description), !text.isEmpty else { throw .claimType(name) }
        return text
    }

    func bool(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Bool? {
        guard let text = try text(name) else { return nil }
        if text.utf8.elementsEqual("true".utf8) { return true }
        guard text.utf8.elementsEqual("false".utf8) else { throw .claimType(name) }
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
