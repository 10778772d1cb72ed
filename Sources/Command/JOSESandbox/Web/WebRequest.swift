package import JOSEKeySets
internal import JOSERelyingParty
internal import JOSETokens

/// A request to the pages and endpoints of a site.
package struct WebRequest: Sendable {
    package var method: String
    /// The value of `Host`, with its port.
    package var authority: String
    /// The path, which begins with a slash, without the query.
    package var path: String
    /// The query after the question mark, not decoded.
    package var rawQuery: String
    /// The header fields that handlers use, each at most once.
    package var headers: [TransportHeaderField]
    package var body: [UInt8]
    /// The client certificate in DER, if an authority that the server trusts has issued it.
    package var clientCertificate: [UInt8]?
    /// The document at the `request_uri` of the query, if that is an address.
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

    /// The names of the fields that reach a handler.
    package static let fields = [
        "Host", "Content-Type", "Authorization", "Cookie", "Accept", "If-None-Match", "Sec-Fetch-Site",
    ]

    package var host: String { String(authority.split(separator: ":").first ?? "").lowercased() }
    package var isRead: Bool { method == "GET" || method == "HEAD" }

    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The fields of the query, or nil if it is malformed.
    package var query: FormFields? { FormFields(parsing: rawQuery.utf8) }

    /// The fields of the body, or nil if it is of another media type or malformed.
    package var form: FormFields? {
        let type = header("Content-Type")?.lowercased() ?? ""
        let essence = type.split(separator: ";").first.map { $0.split(separator: " ").joined() }
        guard method == "POST", essence == "application/x-www-form-urlencoded" else { return nil }
        return FormFields(parsing: body)
    }

    /// Returns the first cookie of the name (RFC 6265, 5.4: the most specific one comes first).
    package func cookie(_ name: String) -> String? {
        for pair in (header("Cookie") ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].trimmingSpaces == name { return String(parts[1].trimmingSpaces) }
        }
        return nil
    }

    /// Whether the request may come from the site's own pages: false if the browser reports another site in
    /// `Sec-Fetch-Site`, and true if that header is missing. The caller then relies on the secret value in the form
    /// (the CSRF token).
    package var isFromOwnPages: Bool {
        let site = header("Sec-Fetch-Site")
        return site == nil || site == "same-origin" || site == "none"
    }
}

enum WebCookie {
    /// Returns the value of `Set-Cookie` for a cookie of a site, which no script reads.
    static func text(_ name: String, _ value: String, sameSite: String = "Lax") -> String {
        "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=\(sameSite)"
    }
}

extension String {
    /// The origin of a URL: its scheme and its authority.
    var origin: String {
        split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
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
    /// Returns the page of a form that submits itself.
    static func form(_ form: BrowserForm, _ more: [TransportHeaderField] = []) -> TransportResponse {
        TransportResponse(
            status: 200,
            headers: [
                TransportHeaderField("Content-Type", "text/html; charset=utf-8"),
                TransportHeaderField("Content-Security-Policy", BrowserForm.contentSecurityPolicy),
                TransportHeaderField("Cache-Control", "no-store"),
                TransportHeaderField("Referrer-Policy", "no-referrer"),
            ] + more, body: Array(form.page.utf8))
    }

    /// Redirects with status 303, so that the next request is a GET whatever the method was (RFC 9110, 15.4.4).
    package static func seeOther(_ url: String, _ more: [TransportHeaderField] = []) -> TransportResponse {
        TransportResponse(
            status: 303,
            headers: [
                TransportHeaderField("Location", url), TransportHeaderField("Cache-Control", "no-store"),
                TransportHeaderField("Referrer-Policy", "no-referrer"),
            ] + more)
    }

    package static func methodNotAllowed(_ methods: String) -> TransportResponse {
        TransportResponse(
            status: 405,
            headers: [TransportHeaderField("Allow", methods), TransportHeaderField("Cache-Control", "no-store")])
    }

    /// Returns a response that no cache stores.
    static func content(_ body: [UInt8], type: String, status: Int = 200) -> TransportResponse {
        TransportResponse(
            status: status,
            headers: [TransportHeaderField("Content-Type", type), TransportHeaderField("Cache-Control", "no-store")],
            body: body)
    }

    static func json(
        _ claims: ClaimsBuilder, status: Int = 200, cache: String = "no-store", _ more: [TransportHeaderField] = []
    ) -> TransportResponse {
        .json(claims.json(), status: status, cache: cache, more)
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
