internal import JOSE

/// A poll that has the turn, with the steps that record its result. The cancellation of the caller's task does not stop
/// these steps.
struct BackChannelAttempt: Sendable {
    /// The result of a poll.
    enum Outcome: Sendable {
        case pending(NumericDate)
        case tokens(TokenResponse)
    }
    let turn: BackChannelTurn
    let entries: BackChannelEntries
    let login: LoginTransaction
    let acknowledgement: BackChannelAcknowledgement

    private func lifetime(_ now: NumericDate) -> Duration {
        BackChannelEntries.lifetime(until: acknowledgement.expires, now: now)
    }

    /// Stores the pace, unless another poll has had the turn since.
    func keep(_ pace: BackChannelPace, at now: NumericDate) async throws(RelyingPartyError) {
        try await withoutCancellation { () async throws(RelyingPartyError) in
            try await entries.replace(pace, by: turn, lifetime: lifetime(now))
        }
    }

    /// Ends a login whose tokens the provider has issued, whichever poll has the turn.
    ///
    /// - Throws: `replayed` if the login has ended already, and any error of the store. The tokens are lost then.
    func end(at now: NumericDate) async throws(RelyingPartyError) {
        do throws(RelyingPartyError) {
            try await withoutCancellation { () async throws(RelyingPartyError) in
                try await entries.end(login, lifetime: lifetime(now))
            }
        } catch {
            throw error.usedUp
        }
    }

    /// Ends a login that has failed, unless another poll has had the turn since: its response may have the tokens. If
    /// the store does not respond, the next poll fails in the same way.
    func fail(at now: NumericDate) async {
        try? await withoutCancellation { () async throws(RelyingPartyError) in
            try await entries.end(login, by: turn, lifetime: lifetime(now))
        }
    }

    /// Ends the turn.
    func endTurn() async {
        try? await withoutCancellation { () async throws(RelyingPartyError) in await turn.end() }
    }
}
