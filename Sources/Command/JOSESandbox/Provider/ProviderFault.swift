internal import JOSEEntra
internal import JOSEItsme
internal import JOSEKeySets
internal import JOSEMitID
internal import JOSETokens
internal import JOSEZenKey

/// An error response of an endpoint that clients call (RFC 6749, 5.2).
struct ProviderFault: Error {
    var status = 400
    let code: String
    /// The explanation for the user of the sandbox, which contains no text of the request.
    let detail: String

    static func request(_ detail: String) -> Self { Self(code: "invalid_request", detail: detail) }
    static func client(_ detail: String) -> Self { Self(status: 401, code: "invalid_client", detail: detail) }
    static func grant(_ detail: String) -> Self { Self(code: "invalid_grant", detail: detail) }

    /// Returns the response, with the explanation in the member that the provider uses for it; MitID has none.
    func response(_ flavour: Flavour) -> TransportResponse {
        var body: ClaimsBuilder = ["error": .string(code)]
        switch flavour {
        case .itsmeV1, .itsmeV2, .zenKey, .entra, .openID: body["error_description"] = .string(detail)
        case .itsmeNow: body["detail"] = .string(detail)
        case .mitID: break
        }
        // The challenge is for clients that used the header (RFC 6749, 5.2).
        let challenge = status == 401 ? [TransportHeaderField("WWW-Authenticate", "Basic realm=\"sandbox\"")] : []
        return .json(body, status: status, challenge)
    }
}

/// An error of an authorization request: a page if nothing in the request is trustworthy, otherwise a response to the
/// client.
enum AuthorizationFault: Error {
    case page(String)
    case redirect(code: String, detail: String)
}
