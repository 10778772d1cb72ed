internal import JOSE
internal import JOSEKeySets
internal import JOSESupport

/// The response of the token endpoint (RFC 6749, 5.1; OpenID Connect Core, 3.1.3.3). Its descriptions contain nothing
/// of it.
package struct TokenResponse: Sendable {
    package let accessToken: String
    package let idToken: String?
    private(set) var refreshToken: String?
    let scope: String?
    /// The lifetime of the access token (`expires_in`); nil if the provider did not state it.
    let expiresIn: Duration?
    /// The response, for members that only one provider has.
    package let answer: JSONAnswer

    /// Reads a response. `access_token` and `token_type` are needed, and so is `id_token` after a login; a refresh may
    /// return none. No other member ends a login, whatever its value is.
    init(_ response: TransportResponse, requiresIDToken: Bool) throws(RelyingPartyError.Reason) {
        answer = try JSONAnswer(response)
        accessToken = try answer.required("access_token")
        guard try answer.required("token_type").utf8.map({ $0 | 0x20 }).elementsEqual("bearer".utf8) else {
            throw .invalidParameter("token_type")
        }
        expiresIn = answer.duration("expires_in")
        // A token that is not needed is verified all the same if there is one, which the empty string is not.
        let hasIDToken = answer.value("id_token") != nil && answer.string("id_token")?.isEmpty != true
        if requiresIDToken || hasIDToken {
            idToken = try answer.required("id_token")
        } else {
            idToken = nil
        }
        // The empty string is no token, and must not replace the one that the service has.
        refreshToken = answer.string("refresh_token").flatMap { $0.isEmpty ? nil : $0 }
        scope = answer.string("scope")
    }

    /// The response without its refresh token, for a profile that cannot use one.
    var withoutRefreshToken: TokenResponse {
        var response = self
        response.refreshToken = nil
        return response
    }
}

extension TokenResponse: Redacted {}
