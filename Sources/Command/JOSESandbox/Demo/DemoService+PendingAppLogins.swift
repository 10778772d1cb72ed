internal import JOSEDigiD
internal import JOSEKeySets
internal import JOSERelyingParty

/// Logins of which the provider may report no outcome: the service ends them when its user says so, or by its own
/// timeout.
extension DemoService {
    /// A login that waits for an app which may not answer.
    struct PendingAppLogin: Sendable {
        let name: String
        let binding: String
        /// The time at which the login began, in seconds of `elapsed`.
        let began: Double
    }

    /// The timeout in seconds, which is DigiD's own.
    private static let limit = 900.0

    /// The state of the login that a browser is waiting for.
    enum PendingState {
        case none
        case pending(Markup)
        case ended(TransportResponse)
    }

    /// Returns the state of the login that the requesting browser is waiting for, and ends that login if it has timed
    /// out.
    func pendingAppLogin(_ request: WebRequest) async -> PendingState {
        guard let pending = pendingAppLogins.value(request), let login = login(pending.name) else { return .none }
        if elapsed() - pending.began >= Self.limit { return .ended(await end(login, .noAnswer, request)) }
        return .pending(
            """
            <form method="post" action="/pending-login"><p>A login with \(login.client.title) is under way.</p>
            <button id="not-opened" name="outcome" value="not-opened">Its app did not open</button>
            <button id="no-answer" name="outcome" value="no-answer">Nothing came back</button></form>

            """)
    }

    /// Ends a pending login at its user's request: no app opened, or the user no longer waits.
    func endPendingAppLogin(_ request: WebRequest) async -> TransportResponse {
        guard request.isFromOwnPages, let pending = pendingAppLogins.value(request), let login = login(pending.name)
        else {
            return .notFound()
        }
        switch request.form?["outcome"] {
        case "not-opened": return await end(login, .notOpened, request)
        case "no-answer": return await end(login, .noAnswer, request)
        default: return .notFound()
        }
    }

    /// Returns the page of the return URL, which a browser loads if the service's app does not open. The callback
    /// stands for the app, which the page's link opens.
    func returnPage(_ login: DemoLogin, _ request: WebRequest) -> TransportResponse {
        do throws(RelyingPartyError) {
            let page = try DigiDFallbackPage(query: request.rawQuery, scheme: "bulla-demo", text: .english).page
            return TransportResponse(
                status: 200, headers: AppReturnPage.headers.map { TransportHeaderField($0.name, $0.value) },
                body: Array(page.utf8))
        } catch {
            return refusal(login, error)
        }
    }

    private func end(_ login: DemoLogin, _ timeout: DigiDTimeout, _ request: WebRequest) async -> TransportResponse {
        guard let pending = pendingAppLogins.take(request) else { return .notFound() }
        do throws(RelyingPartyError) {
            return refusal(login, try await login.end(timeout, binding: pending.binding))
        } catch {
            return refusal(login, error)
        }
    }
}
