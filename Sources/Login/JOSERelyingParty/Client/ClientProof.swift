internal import JOSE
internal import JOSECrypto
internal import JOSEKeySets
internal import JOSESupport
internal import JOSETokens

/// The headers and parameters by which a request to one of the provider's endpoints authenticates the client.
struct ClientProof {
    private(set) var headers: [TransportHeaderField] = []
    private(set) var parameters: [(name: String, value: String)] = []

    init(
        _ client: RelyingPartyClient, _ rules: ClientRules, _ method: ClientAuthentication, to provider: Provider,
        clock: WallClock, until end: ContinuousClock.Instant?
    ) async throws(RelyingPartyError.Reason) {
        if rules.sendsClientID { parameters.append(("client_id", client.id)) }
        switch method {
        case .privateKeyJWT, .privateKeyJWTEncrypted, .clientSecretJWT:
            let assertion = try await ClientAssertion(client: client, rules: rules, clock: clock)
                .issue(to: provider, method, until: end)
            parameters.append(("client_assertion_type", ClientAssertion.type))
            parameters.append(("client_assertion", assertion))
        case .clientSecretBasic(let isFormEncoded):
            headers.append(TransportHeaderField("Authorization", try Self.basic(client, isFormEncoded)))
        case .clientSecretPost:
            if !rules.sendsClientID { parameters.append(("client_id", client.id)) }
            parameters.append(("client_secret", try Self.secret(client)))
        case .tlsClientAuth:
            if !rules.sendsClientID { parameters.append(("client_id", client.id)) }
        }
    }

    private static func secret(_ client: RelyingPartyClient) throws(RelyingPartyError.Reason) -> String {
        guard let secret = client.credentials.secret else { throw .configurationError }
        return secret.material.withBytes { bytes in
            String(decoding: SecretBytes(copying: bytes).copy(), as: UTF8.self)
        }
    }

    /// Returns the value of an `Authorization` header (RFC 7617, 2; RFC 6749, 2.3.1).
    private static func basic(
        _ client: RelyingPartyClient, _ isFormEncoded: Bool
    ) throws(RelyingPartyError.Reason) -> String {
        let secret = try secret(client)
        // The first colon ends the identifier.
        guard isFormEncoded || !client.id.utf8.contains(UInt8(ascii: ":")) else { throw .configurationError }
        let pair =
            isFormEncoded ? "\(FormText.encoded(client.id)):\(FormText.encoded(secret))" : "\(client.id):\(secret)"
        return "Basic " + Base64.encode(Array(pair.utf8).span)
    }
}
