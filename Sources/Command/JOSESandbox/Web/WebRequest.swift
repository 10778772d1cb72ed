package import JOSEKeySets

/// A request as a site's pages and endpoints take it.
package struct WebRequest: Sendable {
    package var method: String
    /// Of `Host`, with its port.
    package var authority: String
    /// Begins with a slash; without the query.
    package var path: String
    /// Behind the question mark, as it was sent.
    package var rawQuery: String
    /// Those that are looked at, each at most once.
    package var headers: [TransportHeaderField]
    package var body: [UInt8]
    /// DER, of a client that an authority of the server's vouches for.
    package var clientCertificate: [UInt8]?
    /// What was found at the `request_uri` of its query, where that is an address.
    var requestObject: String?

    package init(
        _ method: String, authority: String, target: String, headers: [TransportHeaderField] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.authority = authority
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "/")
        rawQuery = parts.count > 1 ? String(parts[1]) : ""
        self.headers = headers
        self.body = body
    }

    /// Names of the fields that reach a handler.
    package static let fields = [
        "Host", "Content-Type", "Authorization", "Cookie", "Accept", "If-None-Match", "Sec-Fetch-Site",
    ]

    package var host: String { String(authority.split(separator: ":").first ?? "").lowercased() }
    package var isRead: Bool { method == "GET" || method == "HEAD" }

    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Nil where it is none.
    package var query: FormFields? { FormFields(parsing: rawQuery.utf8) }

    /// Nil where the body is of another kind, or is none.
    package var form: FormFields? {
        let type = header("Content-Type")?.lowercased() ?? ""
        let essence = type.split(separator: ";").first.map { $0.split(separator: " ").joined() }
        guard method == "POST", essence == "application/x-www-form-urlencoded" else { return nil }
        return FormFields(parsing: body)
    }

    /// The first of the name (RFC 6265, 5.4: the most specific one comes first).
    package func cookie(_ name: String) -> String? {
        for pair in (header("Cookie") ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].trimmingSpaces == name { return String(parts[1].trimmingSpaces) }
        }
        return nil
    }

    /// False where a browser says that another site's page sent it. A form's own secret decides where it says nothing.
    package var isFromOwnPages: Bool {
        let site = header("Sec-Fetch-Site")
        return site == nil || site == "same-origin" || site == "none"
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension TransportResponse {
    /// RFC 9110, 15.4.4: whatever the method was, the next one is a GET.
    package static func seeOther(_ url: String, _ more: [TransportHeaderField] = []) -> TransportResponse {
        TransportResponse(
            status: 303,
            headers: [
                TransportHeaderField("Location", url), TransportHeaderField("Cache-Control", "no-store"),
                TransportHeaderField("Referrer-Policy", "no-referrer"),
            ] + more)
    }

    package static func methodNotAllowed(_ methods: String) -> TransportResponse {
        TransportResponse(status: 405, headers: [TransportHeaderField("Allow", methods), TransportHeaderField("Cache-Control", "no-store")])
    }

    package static func json(
        _ body: [UInt8], status: Int = 200, cache: String = "no-store", _ more: [TransportHeaderField] = []
    ) -> TransportResponse {
        TransportResponse(
            status: status,
            headers: [
                TransportHeaderField("Content-Type", "application/json"), TransportHeaderField("Cache-Control", cache),
                TransportHeaderField("X-Content-Type-Options", "nosniff"),
            ] + more, body: body)
    }
}
