internal import JOSE
internal import JOSEItsme
internal import JOSEKeySets
internal import JOSEMitID
internal import JOSERelyingParty
internal import JOSESupport

/// A login or an age proof that the service has begun, and for whose outcome it polls.
struct PendingPoll: Sendable {
    enum Stage: Sendable {
        /// The provider has not found the user of the login yet.
        case search(ItsmeUserDiscovery)
        /// The user of the login has not decided yet.
        case login(handle: String, nextPoll: NumericDate)
        /// The user has not proven an age yet.
        case ageProof(AltIDPendingProof, nextPoll: NumericDate)
    }
    /// The secret of the session, which is the value of a cookie.
    let session: String
    let stage: Stage
}

/// Logins and age proofs whose user scans a code with an app. The pages have no script: the user continues with a
/// button.
extension DemoService {
    /// Continues the login or the age proof for which the requesting browser waits.
    func continuePoll(_ login: DemoLogin, _ request: WebRequest) async -> TransportResponse {
        guard request.isFromOwnPages,
            let poll = polls.take(request, if: { $0.name == login.client.name })?.poll
        else { return .notFound() }
        return await answer(login) { () async throws(RelyingPartyError) in
            try await counted { () async throws(RelyingPartyError) in try await login.continuePoll(poll) }
        }
    }

    /// Returns the page of what the service polls for, with the code that the user scans.
    func page(of poll: PendingPoll, _ login: DemoLogin, _ cookies: [TransportHeaderField]) -> TransportResponse {
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
        return .page(
            title, hasImages: true,
            """
            \(content)
            <form method="post" action="/continue/\(login.client.name)"><button id="continue">Continue</button></form>
            """, cookies)
    }

    /// Returns the page of an age proof, after which nobody is signed in.
    static func proven(_ age: MitIDAge, _ login: DemoLogin, _ cookies: [TransportHeaderField]) -> TransportResponse {
        var rows: [Markup] = age.reached.sorted { $0.key < $1.key }.map {
            "<dt>At least \($0.key)</dt><dd id=\"age-\($0.key)\">\($0.value ? "yes" : "no")</dd>"
        }
        if let years = age.years { rows.append("<dt>Years</dt><dd id=\"years\">\(years)</dd>") }
        return .page(
            "Your age was proven",
            """
            <p>By <strong id="by">\(login.client.title)</strong>. You are not signed in.</p>
            <dl>\(rows)</dl>
            <p><a href="/">Back to the start</a></p>
            """, cookies)
    }

    private static func code(_ image: [UInt8]) -> Markup {
        """
        <p><img id="code" alt="The code" src="data:image/png;base64,\(Base64.encode(image.span))"></p>
        """
    }
}
