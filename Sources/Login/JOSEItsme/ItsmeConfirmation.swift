internal import JOSE
public import JOSERelyingParty

/// A payment or a text that a user confirms with itsme's Confirm service, in addition to logging in.
@nonexhaustive public enum ItsmeConfirmation: Sendable, Equatable {
    /// A payment to a bank account: the amount, such as `12.50`, the currency code of three letters, and the IBAN of
    /// the account.
    case payment(amount: String, currency: String, iban: String)
    /// A text of at most 7500 characters of ISO 8859-15, without HTML tags other than `b`, `i`, `u` and `br`. All
    /// requested claims together, with the text in UTF-8, may have at most 8192 bytes.
    case freeText(String)

    static let tags = "tag:sixdots.be,2016-08:claim_approval_"
    static let addresses = "http://itsme.services/v2/claim/claim_approval_"

    var members: [(name: String, value: String)] {
        switch self {
        case .payment(let amount, let currency, let iban):
            [
                ("template_name", "adv_payment"), ("amount_key", amount), ("currency_key", currency),
                ("iban_key", iban),
            ]
        case .freeText(let text): [("template_name", "free_text"), ("text_key", text)]
        }
    }
}

extension LoginRequest {
    /// Requires the user to confirm a payment or a text. The request is then sent as a signed and encrypted request
    /// object, and with `ProviderProfile.itsmeBackChannel(hint:)` as a signed request.
    ///
    /// - Parameter confirmation: The payment or the text to confirm.
    public mutating func confirm(_ confirmation: ItsmeConfirmation) {
        var claims = claims ?? ClaimsRequest()
        for (name, value) in confirmation.members {
            claims.askInUserInfo(ItsmeConfirmation.addresses + name, .essential(value: value))
        }
        self.claims = claims
    }
}

extension ItsmeConfirmation {
    /// Checks a confirmation, and claims whose values skip the identification. In a request that a browser delivers,
    /// their values must be sent encrypted. A request of the back end is signed only, and has no claims that skip the
    /// identification.
    static func check(
        _ request: inout LoginRequest, _ generation: Itsme.Generation, _ isBackChannel: Bool
    ) throws(RelyingPartyError.Reason) {
        guard var claims = request.claims else { return }
        let isConfirmation = claims.requirement(inUserInfo: addresses + "template_name") != nil
        if isConfirmation { try checkTemplate(claims) }
        guard claims.json.count <= 8_192 else { throw .invalidParameter("claims") }
        let skips = ["sub", "phone_number"].contains { claims.requirement(inUserInfo: $0)?.hasValue == true }
        if isBackChannel {
            guard !skips else { throw .invalidParameter("claims") }
        } else if isConfirmation || skips {
            switch request.delivery {
            case nil: request.delivery = .object
            case .object, .reference: break
            default: throw .invalidParameter("claims")
            }
        }
        if generation == .first {
            claims.rename(from: addresses, to: tags)
            request.claims = claims
        }
    }

    private static func checkTemplate(_ claims: ClaimsRequest) throws(RelyingPartyError.Reason) {
        func value(_ name: String) -> String? { claims.requirement(inUserInfo: addresses + name)?.text }
        switch value("template_name") {
        case "adv_payment":
            guard let amount = value("amount_key"), isAmount(amount), let currency = value("currency_key"),
                currency.utf8.count == 3, currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }),
                let iban = value("iban_key"), isIBAN(iban)
            else { throw .invalidParameter("claims") }
        case "free_text":
            guard let text = value("text_key"), !text.isEmpty, text.unicodeScalars.count <= 7_500,
                text.unicodeScalars.allSatisfy(isLatin9), hasPlainTags(text)
            else { throw .invalidParameter("claims") }
        default: throw .invalidParameter("claims")
        }
    }

    private static func isAmount(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (1...2).contains(parts.count) && text.utf8.count <= 20
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
    }

    private static func isIBAN(_ text: String) -> Bool {
        (15...34).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    private static func isLatin9(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A, 0x0D, 0x20...0x7E: true
        case 0xA4, 0xA6, 0xA8, 0xB4, 0xB8, 0xBC, 0xBD, 0xBE: false
        case 0xA0...0xFF, 0x20AC, 0x160, 0x161, 0x17D, 0x17E, 0x152, 0x153, 0x178: true
        default: false
        }
    }

    private static func hasPlainTags(_ text: String) -> Bool {
        let pieces = text.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
        return pieces.dropFirst().allSatisfy { piece in
            ["b>", "/b>", "i>", "/i>", "u>", "/u>", "br>", "br/>"].contains { piece.starts(with: $0.utf8) }
        }
    }
}

extension ItsmeConfirmation: Redacted {}
