package import JOSE
internal import JOSEKeySets
package import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// The pending logins of app sessions and browsers, from the creation of the request until the artifact arrives. A
/// login is found by its binding together with its `RelayState`: a link from another page, which lacks the login's
/// `RelayState`, finds no login.
package struct DigiDSession: Sendable {
    package let store: any LoginStore
    package let clock: WallClock

    /// The time within which a login must be completed: 15 minutes, as DigiD allows its users.
    package static let lifetime = Duration.seconds(900)
    private static let kind = "digid login"

    package init(store: any LoginStore, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Returns a random value for a binding or a `RelayState`.
    package static func fresh() throws(RelyingPartyError.Reason) -> String { try Secret.fresh() }

    /// Stores a pending login and returns its authorization request.
    ///
    /// - Parameters:
    ///   - transaction: The state of the login.
    ///   - link: The link that the service's app opens, which expires after a minute.
    ///   - issued: The `IssueInstant` of the request, in seconds since 1970.
    package func start(
        _ transaction: DigiDTransaction, link: String, issued: Double
    ) async throws(RelyingPartyError) -> AuthorizationRequest {
        if let path = transaction.returnTo, !LocalPath.isLocal(path) {
            throw RelyingPartyError(.invalidParameter("return_to"), in: .request)
        }
        let binding: String
        let cookie: String
        do throws(RelyingPartyError.Reason) {
            // The binding contains the RelayState, so that a binding alone finds no login (threat D09).
            binding = try Self.bind(Secret.fresh(), to: transaction.relayState)
            // RelayState takes the place of `state`.
            cookie = try BindingCookie.field(
                binding, state: transaction.relayState ?? "", crossSitePost: false, lifetime: Self.lifetime)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let isNew: Bool
        do throws(StoreError) {
            isNew = try await store.insert(
                transaction.json, for: StoreKey(kind: Self.kind, value: binding), lifetime: Self.lifetime)
        } catch {
            throw RelyingPartyError(error)
        }
        guard isNew else { throw RelyingPartyError(.internalFault, in: .store) }
        return AuthorizationRequest(
            url: link, binding: binding, cookie: cookie, requestDocument: nil, dropped: [],
            expires: NumericDate(secondsSince1970: transaction.created) + Self.lifetime,
            urlExpires: NumericDate(secondsSince1970: issued + DigiDFreshness.limit))
    }

    /// Removes the pending login of an app session and returns it.
    ///
    /// - Throws: `stateMismatch` if the session has no pending login, and the errors of the store.
    package func take(_ binding: String?) async throws(RelyingPartyError) -> DigiDTransaction {
        guard let binding, !binding.isEmpty else { throw RelyingPartyError(.stateMismatch, in: .callback) }
        let found: [UInt8]?
        do throws(StoreError) {
            found = try await store.take(StoreKey(kind: Self.kind, value: binding))
        } catch {
            throw error == .notReplicated ? RelyingPartyError(error).usedUp : RelyingPartyError(error)
        }
        guard let transaction = found.flatMap({ DigiDTransaction(json: $0) }) else {
            throw RelyingPartyError(.stateMismatch, in: .callback)
        }
        // The age is checked by the service's clock as well, however the store handles lifetimes.
        let age = clock.now.secondsSince1970 - transaction.created
        guard age < Self.lifetime.inSeconds, age > -60 else { throw RelyingPartyError(.stateMismatch, in: .callback) }
        return transaction
    }

    /// Returns the artifact of a callback and the login to which it belongs, and marks both as used. The checks are
    /// those that precede the request to DigiD, in the order of DigiD's specification.
    package func accept(
        _ callback: AuthorizationCallback, by route: DigiDRoute, binding: String?, profile: String,
        form: DigiDArtifact.Form = .exact
    ) async throws(RelyingPartyError) -> (DigiDTransaction, DigiDArtifact) {
        let answer: DigiDReturn
        do throws(RelyingPartyError.Reason) { answer = try DigiDReturn(callback, by: route) } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        // This check comes before the store is asked: any page can send something to the return URL, which must not use
        // up a login (threat D09).
        guard let binding, Self.isBound(binding, to: answer.relayState) else {
            throw RelyingPartyError(.stateMismatch, in: .callback)
        }
        let transaction = try await take(binding)
        guard bytesEqual(transaction.profile, profile), transaction.route == route else {
            throw RelyingPartyError(.stateMismatch, in: .callback)
        }
        if let message = answer.errorMessage { throw .digiD(message: message) }
        let artifact: DigiDArtifact
        do throws(RelyingPartyError.Reason) {
            guard let text = answer.artifact else { throw .missingParameter("SAMLart") }
            // Nobody has logged in in a demonstration.
            guard !bytesEqual(text, DigiDArtifact.demo) else { throw .invalidParameter("SAMLart") }
            artifact = try DigiDArtifact(text, entityID: transaction.identityProvider, form: form)
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        do throws(RelyingPartyError) {
            try await useOnce(artifact.text, kind: "digid artifact", lifetime: Self.lifetime)
        } catch {
            throw error.usedUp
        }
        return (transaction, artifact)
    }

    /// Returns a binding: a secret, which contains no dot, then a dot and the `RelayState` of the login.
    private static func bind(_ secret: String, to relayState: String?) -> String { secret + "." + (relayState ?? "") }

    private static func isBound(_ binding: String, to relayState: String?) -> Bool {
        guard let dot = binding.utf8.firstIndex(of: UInt8(ascii: ".")) else { return false }
        let sent = Array(binding.utf8[binding.utf8.index(after: dot)...])
        let given = Array((relayState ?? "").utf8)
        return constantTimeEquals(given.span, sent.span)
    }

    /// Marks a token as used until it expires.
    ///
    /// - Parameter end: The time from which the token is rejected as expired, including the leeway.
    /// - Throws: `replayed` if the token was used before, and `expired` if `end` has passed.
    package func useOnce(
        _ value: String, kind: String, until end: NumericDate, step: LoginStep
    ) async throws(RelyingPartyError) {
        guard let lifetime = StoreLifetime.ofMark(until: end, now: clock.now) else {
            throw RelyingPartyError(.expired, in: step)
        }
        try await useOnce(value, kind: kind, lifetime: lifetime, step: step)
    }

    /// Marks a value as used for the duration `lifetime`.
    ///
    /// - Throws: `replayed` if the value was used before.
    package func useOnce(
        _ value: String, kind: String, lifetime: Duration, step: LoginStep = .callback
    ) async throws(RelyingPartyError) {
        let isNew: Bool
        do throws(StoreError) {
            isNew = try await store.insert([], for: StoreKey(kind: kind, value: value), lifetime: lifetime)
        } catch {
            throw RelyingPartyError(error)
        }
        guard isNew else { throw RelyingPartyError(.replayed, in: step) }
    }

    /// Stores a value for the time in which a login or a logout must be completed.
    package func insert(_ value: String, kind: String) async throws(RelyingPartyError) {
        guard try await mark(value, kind: kind, lifetime: Self.lifetime) else {
            throw RelyingPartyError(.internalFault, in: .store)
        }
    }

    private func mark(_ value: String, kind: String, lifetime: Duration) async throws(RelyingPartyError) -> Bool {
        do throws(StoreError) {
            return try await store.insert([1], for: StoreKey(kind: kind, value: value), lifetime: lifetime)
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Records that something is done, also in a cancelled task. A store that fails is not reported, because it is done
    /// nevertheless.
    package func markDone(_ value: String, kind: String, lifetime: Duration) async {
        _ = try? await withoutCancellation { () async throws(RelyingPartyError) in
            try await mark(value, kind: kind, lifetime: lifetime)
        }
    }

    /// Returns whether something was recorded as done.
    package func isDone(_ value: String, kind: String) async throws(RelyingPartyError) -> Bool {
        do throws(StoreError) {
            return try await store.value(for: StoreKey(kind: kind, value: value)) != nil
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Removes a value, and returns whether it was there.
    package func remove(_ value: String, kind: String) async throws(RelyingPartyError) -> Bool {
        do throws(StoreError) {
            return try await store.take(StoreKey(kind: kind, value: value)) != nil
        } catch {
            throw error == .notReplicated ? RelyingPartyError(error).usedUp : RelyingPartyError(error)
        }
    }

    /// Removes a value, also in a cancelled task. A store that fails is not reported: the value then stays until it
    /// expires.
    package func forget(_ value: String, kind: String) async {
        _ = try? await withoutCancellation { () async throws(RelyingPartyError) in try await remove(value, kind: kind) }
    }

    /// Ends a login for which no response arrived, unless it has ended already, and returns its error.
    package func end(_ timeout: DigiDTimeout, binding: String?) async throws(RelyingPartyError) -> RelyingPartyError {
        do throws(RelyingPartyError) { _ = try await take(binding) } catch {
            guard error.reason == .stateMismatch else { throw error }
        }
        return timeout.error
    }
}
