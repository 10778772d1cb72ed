package import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

/// The logins of a service's app sessions: what stands between the link that goes and the artifact that comes back. Of an app session there is one
/// login, found by its binding and its `RelayState` together: the link of another page, which has not this login's `RelayState`, finds none.
package struct DigiDSession: Sendable {
    package let store: any LoginStore
    package let clock: WallClock

    /// The time that DigiD gives its user for a login.
    package static let lifetime = Duration.seconds(900)
    private static let kind = "digid login"

    package init(store: any LoginStore, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// What nobody can guess, for a binding or a `RelayState`.
    package static func fresh() throws(RelyingPartyError.Reason) -> String { try Secret.fresh() }

    /// Keeps the login, and gives what the app is told. `link`: what its app opens, which is old after a minute.
    package func start(
        _ transaction: DigiDTransaction, link: String, issued: Double
    ) async throws(RelyingPartyError) -> AuthorizationRequest {
        if let path = transaction.returnTo, !LocalPath.isLocal(path) {
            throw RelyingPartyError(.invalidParameter("return_to"), in: .request)
        }
        let binding: String
        let cookie: String
        do throws(RelyingPartyError.Reason) {
            // With the RelayState, which a binding alone does not find (threat D09).
            binding = try Self.bind(Secret.fresh(), to: transaction.relayState)
            // It comes back where a state would.
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

    /// The pending login of this app session, which is then used up; `stateMismatch` where there is none.
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
        // By our own clock too, whatever the store does about lifetimes.
        let age = clock.seconds - transaction.created
        guard age < Self.lifetime.inSeconds, age > -60 else { throw RelyingPartyError(.stateMismatch, in: .callback) }
        return transaction
    }

    /// The artifact of what came back, and the login that it belongs to: the steps before anything is asked of DigiD, in the order of its
    /// specification. The login is used up, and the artifact with it.
    package func accept(
        _ callback: AuthorizationCallback, binding: String?, profile: String, form: DigiDArtifact.Form = .exact
    ) async throws(RelyingPartyError) -> (DigiDTransaction, DigiDArtifact) {
        let answer: DigiDReturn
        do throws(RelyingPartyError.Reason) { answer = try DigiDReturn(callback) } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        // Before the store is asked: what any page can send to the return URL uses nothing up (threat D09).
        guard let binding, Self.isBound(binding, to: answer.relayState) else {
            throw RelyingPartyError(.stateMismatch, in: .callback)
        }
        let transaction = try await take(binding)
        guard sameBytes(transaction.profile, profile) else { throw RelyingPartyError(.stateMismatch, in: .callback) }
        if let message = answer.errorMessage { throw .digiD(message: message) }
        let artifact: DigiDArtifact
        do throws(RelyingPartyError.Reason) {
            guard let text = answer.artifact else { throw .missingParameter("SAMLart") }
            // A demonstration brings no one.
            guard !sameBytes(text, DigiDArtifact.demo) else { throw .invalidParameter("SAMLart") }
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

    /// A binding is a secret, which has no dot, then a dot, and the `RelayState` of its login.
    private static func bind(_ secret: String, to relayState: String?) -> String { secret + "." + (relayState ?? "") }

    private static func isBound(_ binding: String, to relayState: String?) -> Bool {
        guard let dot = binding.utf8.firstIndex(of: UInt8(ascii: ".")) else { return false }
        let sent = Array(binding.utf8[binding.utf8.index(after: dot)...])
        let given = Array((relayState ?? "").utf8)
        return constantTimeEquals(given.span, sent.span)
    }

    /// Marks a token as used, for as long as it could be used again.
    ///
    /// - Parameter end: The time from which on the token is rejected as expired, the leeway included.
    /// - Throws: `replayed` if it was used before, and `expired` if that time has passed.
    package func useOnce(
        _ value: String, kind: String, until end: NumericDate, step: LoginStep
    ) async throws(RelyingPartyError) {
        guard let lifetime = StoreLifetime.ofMark(until: end, now: clock.now) else {
            throw RelyingPartyError(.expired, in: step)
        }
        try await useOnce(value, kind: kind, lifetime: lifetime, step: step)
    }

    /// `replayed` where it came before.
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

    /// The error of a login of which nothing came back: it is over, if it is not already.
    package func end(_ silence: DigiDTimeout, binding: String?) async throws(RelyingPartyError) -> RelyingPartyError {
        do throws(RelyingPartyError) { _ = try await take(binding) } catch {
            guard error.reason == .stateMismatch else { throw error }
        }
        return silence.error
    }
}
