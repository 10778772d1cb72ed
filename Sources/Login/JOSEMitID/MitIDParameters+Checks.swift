internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport

/// The way in which an authorization request reaches the broker, and how its parameters are protected.
package enum MitIDRequestForm: Sendable {
    /// The parameters are in the URL, so that the user and the browser can read and change them.
    case plain
    /// The parameters are in a request object that is signed, but not encrypted. The user and the browser can read
    /// them, but a change makes the signature invalid.
    case signed
    /// The parameters are in a request object that is signed and encrypted, so that only the broker can read them.
    case encrypted
    /// The back end sends the parameters to the broker, in a pushed authorization request (RFC 9126) or by CIBA.
    case backChannel

    var isConfidential: Bool {
        switch self {
        case .plain, .signed: false
        case .encrypted, .backChannel: true
        }
    }
}

/// The universal links and app links that MitID's app may open to return the user to the service's app.
public struct MitIDAppLinks: Equatable, Sendable {
    /// The allowed links, which are compared byte by byte. For requests that are not signed, the broker has a list of
    /// its own.
    package var urls: [String]
    /// The hosts that serve the association files of the service's app. The host of each link must be one of them.
    package var associatedHosts: [String]

    /// Creates a list of the links that MitID's app may open to return the user to the service's app.
    ///
    /// - Parameters:
    ///   - urls: The allowed links. The link of a request must equal one of them byte for byte.
    ///   - associatedHosts: The hosts, without a scheme, that serve the `apple-app-site-association` or
    ///     `assetlinks.json` file of the service's app. The host of each link must be one of them.
    public init(urls: [String], associatedHosts: [String]) {
        (self.urls, self.associatedHosts) = (urls, associatedHosts)
    }

    /// An empty list. A request with an app switch is then rejected.
    public static let none = Self(urls: [], associatedHosts: [])

    /// Returns whether a request of this form may have the link. The return value of `AppLogin` may follow one; the
    /// broker compares the links of requests that are not signed with its list, which cannot have the values.
    func allows(_ text: String, _ form: MitIDRequestForm) -> Bool {
        let (text, hasValue) = AppLogin.withoutReturnValue(text)
        if hasValue, case .plain = form { return false }
        guard urls.contains(where: { bytesEqual($0, text) }), let url = WebURL(text), url.scheme == .https,
            !url.hasUserInformation, !url.hasFragment
        else { return false }
        return associatedHosts.contains { bytesEqual($0, url.host) }
    }
}

extension MitIDParameters {
    static let referenceTextLimit = 130

    /// Checks that each member belongs to a provider that may answer, and that the providers can reach the level.
    func check(for providers: [MitIDProvider]) throws(RelyingPartyError.Reason) {
        let rules = providers.map(\.rules)
        let members = rules.flatMap(\.members)
        guard !members.isEmpty, !hasMitIDMembers || members.contains(.mitID),
            !allowsPrivate || members.contains(.mitIDErhverv)
        else { throw .invalidParameter("idp_params") }
        guard let level else { return }
        guard rules.allSatisfy({ $0.highestLevel.map { level <= $0 } ?? true }) else {
            throw .invalidParameter("idp_params")
        }
    }

    /// Checks the parameters before anything is sent. The broker would show the user an error page of its own, and not
    /// inform the service.
    func check(_ form: MitIDRequestForm, prompts: [String], links: MitIDAppLinks) throws(RelyingPartyError.Reason) {
        if let appSwitch, !links.allows(appSwitch.url, form) { throw .invalidParameter("app_switch_url") }
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
