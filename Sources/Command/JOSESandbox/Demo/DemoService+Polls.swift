internal import JOSEBytes
internal import JOSEKeySets
internal import JOSERelyingParty

/// Logins and age proofs whose user scans a code with an app. The pages have no script: the user continues with a
/// button.
extension DemoService {
    /// Continues the login or the age proof for which the requesting browser waits.
    func continuePoll(_ login: DemoLogin, _ request: WebRequest) async -> TransportResponse {
        guard request.isFromOwnPages,
            let poll = polls.take(login.client.name, request, now: SystemClock.elapsed())
        else { return Page.notFound() }
        return await answer(login) { () async throws(RelyingPartyError) in
            try await counted { () async throws(RelyingPartyError) in try await login.continuePoll(poll) }
        }
    }

    /// Returns the page of what the service polls for, with the code that the user scans.
    func page(of poll: PendingPoll, _ login: DemoLogin) -> Page {
        let (title, content): (String, Markup) =
            switch poll.stage {
            case .search(let discovery):
                (
                    "Scan this code",
                    """
                    <p>Scan it with the app, or type its digits there.</p>
                    \(Self.code(discovery.image))
                    """
                )
            case .login:
                ("Confirm in the app", "<p>The app asks you to confirm the login.</p>")
            case .ageProof(let proof, _):
                (
                    "Open the wallet",
                    """
                    <p>Scan the code with the wallet, or <a id="wallet" href="\(proof.url)" target="_blank" rel="noopener">open the wallet \
                    here</a>.</p>
                    \(Self.code(proof.qrCode ?? []))
                    """
                )
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

    private static func code(_ image: [UInt8]) -> Markup {
        """
        <p><img id="code" alt="The code" src="data:image/png;base64,\(Base64.encode(image.span))"></p>
        """
    }
}
