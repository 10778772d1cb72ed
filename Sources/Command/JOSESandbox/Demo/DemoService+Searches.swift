internal import JOSEBytes
internal import JOSEKeySets
internal import JOSERelyingParty

/// Logins whose user scans a code with an app. The pages have no script: the user continues with a button.
extension DemoService {
    /// Continues the login for which the requesting browser waits.
    func continueSearch(_ login: DemoLogin, _ request: WebRequest) async -> TransportResponse {
        guard request.isFromOwnPages,
            let search = searches.take(login.client.name, request, now: SystemClock.elapsed())
        else { return Page.notFound() }
        return await answer(login) { () async throws(RelyingPartyError) in
            try await counted { () async throws(RelyingPartyError) in try await login.continueSearch(search) }
        }
    }

    /// Returns the page of a search, with the code that the user scans, or of the login that follows.
    func page(of search: PendingSearch, _ login: DemoLogin) -> Page {
        let (title, content): (String, Markup) =
            switch search.stage {
            case .search(let discovery):
                (
                    "Scan this code",
                    """
                    <p>Scan it with the app, or type its digits there.</p>
                    <p><img id="code" alt="The code" src="data:image/png;base64,\(Base64.encode(discovery.image.span))"></p>
                    """
                )
            case .login:
                ("Confirm in the app", "<p>The app asks you to confirm the login.</p>")
            }
        var page = Page(
            title,
            """
            \(content)
            <form method="post" action="/continue/\(login.client.name)"><button id="continue">Continue</button></form>
            """)
        page.hasImages = true
        return page
    }
}
