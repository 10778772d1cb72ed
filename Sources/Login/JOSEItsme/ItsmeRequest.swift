internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport

extension LoginRequest {
    /// Returns a request for a login with itsme.
    ///
    /// - Parameters:
    ///   - service: The service code that itsme assigned, without the prefix `service:`.
    ///   - level: The lowest accepted level of assurance; nil for ``ItsmeLevel/basic``.
    ///   - scopes: The scopes in addition to `openid` and the service.
    public static func itsme(
        service: String, level: ItsmeLevel? = nil, scopes: [ItsmeScope] = []
    ) -> LoginRequest {
        var request = LoginRequest()
        request.scopes += ["service:" + service] + scopes.map(\.rawValue)
        request.itsmeLevel = level
        return request
    }

    /// The lowest accepted level of assurance (`acr_values`); nil for ``ItsmeLevel/basic``.
    public var itsmeLevel: ItsmeLevel? {
        get { acrValues.compactMap { ItsmeLevel(acr: $0) }.max() }
        // The login replaces this spelling by that of its profile.
        set { acrValues = newValue.map { [$0.acr(ItsmeLevel.addresses)] } ?? [] }
    }
}

/// A scope of itsme in addition to `openid` and the service.
@nonexhaustive public enum ItsmeScope: String, Sendable {
    /// A scope that requests a group of claims. Not every generation of itsme supports every scope.
    case profile, email, phone, address, idDocument, eid
}

/// The rules for itsme's authorization requests.
enum ItsmeRequestRules {
    static func rules(_ generation: Itsme.Generation, isBackChannel: Bool = false) -> RequestRules {
        var rules = RequestRules()
        rules.parameters = [
            "login_hint": ParameterRule(accepts: isPhoneNumber).dropping,
            "display": .oneOf(["page"]),
            "ui_locales": .listOf(["fr", "nl", "en", "de"]).dropping,
            "acr_values": ParameterRule { isLevels($0, generation) },
            "claims": .any,
        ]
        if generation != .today { rules.parameters["prompt"] = .oneOf(["consent"]) }
        // The later generations ignore `max_age`: it is left out of the request and reported.
        rules.parameters["max_age"] =
            generation == .first ? .seconds : ParameterRule { _ in false }.dropping
        rules.usesPKCE = generation == .today
        rules.check = { (request, client) throws(RelyingPartyError.Reason) in
            try check(&request, client, generation, isBackChannel)
        }
        return rules
    }

    /// Returns whether a text has the form `<country>+<number>`.
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
        _ request: inout LoginRequest, _ client: RelyingPartyClient, _ generation: Itsme.Generation,
        _ isBackChannel: Bool
    ) throws(RelyingPartyError.Reason) {
        // There must be one service, with a service code.
        let services = request.scopes.filter { $0.utf8.starts(with: "service:".utf8) }
        guard services.count == 1, services[0].utf8.count > 8 else { throw .invalidParameter("scope") }
        // A level that was set by `itsmeLevel` is replaced by the spelling of this generation.
        if let level = request.itsmeLevel,
            request.acrValues.allSatisfy({ bytesEqual($0, level.acr(ItsmeLevel.addresses)) })
        {
            request.acrValues = [level.acr(prefix(generation))]
        }
        if let claims = request.claims {
            guard claims.names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } }) else {
                throw .invalidParameter("claims")
            }
        }
        try ItsmeConfirmation.check(&request, generation, isBackChannel)
    }

    /// Returns whether a text is an https URL with the explicit port 443, on another host than this machine.
    static let isRequestURI: @Sendable (String) -> Bool = { text in
        guard let url = WebURL(text), url.scheme == .https, url.port == 443, !url.isLoopback, !url.hasFragment,
            !url.hasUserInformation
        else { return false }
        return true
    }
}
