internal import JOSEKeySets
internal import JOSETokens

// A login that any of several carriers may answer. Whose answer it is shows at the callback alone, where a carrier that is dishonest
// could have a browser bring another one's code as its own, and be given it (threat R01). So the login remembers from the start which
// networks may answer, and whose each of them was by discovery; and an answer counts only where the carrier's own name in it (RFC 9207)
// is that one's. `mccmnc` alone is no such name: nothing says that who gave the code has written it.

extension ZenKey {
    /// With a network behind it: whose that was when the login began.
    private static let issuerNote = "zenkey.issuer."
    static let correlationNote = "zenkey.correlation"
    /// Of one login: each is asked for before it begins.
    static let mostNetworks = 64

    static func allow(_ carrier: Carrier, for network: MobileNetwork, in transaction: inout LoginTransaction) {
        transaction.notes[issuerNote + network.digits] = carrier.issuer
    }

    /// Whose the answer is; of a login that began with one carrier, still that one's. Nothing is sent to anybody before this.
    static func settled(
        _ transaction: LoginTransaction, _ parameters: CallbackParameters
    ) throws(RelyingPartyFailure) -> LoginTransaction {
        let allowed = transaction.notes.filter { $0.key.utf8.starts(with: issuerNote.utf8) }
        guard !allowed.isEmpty else { return transaction }
        guard let digits = parameters["mccmnc"] else { throw ofNobody(parameters, allowed.values) }
        guard let network = MobileNetwork(digits) else { throw .invalidParameter("mccmnc") }
        guard let issuer = allowed[issuerNote + network.digits] else { throw .untrustedIssuer }
        guard let named = parameters["iss"], sameBytes(named, issuer) else { throw .issuerMismatch }
        var settled = transaction
        (settled.issuer, settled.provider) = (issuer, network.digits)
        settled.notes[correlationNote] = parameters["correlation_id"].flatMap { isCorrelationID($0) ? $0 : nil }
        return settled
    }

    /// ZenKey's own service says that the user came to no carrier; a carrier's error has its name (threat R17).
    private static func ofNobody(
        _ parameters: CallbackParameters, _ allowed: some Sequence<String>
    ) -> RelyingPartyFailure {
        if let named = parameters["iss"], !allowed.contains(where: { sameBytes($0, named) }) { return .issuerMismatch }
        guard let error = parameters["error"] else { return .missingParameter("mccmnc") }
        return ProviderErrorCode(error).map { RelyingPartyFailure.providerError($0) } ?? .invalidParameter("error")
    }
}

extension RelyingParty {
    /// The request, for whichever of the carriers is the user's.
    func open(
        to networks: [MobileNetwork], _ prepared: PreparedRequest, _ carriers: CarrierDirectory
    ) async throws(RelyingPartyError) -> LoginStart {
        let environment = carriers.discovery.environment
        guard sameBytes(profile.name, ZenKey.Guide.late.profile), let address = environment.authorizationURL,
            environment.trust.trusts(address)
        else { throw RelyingPartyError(.configurationError, in: .configuration) }
        guard (1...ZenKey.mostNetworks).contains(networks.count) else {
            throw RelyingPartyError(.invalidParameter("mccmnc"), in: .request)
        }
        let begun = try ofNoCarrier(prepared)
        var transaction = begun.transaction
        transaction.provider = nil
        for network in networks {
            let carrier = try await carriers.carrier(network)
            guard carrier.metadata.authorizationResponsesNameIssuer else {
                throw RelyingPartyError(.discoveryMismatch, in: .discovery)
            }
            ZenKey.allow(carrier, for: network, in: &transaction)
        }
        let parameters: [(name: String, value: ParameterValue)]
        do throws(RelyingPartyFailure) { parameters = try prepared.parameters(transaction, client) } catch {
            throw RelyingPartyError(error, in: .request)
        }
        try await remember(transaction)
        return LoginStart(
            url: CarrierAddress.adding(parameters.map { ($0.name, $0.value.text) }, to: address),
            binding: begun.binding, cookie: begun.cookie, requestDocument: nil, dropped: prepared.dropped,
            expires: transaction.created + profile.lifetime, urlExpires: nil)
    }
}
