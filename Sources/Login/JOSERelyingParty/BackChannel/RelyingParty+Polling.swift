internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets

extension RelyingParty {
    /// The time limit of a poll. A provider may hold the response back for 30 seconds (OpenID Connect CIBA Core, 7.3).
    private static var pollDeadline: Duration { .seconds(60) }

    /// Asks the provider for the result of a login that the back end began (OpenID Connect CIBA Core, 10.1).
    ///
    /// The call may be made at any time and by any process that shares the store. A request is sent only if the interval has passed
    /// since the end of the last one, and no other poll of the login is under way. The interval grows by 5 seconds for good if the
    /// provider responds with `slow_down`. While the provider fails, the pause doubles up to 60 seconds, and `Retry-After` is obeyed.
    ///
    /// - Parameters:
    ///   - handle: The handle of the login (``BackChannelLogin/handle``).
    ///   - session: The secret of the session that began the login.
    /// - Returns: The user, or the time of the next poll while the login is pending.
    /// - Throws: `stateMismatch` for an unknown handle and for any session but the one that began the login; `expired` if the login
    ///   has expired, in which case no request is sent; `replayed` if it has already been completed or has failed; `cancelled` or the
    ///   provider's error code when it fails. After an error with the remedy `retry`, the login is still pending.
    public func poll(_ handle: String, session: String) async throws(RelyingPartyError) -> BackChannelPoll {
        let entries = try BackChannelEntries(handle, in: store)
        let (login, acknowledgement) = try await pending(handle, session, entries)
        let poll = BackChannelTurn(entries: entries, login: login, acknowledgement: acknowledgement)
        guard clock.now < acknowledgement.expires else {
            try? await poll.end(at: clock.now)
            throw RelyingPartyError(.expired, in: .tokenResponse)
        }
        if let pace = try await entries.pace(), clock.now < pace.next { return .pending(nextPoll: pace.next) }
        let provider = try await directory.provider(login.provider)
        guard bytesEqual(provider.issuer, login.issuer) else {
            throw RelyingPartyError(.issuerMismatch, in: .discovery)
        }
        guard try await entries.beginTurn() else {
            return .pending(nextPoll: clock.now + acknowledgement.interval)
        }
        let outcome: BackChannelTurn.Outcome
        do throws(RelyingPartyError) { outcome = try await take(poll, at: provider) } catch {
            await entries.endTurn()
            throw error
        }
        await entries.endTurn()
        switch outcome {
        case .pending(let next): return .pending(nextPoll: next)
        case .tokens(let response):
            do throws(RelyingPartyError) { return .user(try await user(of: response, login, at: provider)) } catch {
                throw error.usedUp
            }
        }
    }

    /// Returns a login that is not over, if it belongs to the session and to this relying party.
    private func pending(
        _ handle: String, _ session: String, _ entries: BackChannelEntries
    ) async throws(RelyingPartyError) -> (LoginTransaction, BackChannelAcknowledgement) {
        let mismatch = RelyingPartyError(.stateMismatch, in: .tokenResponse)
        let hash: String
        do throws(RelyingPartyError.Reason) { hash = try Secret.hash(session) } catch {
            throw RelyingPartyError(error, in: .tokenResponse)
        }
        guard var login = try await entries.login() else {
            guard let over = try await entries.over(), constantTimeEquals(over.utf8.span, hash.utf8.span) else {
                throw mismatch
            }
            throw RelyingPartyError(.replayed, in: .tokenResponse)
        }
        guard constantTimeEquals(login.bindingHash.utf8.span, hash.utf8.span),
            constantTimeEquals(login.state.utf8.span, handle.utf8.span), bytesEqual(login.profile, profile.name),
            bytesEqual(login.clientID, client.id), let acknowledgement = login.backChannel
        else { throw mismatch }
        login.binding = session
        return (login, acknowledgement)
    }

    /// Sends one poll, and stores what follows from its response.
    private func take(
        _ poll: BackChannelTurn, at provider: Provider
    ) async throws(RelyingPartyError) -> BackChannelTurn.Outcome {
        // Another poll may have ended since the pace was read. A pace that was lost with a process begins anew.
        var pace: BackChannelPace
        if let stored = try await poll.entries.pace() {
            pace = stored
        } else {
            pace = BackChannelPace(interval: poll.acknowledgement.interval, after: clock.now)
            try await poll.keep(pace, at: clock.now)
        }
        guard clock.now >= pace.next else { return .pending(pace.next) }
        guard let endpoint = provider.metadata.tokenEndpoint else {
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        var form = [
            (name: "grant_type", value: "urn:openid:params:grant-type:ciba"),
            (name: "auth_req_id", value: poll.acknowledgement.requestID),
        ]
        if profile.backChannel?.pollsNameClient == true { form.append(("client_id", client.id)) }
        let response: TransportResponse
        do throws(RelyingPartyError) {
            response = try await post(
                form, to: endpoint, of: provider, step: .tokenResponse, deadline: Self.pollDeadline)
        } catch {
            switch error.reason {
            case .unreachable: pace.failed(at: clock.now)
            case .interrupted: pace.answered(at: clock.now)
            default:
                try? await poll.end(at: clock.now)
                throw error.usedUp
            }
            try? await poll.keep(pace, at: clock.now)
            throw RelyingPartyError(error.reason, in: .tokenResponse, remedy: .retry)
        }
        if response.status == 200 {
            // The login is used up before anything of the response is read.
            try await poll.end(at: clock.now)
            do throws(RelyingPartyError.Reason) {
                return .tokens(try TokenResponse(response, requiresIDToken: false))
            } catch {
                throw RelyingPartyError(error, in: .tokenResponse).usedUp
            }
        }
        guard let (code, detail) = providerError(response) else {
            pace.failed(
                at: clock.now,
                retryAfter: StoredHeader.retryAfter(response).map { Duration(saturatingSeconds: $0) })
            try await poll.keep(pace, at: clock.now)
            throw RelyingPartyError(.unexpectedStatus(response.status), in: .tokenResponse, remedy: .retry)
        }
        switch code.description {
        case "authorization_pending": pace.answered(at: clock.now)
        case "slow_down": pace.answered(at: clock.now, slowDown: true)
        default:
            try? await poll.end(at: clock.now)
            throw backChannelError(code, detail, .token, .tokenResponse).usedUp
        }
        try await poll.keep(pace, at: clock.now)
        return .pending(pace.next)
    }

    private func user(
        of response: TokenResponse, _ login: LoginTransaction, at provider: Provider
    ) async throws(RelyingPartyError) -> LoggedInUser {
        do throws(RelyingPartyError.Reason) { try profile.checkResponse(response, login) } catch {
            throw RelyingPartyError(error, in: .tokenResponse)
        }
        return try await user(response, login, code: nil, at: provider)
    }
}

/// A poll that has the turn.
private struct BackChannelTurn {
    enum Outcome {
        case pending(NumericDate)
        case tokens(TokenResponse)
    }
    let entries: BackChannelEntries
    let login: LoginTransaction
    let acknowledgement: BackChannelAcknowledgement

    private func lifetime(_ now: NumericDate) -> Duration {
        BackChannelEntries.lifetime(until: acknowledgement.expires, now: now)
    }

    func keep(_ pace: BackChannelPace, at now: NumericDate) async throws(RelyingPartyError) {
        try await entries.replace(pace, lifetime: lifetime(now))
    }

    func end(at now: NumericDate) async throws(RelyingPartyError) {
        try await entries.end(login, lifetime: lifetime(now))
    }
}
