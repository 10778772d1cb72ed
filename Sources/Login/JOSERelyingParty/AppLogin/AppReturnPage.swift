internal import JOSE

/// The page that a browser tab shows when a login that an app began has ended there. Its button is a link that opens
/// the app.
public struct AppReturnPage: Sendable {
    /// The texts of the page, in the language of the service.
    public struct Text: Equatable, Sendable {
        /// The language (`lang`), a tag such as `da` (BCP 47).
        let language: String
        /// The text after a login that succeeded, such as "You have logged in."
        let finished: String
        /// The text after any other end, such as "You have not logged in."
        let failed: String
        /// The text of the button.
        let button: String

        /// Creates texts.
        ///
        /// - Parameters:
        ///   - language: The language, a tag such as `da` (BCP 47).
        ///   - finished: The text after a login that succeeded.
        ///   - failed: The text after any other end.
        ///   - button: The text of the button.
        public init(language: String, finished: String, failed: String, button: String) {
            (self.language, self.finished, self.failed, self.button) = (language, finished, failed, button)
        }

        /// Texts in English.
        public static let english = Self(
            language: "en", finished: "The login has finished.", failed: "You have not logged in.",
            button: "Return to the app")
        /// Texts in Danish.
        public static let danish = Self(
            language: "da", finished: "Login er gennemført.", failed: "Du er ikke logget ind.",
            button: "Tilbage til appen")
        /// Texts in Dutch.
        public static let dutch = Self(
            language: "nl", finished: "Het inloggen is voltooid.", failed: "U bent niet ingelogd.",
            button: "Terug naar de app")
    }

    /// The link of the button.
    package let link: String
    private let text: Text
    private let message: String

    init(link: String, text: Text, hasSucceeded: Bool) {
        self.link = link
        self.text = text
        message = hasSucceeded ? text.finished : text.failed
    }

    /// Creates a page with a button alone.
    package init(link: String, text: Text) {
        self.link = link
        self.text = text
        message = ""
    }

    /// The complete HTML page, to be served with ``headers``.
    public var html: String {
        let button = BrowserForm.escaped(text.button)
        let paragraph = message.isEmpty ? "" : "<p>\(BrowserForm.escaped(message))</p>"
        let title = message.isEmpty ? button : BrowserForm.escaped(message)
        return """
            <!DOCTYPE html>
            <html lang="\(BrowserForm.escaped(text.language))"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width"><title>\(title)</title></head>
            <body>\(paragraph)<p><a id="app" href="\(BrowserForm.escaped(link))">\(button)</a></p></body></html>

            """
    }

    /// The names and values of the response's header fields. They keep the value out of caches and other sites' logs,
    /// and allow the page no script.
    public static let headers: [(name: String, value: String)] = [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
        ("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    ]
}

extension AppReturnPage: Redacted {}
