internal import JOSEKeySets

extension DemoService {
    /// Returns the page of an age proof, after which nobody is signed in.
    static func proven(
        _ ages: [(age: Int, isReached: Bool)], _ login: DemoLogin, _ cookies: [TransportHeaderField]
    ) -> TransportResponse {
        let rows: [Markup] = ages.map {
            "<dt>At least \($0.age)</dt><dd id=\"age-\($0.age)\">\($0.isReached ? "yes" : "no")</dd>"
        }
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
