internal import JOSE
internal import JOSECrypto
internal import JOSESupport

/// A form that the user's browser sends to an endpoint of the provider by POST, so that no URL contains the ID token or
/// the other parameters (OpenID Connect RP-Initiated Logout 1.0, 2; SAML 2.0 Bindings, 3.5).
public struct BrowserForm: Sendable {
    /// The provider's endpoint, which is the `action` of the form.
    public let url: String
    /// The names and values of the form's fields, for a service that renders a page of its own in place of ``page``.
    public let fields: [(name: String, value: String)]

    /// The title of ``page`` and the text of its button.
    private let title: String

    package init(url: String, fields: [(name: String, value: String)], title: String) {
        self.url = url
        self.fields = fields
        self.title = title
    }

    /// A complete HTML page that submits the form by a script, or by a button if scripts are disabled. Serve it as
    /// `text/html; charset=utf-8` with ``contentSecurityPolicy`` and `Cache-Control: no-store`, in response to a POST
    /// request from one of the service's own pages.
    public var page: String {
        var text = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(Self.escaped(title))</title></head>
            <body><form method="post" action="\(Self.escaped(url))">

            """
        for (name, value) in fields {
            text += "<input type=\"hidden\" name=\"\(Self.escaped(name))\" value=\"\(Self.escaped(value))\">\n"
        }
        return text + "<button>\(Self.escaped(title))</button></form><script>\(Self.script)</script></body></html>\n"
    }

    /// The value of the `Content-Security-Policy` header for ``page``. It allows only the page's own script, and
    /// forbids other pages to embed the page in a frame.
    public static let contentSecurityPolicy: String = {
        let script = Array(Self.script.utf8)
        let hash = (try? Hash.sha256.digest(script.span)).map { " 'sha256-\(Base64.encode($0.span))'" } ?? " 'none'"
        return "default-src 'none'; script-src\(hash); base-uri 'none'; frame-ancestors 'none'"
    }()

    private static let script = "document.forms[0].submit()"

    /// Escapes a text for the value of an attribute between double quotes (HTML, 13.1.2.3).
    static func escaped(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += Array("&amp;".utf8)
            case UInt8(ascii: "\""): escaped += Array("&quot;".utf8)
            case UInt8(ascii: "<"): escaped += Array("&lt;".utf8)
            case UInt8(ascii: ">"): escaped += Array("&gt;".utf8)
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

extension BrowserForm: Redacted {}
