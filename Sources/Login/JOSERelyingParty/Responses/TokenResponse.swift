internal import JOSEBytes
internal import JOSEKeySets

/// The response of the token endpoint (RFC 6749, 5.1; OpenID Connect Core, 3.1.3.3). Its descriptions contain nothing
/// of it.
struct TokenResponse: Sendable {
    let accessToken: String
    let idToken: String?
    private(set) var refreshToken: String?
    let scope: String?
    /// The lifetime of the access token (`expires_in`).
    let expiresIn: Duration?
    /// The response, for members that only one provider has.
    let answer: JSONAnswer

    init(_ response: TransportResponse, requiresIDToken: Bool) throws(RelyingPartyError.Reason) {
        answer = try JSONAnswer(response)
        accessToken = try answer.required("access_token")
        guard try answer.required("token_type").utf8.map({ $0 | 0x20 }).elementsEqual("bearer".utf8) else {
            throw .invalidParameter("token_type")
        }
        expiresIn = try answer.duration("expires_in")
        if requiresIDToken || answer.value("id_token") != nil {
            idToken = try answer.required("id_token")
        } else {
            idToken = nil
        }
        refreshToken = answer.string("refresh_token")
        scope = answer.string("scope")
    }

    /// The response without its refresh token, for a profile that cannot use one.
    var withoutRefreshToken: TokenResponse {
        var response = self
        response.refreshToken = nil
        return response
    }
}

extension TokenResponse: CustomStringConvertible, CustomReflectable {
    var description: String { "TokenResponse" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
