internal import JOSE
internal import JOSEKeySets
internal import JOSESupport

/// A request that complies with all rules of its profile. Nothing has been sent, fetched or stored for it.
package struct PreparedRequest: Sendable, Redacted {
    package let request: LoginRequest
    let redirectURI: String
    let delivery: RequestDelivery
    let responseMode: ResponseMode
    private let usesPKCE: Bool
    private let expected: ExpectedClaims
    /// The parameters that were left out because the provider would ignore them.
    package let dropped: [ParameterName]
    /// The `sub` that the ID token must have; nil for any.
    var expectedSubject: String? { expected.subject }

    /// Prepares a request.
    ///
    /// - Parameters:
    ///   - given: The request of the service.
    ///   - profile: The profile of the provider.
    ///   - client: The client.
    ///   - rules: The rules of the request; nil for those of the profile's authorization requests.
    package init(
        _ given: LoginRequest, _ profile: ProviderProfile, _ client: RelyingPartyClient, rules: RequestRules? = nil
    ) throws(RelyingPartyError.Reason) {
        let rules = rules ?? profile.request
        var request = given
        let redirectURI = try Self.redirectURI(request, rules, client)
        try Self.checkScopes(request)
        try request.claims?.check()
        if let path = request.returnTo, !LocalPath.isLocal(path) { throw .invalidParameter("return_to") }
        try rules.check(&request, client)
        dropped = try Self.check(&request, rules.parameters)
        expected = try ExpectedClaims(request)
        delivery = try Self.delivery(request, rules)
        // A token must not be in a URL (threat R36).
        if delivery.isInAddress, request.value("id_token_hint") != nil { throw .invalidParameter("id_token_hint") }
        responseMode = rules.responseMode
        usesPKCE = rules.usesPKCE
        self.request = request
        self.redirectURI = redirectURI
    }

    private static func redirectURI(
        _ request: LoginRequest, _ rules: RequestRules, _ client: RelyingPartyClient
    ) throws(RelyingPartyError.Reason) -> String {
        guard rules.needsRedirectURI else { return "" }
        guard let wanted = request.redirectURI ?? client.redirectURIs.first else { throw .configurationError }
        guard client.redirectURIs.contains(where: { bytesEqual($0, wanted) }) else {
            throw .invalidParameter("redirect_uri")
        }
        return wanted
    }

    /// Checks the scopes (RFC 6749, 3.3).
    private static func checkScopes(_ request: LoginRequest) throws(RelyingPartyError.Reason) {
        for scope in request.scopes {
            let isToken =
                !scope.isEmpty
                && scope.utf8.allSatisfy { byte in
                    (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                }
            guard isToken else { throw .invalidParameter("scope") }
        }
        guard request.scopes.contains("openid"), Set(request.scopes).count == request.scopes.count else {
            throw .invalidParameter("scope")
        }
    }

    private static func check(
        _ request: inout LoginRequest, _ rules: [ParameterName: ParameterRule]
    ) throws(RelyingPartyError.Reason) -> [ParameterName] {
        var dropped: [ParameterName] = []
        // Given as text, the parameter would bypass the rules for single claims.
        if case .text = request.value("claims") { throw .invalidParameter("claims") }
        for (name, value) in request.parameters {
            guard let rule = rules[ParameterName(name)] else { throw .invalidParameter(ParameterName(name)) }
            if rule.accepts(value.text) { continue }
            guard rule.isDropped else { throw .invalidParameter(ParameterName(name)) }
            dropped.append(ParameterName(name))
        }
        for name in dropped { request.set(name.description, nil) }
        return dropped
    }

    private static func delivery(
        _ request: LoginRequest, _ rules: RequestRules
    ) throws(RelyingPartyError.Reason) -> RequestDelivery {
        guard let delivery = request.delivery ?? rules.deliveries.first,
            rules.deliveries.contains(where: { $0.isSameKind(as: delivery) })
        else { throw .configurationError }
        switch delivery {
        case .query, .pushedParameters: break
        case .object, .pushed:
            guard rules.object != nil else { throw .configurationError }
        case .reference(let uri):
            guard let object = rules.object else { throw .configurationError }
            guard object.acceptsURI(uri) else { throw .invalidParameter("request_uri") }
        }
        return delivery
    }

    /// Creates the transaction of a login, with fresh random values.
    ///
    /// - Parameter now: The current time, in seconds since 1970.
    package func transaction(
        _ profile: ProviderProfile, _ client: RelyingPartyClient, issuer: String, binding: String, now: Double
    ) throws(RelyingPartyError.Reason) -> LoginTransaction {
        var transaction = LoginTransaction(
            profile: profile.name, clientID: client.id, issuer: issuer, state: try Secret.fresh(),
            nonce: try Secret.fresh(), redirectURI: redirectURI, responseMode: responseMode,
            bindingHash: try Secret.hash(binding), created: now)
        transaction.provider = request.provider
        if usesPKCE { transaction.verifier = try Secret.fresh() }
        transaction.scopes = request.scopes
        transaction.acrValues = request.acrValues
        transaction.maximumAge = request.maximumAge?.inSeconds
        transaction.essentialACRs = expected.levels
        transaction.expectedSubject = expected.subject
        transaction.returnTo = request.returnTo
        transaction.notes = request.notes
        for (name, value) in request.comparedNotes {
            transaction.notes[name] = try Secret.mac(of: value, under: binding)
        }
        return transaction
    }

    /// Returns the parameters in the order in which they are sent.
    func parameters(
        _ transaction: LoginTransaction, _ client: RelyingPartyClient
    ) throws(RelyingPartyError.Reason) -> [(name: String, value: ParameterValue)] {
        var parameters: [(name: String, value: ParameterValue)] = [
            ("client_id", .text(client.id)), ("response_type", .text("code")),
            ("scope", .text(request.scopes.joined(separator: " "))), ("redirect_uri", .text(redirectURI)),
            ("state", .text(transaction.state)), ("nonce", .text(transaction.nonce)),
        ]
        if let verifier = transaction.verifier {
            parameters.append(("code_challenge", .text(try Secret.hash(verifier))))
            parameters.append(("code_challenge_method", .text("S256")))
        }
        if responseMode != .query { parameters.append(("response_mode", .text(responseMode.rawValue))) }
        return parameters + request.parameters
    }
}
