internal import JOSECrypto
internal import JOSEKeySets
internal import JOSESupport

private enum PageStyle {
    static let text = """
        :root{color-scheme:light dark;font:1.05rem/1.5 system-ui,sans-serif}
        body{max-width:44rem;margin:2rem auto;padding:0 1rem}
        button{font:inherit;padding:.5rem 1rem;margin:.25rem .5rem .25rem 0}
        fieldset{margin:1rem 0}label{display:block;padding:.2rem 0}
        select{font:inherit;max-width:100%}
        dt{font-weight:bold}dd{margin:0 0 .5rem 1rem;overflow-wrap:anywhere}
        [role=alert]{border-left:.4rem solid #b00020;padding:.2rem 1rem}
        """

    static let hash: String = {
        let style = Array(Self.text.utf8)
        return (try? Hash.sha256.digest(style.span)).map { Base64.encode($0.span) } ?? ""
    }()
}

extension TransportResponse {
    static func notFound() -> TransportResponse { .page("Not here", status: 404, "<p>Nothing is here.</p>") }

    /// Returns a page of plain HTML that needs no script and no other file.
    ///
    /// - Parameters:
    ///   - formTargets: The origins besides the page's own to which its forms may lead. Chromium checks the redirects
    ///     of a form's response against the same list.
    ///   - hasImages: Whether the page contains images, which are in its own text.
    static func page(
        _ title: String, status: Int = 200, formTargets: [String] = [], hasImages: Bool = false, _ content: Markup,
        _ more: [TransportHeaderField] = []
    ) -> TransportResponse {
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(title)</title><style>\(Markup(stringLiteral: PageStyle.text))</style></head>
            <body><main><h1>\(title)</h1>
            \(content)
            </main></body></html>

            """
        let targets = (["'self'"] + formTargets).joined(separator: " ")
        let policy =
            "default-src 'none'; style-src 'sha256-\(PageStyle.hash)'; form-action \(targets); "
            + "frame-ancestors 'none'; base-uri 'none'" + (hasImages ? "; img-src data:" : "")
        return TransportResponse(
            status: status,
            headers: [
                TransportHeaderField("Content-Type", "text/html; charset=utf-8"),
                TransportHeaderField("Cache-Control", "no-store"),
                TransportHeaderField("Referrer-Policy", "no-referrer"),
                TransportHeaderField("X-Content-Type-Options", "nosniff"),
                TransportHeaderField("Content-Security-Policy", policy),
            ] + more, body: Array(page.text.utf8))
    }
}
