internal import JOSE
internal import JOSEKeySets
internal import JOSEMitID
internal import JOSERelyingParty
internal import JOSESupport

/// An app whose logins a browser tab carries out, and its back end. The pages below `/app` are the screens of the app:
/// open them in a browser context of their own, which stands for the app's storage, and the start link in the one that
/// stands for the tab.
extension DemoService {
    private static let deviceCookie = "__Host-demo-device"

    /// The URL of the app's screens.
    static func appPage(of client: TestClient) -> String { "\(client.redirectURI.origin)/app/\(client.name)" }
    /// The link that opens the app.
    static func appLink(of client: TestClient) -> String { appPage(of: client) + "/back" }

    func answer(
        _ request: WebRequest, _ part: String, of login: DemoLogin, by logins: AppLogin, asking asked: LoginRequest
    ) async -> TransportResponse {
        do throws(RelyingPartyError) {
            switch (request.isRead ? "GET" : request.method, part) {
            case ("GET", ""): return Self.screen(login, "Log in", button: "begin")
            case ("POST", "begin"):
                guard request.isFromOwnPages else { return .notFound() }
                let instance = Randomness.text()
                let system = request.form?["switch"].flatMap { MitIDParameters.AppSwitch.System(rawValue: $0) }
                let start = try await logins.begin(asked, instance: Array(instance.utf8), appSwitch: system)
                let cookie = WebCookie.text(Self.deviceCookie, "\(instance).\(start.handle)")
                return Self.waiting(
                    login, link: start.link, value: nil, isNotified: false, [TransportHeaderField("Set-Cookie", cookie)]
                )
            case ("GET", "start"):
                // A request for the head alone must not use up the link.
                guard request.method == "GET" else { return .methodNotAllowed("GET") }
                let headers = try await logins.open(query: request.rawQuery)
                return TransportResponse(
                    status: 303, headers: headers.map { TransportHeaderField($0.name, $0.value) })
            case ("GET", "back"):
                return try await poll(logins, login, request, request.query?[AppLogin.returnParameter])
            case ("GET", "push"):
                let value = request.query?[AppLogin.returnParameter]
                let isNotified = await pushMessages.receive(of: try device(request).handle)
                return Self.waiting(login, link: nil, value: value, isNotified: isNotified)
            case ("POST", "poll"):
                guard request.isFromOwnPages else { return .notFound() }
                return try await poll(logins, login, request, request.form?[AppLogin.returnParameter])
            default: return .notFound()
            }
        } catch {
            return refusal(login, error)
        }
    }

    /// Completes the login in the tab. The app gets the cookie of the session, or the code of the error.
    func complete(
        _ logins: AppLogin, _ login: DemoLogin, _ callback: AuthorizationCallback, _ cookies: String
    ) async -> TransportResponse {
        let began = SystemClock.elapsed()
        do throws(RelyingPartyError) {
            let end = try await logins.complete(callback: callback, cookies: cookies) { [self] result in
                switch result {
                case .success(let user):
                    count(since: began)
                    return Array(sessions.begin(login.client, DemoUser(user)).utf8)
                case .failure(let error):
                    return Array("\(Self.failed)\(Self.failure(error.reason)) \(error.action)".utf8)
                }
            }
            if let handle = end.notifiedHandle { pushMessages.send(to: handle) }
            return TransportResponse(
                status: 200, headers: end.headers.map { TransportHeaderField($0.name, $0.value) },
                body: Array(end.page.html.utf8))
        } catch {
            return refusal(login, error)
        }
    }

    private static let failed = "failed "

    private func poll(
        _ logins: AppLogin, _ login: DemoLogin, _ request: WebRequest, _ value: String?
    ) async throws(RelyingPartyError) -> TransportResponse {
        let device = try device(request)
        switch try await logins.poll(device.handle, instance: Array(device.instance.utf8), returnValue: value) {
        case .pending: return Self.waiting(login, link: nil, value: value, isNotified: false)
        case .expired: throw RelyingPartyError(.expired, in: .callback, action: .restart)
        case .ended(let answer):
            let text = String(decoding: answer, as: UTF8.self)
            guard text.hasPrefix(Self.failed) else {
                return .seeOther("/account", [TransportHeaderField("Set-Cookie", text)])
            }
            let words = text.dropFirst(Self.failed.count).split(separator: " ").map(String.init)
            return .page(
                "You are not signed in", status: 400,
                """
                <dl><dt>Failed</dt><dd id="failure">\(words.first ?? "")</dd>
                <dt>Remedy</dt><dd id="remedy">\(words.last ?? "")</dd></dl>
                """)
        }
    }

    /// Returns what the app keeps of its login.
    private func device(
        _ request: WebRequest
    ) throws(RelyingPartyError) -> (instance: String, handle: String) {
        let parts = (request.cookie(Self.deviceCookie) ?? "").split(separator: ".").map(String.init)
        guard parts.count == 2 else { throw RelyingPartyError(.bindingMismatch, in: .callback) }
        return (parts[0], parts[1])
    }

    private static func screen(_ login: DemoLogin, _ title: String, button: String) -> TransportResponse {
        .page(
            "The app: \(title)",
            """
            <form method="post" action="/app/\(login.client.name)/\(button)">
            <p><label>MitID's app returns here <select name="switch"><option value="android">on Android</option>
            <option value="ios">on iOS</option><option id="no-switch" value="">not: the user presses a button</option></select></label></p>
            <button id="\(button)">\(title)</button></form>
            """)
    }

    private static func waiting(
        _ login: DemoLogin, link: String?, value: String?, isNotified: Bool, _ cookies: [TransportHeaderField] = []
    ) -> TransportResponse {
        let tab: Markup =
            link.map {
                """
                <p><a id="tab" href="\($0)" target="_blank" rel="noopener">The tab of the login</a>, for one opening within a minute</p>
                """
            } ?? .nothing
        let hidden: Markup =
            value.map { "<input type=\"hidden\" name=\"\(AppLogin.returnParameter)\" value=\"\($0)\">" } ?? .nothing
        let query = value.map { "?\(AppLogin.returnParameter)=\(FormFields.encoded($0))" } ?? ""
        let push: Markup =
            isNotified
            ? .nothing
            : """
            <p><a id="push" href="/app/\(login.client.name)/push\(query)">Wait for a push message</a></p>
            """
        return .page(
            isNotified ? "The app: notified" : "The app: waiting",
            """
            \(tab)
            \(push)
            <form method="post" action="/app/\(login.client.name)/poll">\(hidden)<button id="poll">Poll</button></form>
            """, cookies)
    }
}
