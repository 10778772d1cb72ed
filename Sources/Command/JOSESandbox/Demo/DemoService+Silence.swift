internal import JOSEKeySets
internal import JOSERelyingParty

/// Logins that their provider may say nothing of: the service ends them, by what its user sees or by its own timer.
extension DemoService {
    enum Silence {
        case nobody
        case waiting(Markup)
        case over(TransportResponse)
    }

    /// Of the browser that asks.
    func silence(_ request: WebRequest) async -> Silence {
        guard let silence = silences.login(request), let login = login(silence.name) else { return .nobody }
        if silences.isOver(silence) { return .over(await end(login, .noAnswer, request)) }
        return .waiting(
            """
            <form method="post" action="/silence"><p>A login with \(login.client.title) is under way.</p>
            <button id="not-opened" name="silence" value="not-opened">Its app did not open</button>
            <button id="no-answer" name="silence" value="no-answer">Nothing came back</button></form>

            """)
    }

    /// The user says so, who sees that no app opened, or waits no longer.
    func hearNothing(_ request: WebRequest) async -> TransportResponse {
        guard request.isFromOwnPages, let silence = silences.login(request), let login = login(silence.name) else {
            return Page.notFound()
        }
        switch request.form?["silence"] {
        case "not-opened": return await end(login, .notOpened, request)
        case "no-answer": return await end(login, .noAnswer, request)
        default: return Page.notFound()
        }
    }

    private func end(_ login: DemoLogin, _ silence: DigiDTimeout, _ request: WebRequest) async -> TransportResponse {
        guard let waiting = silences.take(request) else { return Page.notFound() }
        do throws(RelyingPartyError) {
            return refusal(login, try await login.end(silence, binding: waiting.binding))
        } catch {
            return refusal(login, error)
        }
    }
}
