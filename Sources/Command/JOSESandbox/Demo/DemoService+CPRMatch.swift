internal import JOSEKeySets
internal import JOSERelyingParty

/// The comparison of a civil registration number that the user enters with that of the login with MitID.
extension DemoService {
    /// Returns the form for the number, or nothing if the login was none with MitID.
    static func cprForm(_ session: DemoSession) -> Markup {
        guard session.user.cprTicket != nil else { return .nothing }
        return """
            <form method="post" action="/cpr"><input type="hidden" name="secret" value="\(session.formSecret)">
            <p><label for="cpr">Your civil registration number (CPR)</label>
            <input id="cpr" name="cpr" inputmode="numeric" autocomplete="off"></p>
            <button id="compare">Compare</button></form>
            """
    }

    /// Answers the form with the page of the broker's answer, or of the error.
    func matchCPR(_ request: WebRequest) async -> TransportResponse {
        guard let session = sessions.confirmed(request), let ticket = session.user.cprTicket,
            let login = login(session.client.name)
        else { return .notFound() }
        do throws(RelyingPartyError) {
            let isSame = try await login.matchCPR(request.form?["cpr"] ?? "", ticket)
            return .page(
                "Your number was compared",
                """
                <dl><dt>Is it your number?</dt><dd id="match">\(isSame ? "yes" : "no")</dd></dl>
                <p><a id="account" href="/account">Back to your account</a></p>
                """)
        } catch {
            return .page(
                "Your number was not compared", status: 400,
                """
                <dl>\(Self.rows(of: error))</dl>
                <p><a id="account" href="/account">Back to your account</a></p>
                """)
        }
    }
}
