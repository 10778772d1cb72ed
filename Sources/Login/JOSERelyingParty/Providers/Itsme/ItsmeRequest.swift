internal import JOSEKeySets

extension LoginRequest {
    /// A login with itsme. `service`: the service code, without `service:`.
    public static func itsme(
        service: String, level: ItsmeLevel? = nil, scopes: [ItsmeScope] = []
    ) -> LoginRequest {
        var request = LoginRequest()
        request.scopes += ["service:" + service] + scopes.map(\.rawValue)
        request.itsmeLevel = level
        return request
    }

    /// At least this sure; nil: basic.
    public var itsmeLevel: ItsmeLevel? {
        get { acrValues.compactMap { ItsmeLevel(acr: $0) }.max() }
        // In the spelling of the profile once the login begins.
        set { acrValues = newValue.map { [$0.acr(ItsmeLevel.addresses)] } ?? [] }
    }
}

/// Further scopes of itsme.
@nonexhaustive public enum ItsmeScope: String, Sendable {
    /// Given claims in one word each; not every one in every generation.
    case profile, email, phone, address, idDocument, eid
}

/// What itsme lets an authorization request say.
enum ItsmeRequestRules {
    static func rules(_ generation: Itsme.Generation) -> RequestRules {
        var rules = RequestRules()
        rules.parameters = [
            "login_hint": ParameterRule(accepts: isPhoneNumber, isDropped: true),
            "display": .oneOf(["page"]),
            "ui_locales": .listOf(["fr", "nl", "en", "de"]).dropping,
            "acr_values": ParameterRule { isLevels($0, generation) },
            "claims": .any,
        ]
        if generation != .today { rules.parameters["prompt"] = .oneOf(["consent"]) }
        // The later ones have it ignored: it is left out, and said so.
        rules.parameters["max_age"] =
            generation == .first ? .seconds : ParameterRule(accepts: { _ in false }, isDropped: true)
        rules.usesPKCE = generation == .today
        rules.check = { (request, client) throws(RelyingPartyError.Reason) in
            try check(&request, client, generation)
        }
        return rules
    }

    /// `<country>+<number>`.
    private static let isPhoneNumber: @Sendable (String) -> Bool = { text in
        let parts = text.utf8.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
        return parts.count == 2 && (1...3).contains(parts[0].count) && (4...14).contains(parts[1].count)
            && parts.allSatisfy { $0.allSatisfy { (0x30...0x39).contains($0) } }
    }

    private static func isLevels(_ text: String, _ generation: Itsme.Generation) -> Bool {
        let prefix = prefix(generation)
        return text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).allSatisfy { level in
            [ItsmeLevel.basic, .advanced].contains { level.elementsEqual($0.acr(prefix).utf8) }
        }
    }

    private static func prefix(_ generation: Itsme.Generation) -> String {
        generation == .first ? ItsmeLevel.tags : ItsmeLevel.addresses
    }

    private static func check(
        _ request: inout LoginRequest, _ client: RelyingPartyClient, _ generation: Itsme.Generation
    ) throws(RelyingPartyError.Reason) {
        // One service and no space behind its colon.
        let services = request.scopes.filter { $0.utf8.starts(with: "service:".utf8) }
        guard services.count == 1, services[0].utf8.count > 8 else { throw .invalidParameter("scope") }
        // The level as this generation spells it, where it was said by ours.
        if let level = request.itsmeLevel,
            request.acrValues.allSatisfy({ sameBytes($0, level.acr(ItsmeLevel.addresses)) })
        {
            request.acrValues = [level.acr(prefix(generation))]
        }
        if let claims = request.claims {
            guard claims.names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } }) else {
                throw .invalidParameter("claims")
            }
        }
        try ItsmeConfirmation.check(&request, generation)
    }

    /// Explicit port 443, https, not this machine.
    static let isRequestURI: @Sendable (String) -> Bool = { text in
        guard let url = WebURL(text), url.scheme == .https, url.port == 443, !url.isLoopback, !url.hasFragment,
            !url.hasUserInformation
        else { return false }
        return true
    }
}
