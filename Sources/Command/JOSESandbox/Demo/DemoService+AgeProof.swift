internal import JOSEKeySets
internal import JOSERelyingParty

extension DemoService {
    /// Returns the page of an age proof, after which nobody is signed in.
    static func proven(
        _ age: MitIDAge, _ login: DemoLogin, _ cookies: [TransportHeaderField]
    ) -> TransportResponse {
        var rows: [Markup] = age.reached.sorted { $0.key < $1.key }.map {
            "<dt>At least \($0.key)</dt><dd id=\"age-\($0.key)\">\($0.value ? "yes" : "no")</dd>"
        }
        if let years = age.years { rows.append("<dt>Years</dt><dd id=\"years\">\(years)</dd>") }
        return Page(
            "Your age was proven",
            """
            <p>By <strong id="by">\(login.client.title)</strong>. You are not signed in.</p>
            <dl>\(rows)</dl>
            <p><a href="/">Back to the start</a></p>
            """
        ).response(cookies)
    }
}
