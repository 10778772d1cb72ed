internal import JOSEKeySets

/// How an authorization request travels.
public enum MitIDRequestForm: Sendable {
    /// Parameters in the URL: everyone on the way may change them.
    case plain
    /// In a request object that is signed: everyone on the way may read them.
    case signed
    /// In a request object that is encrypted as well.
    case encrypted
    /// From the back end to the broker: pushed (RFC 9126), or CIBA.
    case backChannel

    var isConfidential: Bool {
        switch self {
        case .plain, .signed: false
        case .encrypted, .backChannel: true
        }
    }
}

/// Where MitID's app may send the user to.
public struct MitIDAppLinks: Equatable, Sendable {
    /// Byte for byte; the broker keeps a list of its own for requests that are not signed.
    public var urls: [String]
    /// Hosts that serve our association files, from their root.
    public var associatedHosts: [String]

    /// Addresses byte for byte as they were registered; hosts without a scheme.
    public init(urls: [String], associatedHosts: [String]) {
        (self.urls, self.associatedHosts) = (urls, associatedHosts)
    }

    /// None.
    public static let none = Self(urls: [], associatedHosts: [])

    func allows(_ text: String) -> Bool {
        guard urls.contains(where: { $0.utf8.elementsEqual(text.utf8) }), let url = WebURL(text), url.scheme == .https,
            !url.hasUserInformation, !url.hasFragment
        else { return false }
        return associatedHosts.contains { $0.utf8.elementsEqual(url.host.utf8) }
    }
}

extension MitIDParameters {
    static let referenceTextLimit = 130

    /// What is refused here before anything is sent: the broker would show the user a page of its own, and tell nobody.
    func check(_ form: MitIDRequestForm, prompts: [String], links: MitIDAppLinks) throws(RelyingPartyError.Reason) {
        if let appSwitch, !links.allows(appSwitch.url) { throw .invalidParameter("app_switch_url") }
        if let referenceText {
            guard referenceText.unicodeScalars.count <= Self.referenceTextLimit else {
                throw .invalidParameter("reference_text")
            }
        }
        if stepsUp, !prompts.contains("login") { throw .invalidParameter("enable_step_up") }
        if let uuidHint {
            guard !uuidHint.isEmpty, uuidHint.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw .invalidParameter("uuid_hint")
            }
        }
        if cprHint != nil, !form.isConfidential { throw .invalidParameter("cpr_hint") }
        if let transactionText {
            guard !transactionText.content.isEmpty else { throw .invalidParameter("transaction_text") }
            guard !transactionText.type.isEmpty,
                transactionText.type.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { throw .invalidParameter("transaction_text_type") }
        }
    }
}
