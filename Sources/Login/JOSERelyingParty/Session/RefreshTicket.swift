public import JOSE
internal import JOSEKeySets
internal import JOSESupport
public import JOSETokens

/// The values that a service keeps to refresh the tokens of a login. They are secret.
public struct RefreshTicket: Sendable {
    /// The refresh token, as the provider issued it.
    public let refreshToken: String
    /// The issuer and the subject of the login, which a refreshed ID token must repeat.
    public let issuer, subject: String
    /// The provider of the login, as set in ``LoginRequest/provider``; nil if the profile has only one.
    public let provider: String?
    /// The time at which the user authenticated (`auth_time`), from the ID token of the login; nil if the ID token did
    /// not contain it.
    public let authenticationTime: NumericDate?
    /// The `nonce` of the login. A refreshed ID token must have this `nonce` or none.
    public let nonce: String?

    /// Creates a ticket from values that the service stored.
    ///
    /// - Parameters:
    ///   - refreshToken: The refresh token, as the provider issued it.
    ///   - issuer: The issuer of the login.
    ///   - subject: The subject of the login.
    ///   - provider: The provider of the login; nil if the profile has only one.
    ///   - authenticationTime: The time at which the user authenticated, from the ticket of the login.
    ///   - nonce: The `nonce` of the login.
    public init(
        refreshToken: String, issuer: String, subject: String, provider: String? = nil,
        authenticationTime: NumericDate? = nil, nonce: String? = nil
    ) {
        self.refreshToken = refreshToken
        self.issuer = issuer
        self.subject = subject
        self.provider = provider
        self.authenticationTime = authenticationTime
        self.nonce = nonce
    }
}

/// The result of a refresh: the new tokens, and the ticket for the next refresh.
public struct RefreshedTokens: Sendable {
    /// The new access token, for requests to the provider's own endpoints.
    public let accessToken: String
    /// The lifetime of the access token, counted from the token response (`expires_in`); nil if the provider did not
    /// state it.
    public let expiresIn: Duration?
    /// The new ID token; nil if the provider issued none.
    public let idToken: VerifiedToken?
    /// The ticket for the next refresh, with the new refresh token if the provider issued one, and the previous one
    /// otherwise.
    public let ticket: RefreshTicket
}

extension LoggedInUser {
    /// The ticket with which ``RelyingParty/refresh(_:)`` refreshes the tokens of this login; nil if the provider
    /// issued no refresh token, or if its profile does not support refresh tokens.
    public var refreshTicket: RefreshTicket? {
        response.refreshToken.map { token in
            RefreshTicket(
                refreshToken: token, issuer: issuer, subject: subject, provider: transaction.provider,
                authenticationTime: authenticationTime, nonce: transaction.nonce)
        }
    }
}

extension RelyingParty {
    /// Exchanges a refresh token for new tokens (OpenID Connect Core, 12).
    ///
    /// An ID token in the response must belong to the login of the ticket: the issuer and the subject are equal, the
    /// audience is the client, `auth_time` is no later, and `nonce` is equal or absent.
    ///
    /// - Parameter ticket: The ticket of the login, or of its last refresh.
    /// - Returns: The new tokens, with the ticket for the next refresh.
    /// - Throws: `configurationError` if the profile does not support refresh tokens, or the error of the request or
    ///   check that failed.
    public func refresh(_ ticket: RefreshTicket) async throws(RelyingPartyError) -> RefreshedTokens {
        guard profile.session.supportsRefresh else { throw RelyingPartyError(.configurationError, in: .request) }
        let provider = try await directory.provider(ticket.provider, until: nil)
        guard isIssuer(ticket.issuer, of: provider) else { throw RelyingPartyError(.issuerMismatch, in: .request) }
        let response = try await tokens(
            [("grant_type", "refresh_token"), ("refresh_token", ticket.refreshToken)], at: provider,
            until: nil, requiresIDToken: false)
        var idToken: VerifiedToken?
        if let text = response.idToken {
            let token = try await provider.readers.idToken.verify(text, step: .idToken, until: nil)
            try check(token, ticket, response, provider)
            idToken = token
        }
        let next = RefreshTicket(
            refreshToken: response.refreshToken ?? ticket.refreshToken, issuer: ticket.issuer, subject: ticket.subject,
            provider: ticket.provider, authenticationTime: ticket.authenticationTime, nonce: ticket.nonce)
        return RefreshedTokens(
            accessToken: response.accessToken, expiresIn: response.expiresIn, idToken: idToken, ticket: next)
    }

    /// Checks a refreshed ID token (OpenID Connect Core, 12.2).
    private func check(
        _ token: VerifiedToken, _ ticket: RefreshTicket, _ response: TokenResponse, _ provider: Provider
    ) throws(RelyingPartyError) {
        let now = clock.now.secondsSince1970
        let empty = LoginTransaction(
            profile: profile.name, clientID: client.id, issuer: ticket.issuer, state: "", nonce: ticket.nonce ?? "",
            redirectURI: "", responseMode: .query, bindingHash: "", created: now)
        let login = LoginContext(
            claims: token.claims, token: token, transaction: empty, clientID: client.id, issuer: ticket.issuer,
            issuers: location.issuers?.matcher, now: now, leeway: profile.idToken.leewaySeconds, response: response,
            code: nil, isProduction: location.isProduction, deadline: nil)
        do throws(RelyingPartyError.Reason) {
            try login.check([
                .issuer, .audience(trusted: []), .authorizedParty, .expiration, .notBefore, .issuedAt,
            ])
            try login.check(IDTokenRules.always)
            if token.claims.contains("nonce") {
                guard ticket.nonce != nil else { throw .nonceMismatch }
                try login.check([.nonce])
            }
            // Without the time of the login there is none to compare `auth_time` with.
            if let before = ticket.authenticationTime, let time = try profile.idToken.authenticationTime(login),
                time > before
            {
                throw .claimUnexpected("auth_time")
            }
            try login.with(token.claims, of: token, subject: ticket.subject).checkClaim(.expectedSubject)
        } catch {
            throw RelyingPartyError(error, in: .idToken)
        }
    }
}

extension RefreshTicket: Redacted {}

extension RefreshedTokens: Redacted {}
