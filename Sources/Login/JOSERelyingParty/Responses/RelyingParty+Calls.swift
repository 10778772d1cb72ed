internal import JOSEKeySets
internal import JOSESupport
internal import JOSETokens

extension RelyingParty {
    /// The largest number of bytes of a provider's response (threat R22).
    static let answerLimit = 256 * 1024

    /// Sends a form to one of the provider's endpoints, with the client's authentication. Redirects are not followed.
    ///
    /// - Parameters:
    ///   - parameters: The form without the authentication of the client.
    ///   - endpoint: The URL of the endpoint.
    ///   - provider: The provider.
    ///   - step: The step of an error.
    ///   - deadline: The deadline of the call; nil for a call that has none.
    ///   - rules: The rules for the authentication of the client; nil for those of the profile.
    package func post(
        _ parameters: [(name: String, value: String)], to endpoint: String, of provider: Provider, step: LoginStep,
        until deadline: CallDeadline?, rules: ClientRules? = nil
    ) async throws(RelyingPartyError) -> TransportResponse {
        let request = try await formRequest(
            parameters, to: endpoint, of: provider, step: step, until: deadline, rules: rules)
        return try await send(request, step, until: deadline)
    }

    /// Returns the request that sends a form to one of the provider's endpoints, with the client's authentication. The
    /// parameters are those of `post`.
    func formRequest(
        _ parameters: [(name: String, value: String)], to endpoint: String, of provider: Provider, step: LoginStep,
        until deadline: CallDeadline?, rules: ClientRules? = nil
    ) async throws(RelyingPartyError) -> TransportRequest {
        let proof: ClientProof
        do throws(RelyingPartyError.Reason) {
            proof = try await ClientProof(
                client, rules ?? profile.client, authentication, to: provider, clock: clock, until: deadline?.instant)
        } catch {
            throw RelyingPartyError(error, in: step)
        }
        var request = TransportRequest(url: endpoint)
        request.method = .post
        request.headers =
            [
                TransportHeaderField("Content-Type", "application/x-www-form-urlencoded"),
                TransportHeaderField("Accept", "application/json"),
            ] + proof.headers
        request.body = Array(FormText.write(parameters + proof.parameters).utf8)
        return request
    }

    /// Sends a request, with the error of a login if it fails.
    package func send(
        _ request: TransportRequest, _ step: LoginStep, until deadline: CallDeadline?
    ) async throws(RelyingPartyError) -> TransportResponse {
        do throws(TransportError) { return try await exchange(request, until: deadline) } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: step)
        }
    }

    /// Sends a request with the limits for a provider's response, which must arrive by the deadline of the call.
    func exchange(
        _ request: TransportRequest, until deadline: CallDeadline?
    ) async throws(TransportError) -> TransportResponse {
        var request = request
        if let deadline {
            guard let left = deadline.left(atMost: request.deadline) else { throw .deadlineExceeded }
            request.deadline = left
        }
        request.bodyLimit = Self.answerLimit
        request.redirectLimit = 0
        let response = try await transport.send(request)
        guard response.body.count <= Self.answerLimit else { throw .bodyTooLarge }
        return response
    }

    /// Returns the error of a response with another status than the expected one: that of its error object (RFC 6749,
    /// 5.2), or `unexpectedStatus`.
    package func refusal(_ response: TransportResponse, _ endpoint: ErrorRules.Endpoint, _ step: LoginStep)
        -> RelyingPartyError
    {
        guard let (code, detail) = providerError(response) else {
            return RelyingPartyError(.unexpectedStatus(response.status), in: step)
        }
        return profile.errors.error(code, detail, endpoint, step)
    }

    /// Returns the error code of an error object, with the provider's text; nil if the response has none.
    package func providerError(_ response: TransportResponse) -> (code: ProviderErrorCode, detail: String?)? {
        guard (400..<500).contains(response.status), let answer = try? JSONAnswer(response),
            let code = answer.string("error").flatMap({ ProviderErrorCode($0) })
        else { return nil }
        return (code, answer.string("error_description") ?? answer.string("detail"))
    }

    /// Pushes a request to the provider, and returns the query that refers to it (RFC 9126, 2).
    func push(
        _ parameters: [(name: String, value: String)], to provider: Provider, until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> SentRequest {
        let endpoint = try provider.endpoint(.pushedAuthorizationRequestEndpoint)
        // client_id is required, whichever method authenticates the client (RFC 9126, 2.1).
        var form = parameters
        if !profile.client.sendsClientID, !authentication.namesClient {
            form.insert(("client_id", client.id), at: 0)
        }
        let response = try await post(form, to: endpoint, of: provider, step: .pushedRequest, until: deadline)
        guard response.status == 201 else { throw refusal(response, .pushedRequest, .pushedRequest) }
        do throws(RelyingPartyError.Reason) {
            let answer = try JSONAnswer(response)
            let uri = try answer.required("request_uri")
            guard uri.utf8.count <= 512, !uri.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else {
                throw .invalidParameter("request_uri")
            }
            let lifetime = min(try answer.lifetime("expires_in") ?? profile.lifetime, profile.lifetime)
            let sent = SentRequest(query: [("client_id", client.id), ("request_uri", uri)], lifetime: lifetime)
            try await useOnce(uri, kind: "request_uri", of: provider.issuer, lifetime: lifetime)
            return sent
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }

    /// Checks that a provider did not return the reference to a request, such as a `request_uri`, before: it would
    /// refer to another request, or to one that is used up (threat R16).
    package func useOnce(
        _ reference: String, kind: String, of issuer: String, lifetime: Duration
    ) async throws(RelyingPartyError.Reason) {
        do throws(StoreError) {
            let key = try StoreKey(kind: kind, issuer: issuer, value: reference)
            if try await store.insert([], for: key, lifetime: lifetime) { return }
        } catch {
            throw RelyingPartyError.Reason(error)
        }
        throw .replayed
    }

    /// Exchanges the code for tokens. The code is used up, whatever the result.
    package func redeem(
        _ code: String, _ transaction: LoginTransaction, at provider: Provider, until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> TokenResponse {
        var form = [(name: "grant_type", value: "authorization_code"), (name: "code", value: code)]
        if profile.client.repeatsRedirectURI { form.append(("redirect_uri", transaction.redirectURI)) }
        if let verifier = transaction.verifier { form.append(("code_verifier", verifier)) }
        return try await tokens(form, at: provider, until: deadline, requiresIDToken: true)
    }

    func tokens(
        _ form: [(name: String, value: String)], at provider: Provider, until deadline: CallDeadline?,
        requiresIDToken: Bool
    ) async throws(RelyingPartyError) -> TokenResponse {
        let endpoint = try provider.endpoint(.tokenEndpoint)
        let response = try await post(form, to: endpoint, of: provider, step: .tokenResponse, until: deadline)
        guard response.status == 200 else { throw refusal(response, .token, .tokenResponse) }
        do throws(RelyingPartyError.Reason) {
            return try TokenResponse(response, requiresIDToken: requiresIDToken)
        } catch {
            throw RelyingPartyError(error, in: .tokenResponse)
        }
    }
}
