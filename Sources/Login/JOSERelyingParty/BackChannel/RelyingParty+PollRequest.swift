internal import JOSE
internal import JOSEKeySets
internal import JOSESupport

extension RelyingParty {
    /// The time limit of a poll. A provider may delay the response for 30 seconds (OpenID Connect CIBA Core, 7.3).
    private static var pollDeadline: Duration { .seconds(60) }

    /// Sends one poll, and stores what follows from its response.
    func perform(
        _ poll: BackChannelAttempt, at provider: Provider
    ) async throws(RelyingPartyError) -> BackChannelAttempt.Outcome {
        // Another poll may have ended since the pace was read.
        var pace: BackChannelPace
        if let stored = try await poll.entries.pace() {
            pace = stored
        } else {
            pace = BackChannelPace(lostWith: poll.acknowledgement.interval, at: clock.now)
            try await poll.keep(pace, at: clock.now)
        }
        guard clock.now >= pace.next else { return .pending(pace.next) }
        let request = try await pollRequest(poll, pace, at: provider)
        let response: TransportResponse
        do throws(TransportError) { response = try await exchange(request, until: nil) } catch {
            let reason = RelyingPartyError.Reason(error)
            switch error {
            // Nothing was sent.
            case .urlInvalid, .requestInvalid, .schemeNotAllowed, .addressNotAllowed:
                throw RelyingPartyError(reason, in: .tokenResponse)
            // The provider responded, and a poll that follows would end in the same way.
            case .bodyTooLarge, .headersTooLarge, .redirectNotAllowed:
                await poll.fail(at: clock.now)
                throw RelyingPartyError(reason, in: .tokenResponse).usedUp
            case .cancelled: pace.answered(at: clock.now)
            default: pace.failed(at: clock.now)
            }
            try? await poll.keep(pace, at: clock.now)
            throw RelyingPartyError(reason, in: .tokenResponse, action: .retry)
        }
        guard response.status == 200 else { return try await refused(response, poll, pace) }
        // The login has ended before anything of the response is read.
        try await poll.end(at: clock.now)
        do throws(RelyingPartyError.Reason) {
            return .tokens(try TokenResponse(response, requiresIDToken: false))
        } catch {
            throw RelyingPartyError(error, in: .tokenResponse).usedUp
        }
    }

    /// Returns the request of a poll. If the client's key fails, or takes so long that the turn could expire during the
    /// request, nothing is sent, and the login is still pending.
    private func pollRequest(
        _ poll: BackChannelAttempt, _ pace: BackChannelPace, at provider: Provider
    ) async throws(RelyingPartyError) -> TransportRequest {
        let endpoint = try provider.endpoint(.tokenEndpoint)
        var form = [
            (name: "grant_type", value: "urn:openid:params:grant-type:ciba"),
            (name: "auth_req_id", value: poll.acknowledgement.requestID),
        ]
        if profile.backChannel?.pollsNameClient == true { form.append(("client_id", client.id)) }
        do throws(RelyingPartyError) {
            var request = try await formRequest(
                form, to: endpoint, of: provider, step: .tokenResponse, until: nil)
            request.deadline = Self.pollDeadline
            guard clock.now + Self.pollDeadline < poll.turn.expires else {
                throw RelyingPartyError(.internalFault, in: .tokenResponse)
            }
            return request
        } catch {
            var pace = pace
            pace.answered(at: clock.now)
            try? await poll.keep(pace, at: clock.now)
            // The action is that of a request that was not sent.
            throw RelyingPartyError(
                error.reason, in: .tokenResponse, action: RelyingPartyError(error.reason, in: .request).action)
        }
    }

    /// Stores what follows from a response without tokens (OpenID Connect CIBA Core, 11).
    private func refused(
        _ response: TransportResponse, _ poll: BackChannelAttempt, _ given: BackChannelPace
    ) async throws(RelyingPartyError) -> BackChannelAttempt.Outcome {
        var pace = given
        let delay = response.retryAfter
        guard let (code, detail) = providerError(response) else {
            let error = RelyingPartyError.Reason.unexpectedStatus(response.status)
            guard response.isOutage else {
                await poll.fail(at: clock.now)
                throw RelyingPartyError(error, in: .tokenResponse)
            }
            pace.failed(at: clock.now, retryAfter: delay)
            try await poll.keep(pace, at: clock.now)
            throw RelyingPartyError(error, in: .tokenResponse, action: .retry)
        }
        switch code.description {
        case "authorization_pending": pace.answered(at: clock.now, retryAfter: delay)
        case "slow_down": pace.answered(at: clock.now, slowDown: true, retryAfter: delay)
        default:
            await poll.fail(at: clock.now)
            throw backChannelError(code, detail, .token, .tokenResponse).usedUp
        }
        try await poll.keep(pace, at: clock.now)
        return .pending(pace.next)
    }
}

extension TransportResponse {
    /// Whether the status says that the same request may succeed later.
    package var isOutage: Bool { status >= 500 || status == 408 || status == 429 }

    /// The time that the response asks to wait (`Retry-After`; RFC 9110, 10.2.3); nil if it does not.
    package var retryAfter: Duration? { StoredHeader.retryAfter(self).map { Duration(saturatingSeconds: $0) } }
}
