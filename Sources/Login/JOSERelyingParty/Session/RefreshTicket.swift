internal import JOSEKeySets
public import JOSETokens

/// What a service keeps to have a login refreshed: a secret.
public struct RefreshTicket: Sendable {
    /// As the provider gave it.
    public let refreshToken: String
    /// Whom the refreshed tokens must be about.
    public let issuer, subject: String
    /// Which of several providers.
    public let provider: String?
    /// `auth_time` of the login.
    public let authenticationTime: Double?
    /// That of the login, which a refreshed ID token may repeat.
    public let nonce: String?

    /// Out of a service's own storage.
    public init(
        refreshToken: String, issuer: String, subject: String, provider: String? = nil,
        authenticationTime: Double? = nil, nonce: String? = nil
    ) {
        self.refreshToken = refreshToken
        self.issuer = issuer
        self.subject = subject
        self.provider = provider
        self.authenticationTime = authenticationTime
        self.nonce = nonce
    }
}

/// What a refresh gave.
public struct RefreshedTokens: Sendable {
    /// For the provider's own endpoints.
    public let accessToken: String
    /// Seconds from now, where the provider said so.
    public let expiresIn: Double?
    /// Where the provider gave a new one.
    public let idToken: VerifiedToken?
    /// For the next time: with the new refresh token, where there is one.
    public let ticket: RefreshTicket
}

extension LoggedInUser {
    /// Nil where the provider gave no refresh token.
    public var refreshTicket: RefreshTicket? {
        response.refreshToken.map { token in
            RefreshTicket(
                refreshToken: token, issuer: issuer, subject: subject, provider: transaction.provider,
                authenticationTime: authenticationTime, nonce: transaction.nonce)
        }
    }
}

extension RelyingParty {
    /// New tokens for a refresh token (OpenID Connect Core, 12). A new ID token must be about the same login: same issuer, subject and
    /// audience, no later `auth_time`, no other `nonce`. Throws `configurationError` where the profile has no refresh.
    public func refresh(_ ticket: RefreshTicket) async throws(RelyingPartyError) -> RefreshedTokens {
        guard profile.logout.refreshes else { throw RelyingPartyError(.configurationError, in: .request) }
        let provider = try await directory.provider(ticket.provider)
        guard sameBytes(provider.issuer, ticket.issuer) else { throw RelyingPartyError(.issuerMismatch, in: .request) }
        let response = try await tokens(
            [("grant_type", "refresh_token"), ("refresh_token", ticket.refreshToken)], at: provider,
            requiresIDToken: false)
        var idToken: VerifiedToken?
        if let text = response.idToken {
            let token = try await provider.readers.idToken.open(text, step: .idToken, timeout: .seconds(5))
            try check(token, ticket, response, provider)
            idToken = token
        }
        let next = RefreshTicket(
            refreshToken: response.refreshToken ?? ticket.refreshToken, issuer: ticket.issuer, subject: ticket.subject,
            provider: ticket.provider, authenticationTime: ticket.authenticationTime, nonce: ticket.nonce)
        return RefreshedTokens(
            accessToken: response.accessToken, expiresIn: response.expiresIn, idToken: idToken, ticket: next)
    }

    /// OpenID Connect Core, 12.2.
    private func check(
        _ token: VerifiedToken, _ ticket: RefreshTicket, _ response: TokenResponse, _ provider: Provider
    ) throws(RelyingPartyError) {
        let empty = LoginTransaction(
            profile: profile.name, clientID: client.id, issuer: ticket.issuer, state: "", nonce: ticket.nonce ?? "",
            redirectURI: "", responseMode: .query, bindingHash: "", created: clock.seconds)
        let check = LoginCheck(
            claims: token.claims, token: token, transaction: empty, clientID: client.id, issuer: provider.issuer,
            now: clock.seconds, leeway: profile.idToken.leeway, response: response, code: nil,
            isProduction: place.isProduction)
        do throws(RelyingPartyError.Reason) {
            for claim in [
                ClaimCheck.issuer, .audience(trusted: []), .authorizedParty, .expiration, .notBefore, .issuedAt,
                .accessTokenHash,
            ] {
                try claim.run(check)
            }
            if token.claims.contains("nonce") {
                guard ticket.nonce != nil else { throw .nonceMismatch }
                try ClaimCheck.nonce.run(check)
            }
            if let time = try profile.idToken.authenticationTime(check), time > ticket.authenticationTime ?? time {
                throw .claimUnexpected("auth_time")
            }
            guard let subject = token.claims.subject else { throw .claimMissing("sub") }
            guard sameBytes(subject, ticket.subject) else { throw .subjectMismatch }
        } catch {
            throw RelyingPartyError(error, in: .idToken)
        }
    }
}

extension RefreshTicket: CustomStringConvertible, CustomReflectable {
    public var description: String { "RefreshTicket" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RefreshedTokens: CustomStringConvertible, CustomReflectable {
    public var description: String { "RefreshedTokens" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
