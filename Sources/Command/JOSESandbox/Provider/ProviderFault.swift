internal import JOSEBytes
internal import JOSEKeySets

/// What an endpoint answers that a client calls (RFC 6749, 5.2).
struct ProviderFault: Error {
    var status = 400
    let code: String
    /// For who runs the sandbox; never of the request's own text.
    let detail: String

    static func request(_ detail: String) -> Self { Self(code: "invalid_request", detail: detail) }
    static func client(_ detail: String) -> Self { Self(status: 401, code: "invalid_client", detail: detail) }
    static func grant(_ detail: String) -> Self { Self(code: "invalid_grant", detail: detail) }

    /// The text in the member that the provider has for it; MitID has none.
    func response(_ flavour: Flavour) -> TransportResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("error", code)
        switch flavour {
        case .itsmeV1, .itsmeV2, .zenKey, .openID: writer.member("error_description", detail)
        case .itsmeNow: writer.member("detail", detail)
        case .mitID: break
        }
        writer.endObject()
        // Only who tried the header is told of the header (RFC 6749, 5.2).
        let challenge = status == 401 ? [TransportHeaderField("WWW-Authenticate", "Basic realm=\"sandbox\"")] : []
        return .json(writer.bytes, status: status, challenge)
    }
}

/// What ends on the browser's way: with a page where nothing of the request can be believed, else at the client.
enum AuthorizationFault: Error {
    case page(String)
    case redirect(code: String, detail: String)
}
