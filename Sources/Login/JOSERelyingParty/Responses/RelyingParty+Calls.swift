internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

extension RelyingParty {
    /// An answer of the provider is never more than this (threat R22).
    static let answerLimit = 256 * 1024

    /// A form for one of the provider's endpoints, with what proves that the client sent it. No redirect is followed.
    func post(
        _ parameters: [(name: String, value: String)], to endpoint: String, of provider: Provider, step: LoginStep
    ) async throws(RelyingPartyError) -> TransportResponse {
        let proof: ClientProof
        do throws(RelyingPartyError.Reason) {
            proof = try ClientProof(client, profile.client, authentication, to: provider, clock: clock)
        } catch {
            throw RelyingPartyError(error, in: step)
        }
        var request = TransportRequest(url: endpoint)
        request.method = .post
        request.headers =
            [
                TransportHeaderField("Content-Type", "application/x-www-form-urlencoded"), TransportHeaderField("Accept", "application/json"),
            ] + proof.headers
        request.body = Array(FormText.write(parameters + proof.parameters).utf8)
        return try await send(request, step)
    }

    func send(_ request: TransportRequest, _ step: LoginStep) async throws(RelyingPartyError) -> TransportResponse {
        var request = request
        request.bodyLimit = Self.answerLimit
        request.redirectLimit = 0
        let response: TransportResponse
        do throws(TransportError) {
            response = try await transport.send(request)
        } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: step)
        }
        guard response.body.count <= Self.answerLimit else { throw RelyingPartyError(.tooLarge, in: step) }
        return response
    }

    /// What an answer of another status than the wanted says: an error object (RFC 6749, 5.2), or nothing.
    func refusal(_ response: TransportResponse, _ place: ErrorRules.Place, _ step: LoginStep) -> RelyingPartyError {
        guard (400..<500).contains(response.status), response.isJSON, let answer = try? JSONAnswer(response.body),
            let code = answer.string("error").flatMap({ ProviderErrorCode($0) })
        else { return RelyingPartyError(.unexpectedStatus(response.status), in: step) }
        return profile.errors.error(code, answer.string("error_description") ?? answer.string("detail"), place, step)
    }

    /// RFC 9126, 2: the request goes to the provider, the browser carries a name for it.
    func push(
        _ parameters: [(name: String, value: String)], to provider: Provider
    ) async throws(RelyingPartyError) -> SentRequest {
        guard let endpoint = provider.metadata.pushedAuthorizationRequestEndpoint else {
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        // 2.1: client_id is there however the client shows itself.
        var form = parameters
        if !profile.client.sendsClientID, !authentication.namesClient {
            form.insert(("client_id", client.id), at: 0)
        }
        let response = try await post(form, to: endpoint, of: provider, step: .pushedRequest)
        guard response.status == 201 else { throw refusal(response, .pushedRequest, .pushedRequest) }
        do throws(RelyingPartyError.Reason) {
            guard response.isJSON else { throw .contentTypeMismatch }
            let answer = try JSONAnswer(response.body)
            let uri = try answer.required("request_uri")
            guard uri.utf8.count <= 512, !uri.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else {
                throw .invalidParameter("request_uri")
            }
            guard let lifetime = try answer.seconds("expires_in"), lifetime > 0 else {
                throw .missingParameter("expires_in")
            }
            let sent = SentRequest(
                query: [("client_id", client.id), ("request_uri", uri)], lifetime: min(lifetime, profile.lifetime))
            try await useOnce(uri, lifetime)
            return sent
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }

    /// Threat R16: a name that was given before stands for another's request, or for one that is used up.
    private func useOnce(_ uri: String, _ lifetime: Double) async throws(RelyingPartyError.Reason) {
        do throws(StoreError) {
            let key = try StoreKey(kind: "request_uri", value: uri)
            if try await store.insert([], for: key, lifetime: min(lifetime, profile.lifetime)) { return }
        } catch {
            throw RelyingPartyError.Reason(error)
        }
        throw .expired
    }

    /// The code for tokens: once, whatever comes of it.
    func redeem(
        _ code: String, _ transaction: LoginTransaction, at provider: Provider
    ) async throws(RelyingPartyError) -> TokenResponse {
        var form = [(name: "grant_type", value: "authorization_code"), (name: "code", value: code)]
        if profile.client.repeatsRedirectURI { form.append(("redirect_uri", transaction.redirectURI)) }
        if let verifier = transaction.verifier { form.append(("code_verifier", verifier)) }
        return try await tokens(form, at: provider, requiresIDToken: true)
    }

    func tokens(
        _ form: [(name: String, value: String)], at provider: Provider, requiresIDToken: Bool
    ) async throws(RelyingPartyError) -> TokenResponse {
        guard let endpoint = provider.metadata.tokenEndpoint else {
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        let response = try await post(form, to: endpoint, of: provider, step: .tokenResponse)
        guard response.status == 200 else { throw refusal(response, .token, .tokenResponse) }
        do throws(RelyingPartyError.Reason) {
            return try TokenResponse(response, requiresIDToken: requiresIDToken)
        } catch {
            throw RelyingPartyError(error, in: .tokenResponse)
        }
    }
}
