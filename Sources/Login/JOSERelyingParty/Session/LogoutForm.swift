internal import JOSEBytes
internal import JOSECrypto

/// A form that the user's browser sends to the provider's logout endpoint by POST, so that the ID token and the other parameters
/// are in no URL (OpenID Connect RP-Initiated Logout 1.0, 2).
public struct LogoutForm: Sendable {
    /// The provider's logout endpoint, which is the `action` of the form.
    public let url: String
    /// The names and values of the form's fields, for a service that makes its own page.
    public let fields: [(name: String, value: String)]

    /// An HTML page that submits the form by a script, or by its button where scripts do not run. Serve it as `text/html;
    /// charset=utf-8` with ``contentSecurityPolicy`` and `Cache-Control: no-store`, in response to a POST from a page of the
    /// service.
    public var page: String {
        var text = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Log out</title></head>
            <body><form method="post" action="\(Self.escaped(url))">

            """
        for (name, value) in fields {
            text += "<input type=\"hidden\" name=\"\(Self.escaped(name))\" value=\"\(Self.escaped(value))\">\n"
        }
        return text + "<button>Log out</button></form><script>\(Self.script)</script></body></html>\n"
    }

    /// The value of `Content-Security-Policy` for ``page``. It allows only the script of the page, and no frame around the page.
    public static let contentSecurityPolicy: String = {
        let script = Array(Self.script.utf8)
        let hash = (try? Hash.sha256.digest(script.span)).map { " 'sha256-\(Base64.encode($0.span))'" } ?? " 'none'"
        return "default-src 'none'; script-src\(hash); base-uri 'none'; frame-ancestors 'none'"
    }()

    private static let script = "document.forms[0].submit()"

    /// Escapes a text for the value of an attribute between double quotes (HTML, 13.1.2.3).
    private static func escaped(_ text: String) -> String {
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

extension LogoutForm: CustomStringConvertible, CustomReflectable {
    /// The URL of the endpoint, without the fields.
    public var description: String { "LogoutForm(\(url))" }
    /// An empty mirror: the fields contain a token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
