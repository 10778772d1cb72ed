internal import JOSE
internal import JOSETokens
internal import Synchronization

/// Tokens outside of logins.
extension Provider {
    /// Returns a token with the former subject of the person, for a client of another carrier (ZenKey: signed at the
    /// porting, with `kid`, for one service).
    func portToken(_ person: Person, _ client: Registration) throws -> String {
        let claims: ClaimsBuilder = [
            "iss": .string(issuer), "sub": .string(Grant.subject(of: person, client, issuer)),
            "aud": .string(client.clientID), "iat": .integer(Int64(now)),
        ]
        return try notice(claims, type: "port_token+jwt", client)
    }

    /// Returns a logout token for all sessions of the person (OpenID Connect Back-Channel Logout 1.0, 2.4).
    package func logoutToken(_ person: Person, _ client: Registration) throws -> String {
        let claims: ClaimsBuilder = [
            "iss": .string(issuer), "sub": .string(Grant.subject(of: person, client, issuer)),
            "aud": .string(client.clientID), "iat": .integer(Int64(now)), "exp": .integer(Int64(now) + 120),
            "jti": .string(Randomness.text()),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        return try notice(claims, type: "logout+jwt", client)
    }

    private func notice(_ claims: ClaimsBuilder, type: String, _ client: Registration) throws -> String {
        let maker = TokenMaker(client: client, keys: state.withLock { $0.keys }, misbehaviour: nil)
        return try maker.token(claims, type: type)
    }
}
