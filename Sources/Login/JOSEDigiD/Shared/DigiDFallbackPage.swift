internal import JOSE
public import JOSERelyingParty
internal import JOSESupport

/// The page of the service's return URL, which a browser loads if the operating system did not open the service's app.
/// Its button opens the app by a URL scheme of its own, with the value that DigiD's app sent.
///
/// The value is neither resolved nor stored: only the app that the scheme opens sends it to the back end, which finds
/// the login by the binding of the app session.
public struct DigiDFallbackPage: Sendable {
    /// The link of the button, `<scheme>://return?app-app=<value>`.
    package let link: String
    private let text: AppReturnPage.Text

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - query: The query of the request to the return URL, without the `?`, as it was received.
    ///   - scheme: The URL scheme that the service's app has registered.
    ///   - text: The text of the button, in the language of the service.
    /// - Throws: `configurationError` for a scheme that does not consist of 3 to 31 lower-case letters, digits and
    ///   characters of `+.-` after a letter, or that belongs to others, such as `https` or DigiD's own; `tooLarge`
    ///   above 4 KiB; `missingParameter`, `duplicateParameter` and `malformed` for a query without exactly one value in
    ///   base64, which may be percent-encoded.
    public init(
        query: String, scheme: String, text: AppReturnPage.Text = .dutch
    ) throws(RelyingPartyError) {
        self.text = text
        guard Self.isAllowed(scheme) else { throw RelyingPartyError(.configurationError, in: .configuration) }
        do throws(RelyingPartyError.Reason) {
            link = "\(scheme)://return?\(AppText.parameter)=" + (try Self.value(in: query))
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
    }

    /// The complete HTML page, to be served with `AppReturnPage.headers`.
    public var page: String { AppReturnPage(link: link, text: text).html }

    private static let reserved: Set<String> = [
        "http", "https", "javascript", "data", "file", "intent", "digid-app-auth", "digid-app-wid",
    ]

    private static func isAllowed(_ scheme: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard (3...31).contains(scheme.utf8.count), let first = scheme.utf8.first, letters.contains(first) else {
            return false
        }
        let isWord = scheme.utf8.allSatisfy { byte in
            letters.contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || [UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "-")].contains(byte)
        }
        return isWord && !reserved.contains(scheme)
    }

    private static func value(in query: String) throws(RelyingPartyError.Reason) -> String {
        guard query.utf8.count <= DigiDReturn.maximumBytes else { throw .tooLarge }
        let name = AppText.parameter.description + "="
        var found: [UInt8]?
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) where pair.starts(with: name.utf8) {
            guard found == nil else { throw .duplicateParameter(AppText.parameter) }
            found = Array(pair.dropFirst(name.utf8.count))
        }
        guard let found, !found.isEmpty else { throw .missingParameter(AppText.parameter) }
        // The link contains the value as it was received, percent-encoded or not.
        guard let value = FormText.percentDecoded(found.span, plus: UInt8(ascii: "+")),
            value.allSatisfy(isBase64)
        else { throw .malformed }
        return String(decoding: found, as: UTF8.self)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}

extension DigiDFallbackPage: Redacted {}
