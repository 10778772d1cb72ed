internal import JOSE
internal import JOSESupport

extension RelyingParty {
    /// Asks the provider for the result of a login that the back end began (OpenID Connect CIBA Core, 10.1).
    ///
    /// The call may be made at any time and by any process that shares the store. A request is sent only if the
    /// interval has passed since the end of the last one, and no other poll of the login is under way. The interval
    /// grows by 5 seconds for good if the provider responds with `slow_down`. While the provider fails, the pause
    /// doubles up to 60 seconds, and `Retry-After` is obeyed.
    ///
    /// If the task is cancelled, the request is abandoned, and the next poll may follow after the interval.
    ///
    /// - Parameters:
    ///   - handle: The handle of the login (``BackChannelLogin/handle``).
    ///   - session: The secret of the session that began the login.
    /// - Returns: The user, or the time of the next poll while the login is pending.
    /// - Throws: `stateMismatch` for an unknown handle and for any session but the one that began the login; `expired`
    ///   if the login has expired, in which case no request is sent; `replayed` if it has already been completed or has
    ///   failed; `cancelled` or the provider's error code when it fails. After an error with the action `retry`, the
    ///   login is still pending.
    public func poll(_ handle: String, session: String) async throws(RelyingPartyError) -> BackChannelPoll {
        guard profile.isLogin else { throw RelyingPartyError(.configurationError, in: .tokenResponse) }
        return try await pollRequest(handle, session: session)
    }

    /// Asks for the result of a request that the back end began, whether its result is a login or not.
    package func pollRequest(_ handle: String, session: String) async throws(RelyingPartyError) -> BackChannelPoll {
        let entries = try BackChannelEntries(handle, in: store)
        let (login, acknowledgement) = try await pending(handle, session, entries)
        guard clock.now < acknowledgement.expires else {
            // A poll that is under way may still receive the tokens, and ends the login itself.
            if let attempt = try? await attempt(login, acknowledgement, entries) {
                await attempt.fail(at: clock.now)
                await attempt.endTurn()
            }
            throw RelyingPartyError(.expired, in: .tokenResponse)
        }
        if let pace = try await entries.pace(), clock.now < pace.next {
            return .pending(nextPoll: acknowledgement.nextPoll(pace.next))
        }
        let provider = try await directory.provider(login.provider, until: nil)
        guard bytesEqual(provider.issuer, login.issuer) else {
            throw RelyingPartyError(.issuerMismatch, in: .discovery)
        }
        guard let attempt = try await attempt(login, acknowledgement, entries) else {
            return .pending(nextPoll: acknowledgement.nextPoll(clock.now + acknowledgement.interval))
        }
        let outcome: BackChannelAttempt.Outcome
        do throws(RelyingPartyError) { outcome = try await perform(attempt, at: provider) } catch {
            await attempt.endTurn()
            throw error
        }
        await attempt.endTurn()
        switch outcome {
        case .pending(let next): return .pending(nextPoll: acknowledgement.nextPoll(next))
        case .tokens(let response):
            do throws(RelyingPartyError) { return .user(try await user(of: response, login, at: provider)) } catch {
                throw error.usedUp
            }
        }
    }

    /// Begins a turn; returns nil if another poll has it.
    private func attempt(
        _ login: LoginTransaction, _ acknowledgement: BackChannelAcknowledgement, _ entries: BackChannelEntries
    ) async throws(RelyingPartyError) -> BackChannelAttempt? {
        let now = clock.now
        // A turn whose insertion was cancelled would stay in the store.
        let turn = try await withoutCancellation { () async throws(RelyingPartyError) in
            try await entries.beginTurn(at: now)
        }
        return turn.map {
            BackChannelAttempt(turn: $0, entries: entries, login: login, acknowledgement: acknowledgement)
        }
    }

    /// Returns a login that has not ended, if it belongs to the session and to this relying party.
    private func pending(
        _ handle: String, _ session: String, _ entries: BackChannelEntries
    ) async throws(RelyingPartyError) -> (LoginTransaction, BackChannelAcknowledgement) {
        let mismatch = RelyingPartyError(.stateMismatch, in: .tokenResponse)
        let hash: String
        do throws(RelyingPartyError.Reason) { hash = try Secret.hash(session) } catch {
            throw RelyingPartyError(error, in: .tokenResponse)
        }
        guard var login = try await entries.login() else {
            guard let ended = try await entries.ended(), constantTimeEquals(ended.utf8.span, hash.utf8.span) else {
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

    private func user(
        of response: TokenResponse, _ login: LoginTransaction, at provider: Provider
    ) async throws(RelyingPartyError) -> LoggedInUser {
        do throws(RelyingPartyError.Reason) { try profile.checkResponse(response, login) } catch {
            throw RelyingPartyError(error, in: .tokenResponse)
        }
        return try await user(response, login, code: nil, at: provider, until: nil)
    }
}
