public import JOSE
internal import JOSESupport
public import JOSETokens

/// The claims of a token of a login, with the values of the login that a ``LoginRule`` compares them with.
public struct LoginContext: Sendable {
    package let evaluation: ClaimEvaluation
    /// The token; nil for userinfo that is plain JSON.
    let token: VerifiedToken?
    package let transaction: LoginTransaction
    /// The identifier of the client (`client_id`).
    public let clientID: String
    /// The issuer of the provider with which the login began; for a provider with many tenants, the issuer that the ID
    /// token names.
    public let issuer: String
    /// The issuers of all tenants, for a provider with many; nil if there is one issuer.
    let issuers: IssuerMatcher?
    /// The time of the relying party's clock, in seconds since 1970.
    package let seconds: Double
    /// The seconds by which clocks may differ.
    package let leewaySeconds: Double
    package let response: TokenResponse?
    /// The code that was exchanged.
    let code: String?
    /// Whether the login is with the provider's production environment.
    public let isProduction: Bool
    /// The deadline of the call that completes the login; nil for a call that has none.
    package let deadline: CallDeadline?

    init(
        claims: Claims, token: VerifiedToken?, transaction: LoginTransaction, clientID: String, issuer: String,
        issuers: IssuerMatcher? = nil, now: Double, leeway: Double, response: TokenResponse?, code: String?,
        isProduction: Bool, deadline: CallDeadline?
    ) {
        var policy = ClaimPolicy(issuer: issuer, audience: clientID)
        policy.leewaySeconds = leeway
        policy.authorizedParty = clientID
        policy.subject = transaction.expectedSubject
        // An authentication request from the back end has no nonce.
        policy.nonce = transaction.backChannel == nil ? transaction.nonce : nil
        policy.maximumAuthenticationAgeSeconds = transaction.maximumAge
        (policy.accessToken, policy.code) = (response?.accessToken, code)
        // A token without `acr` has no level at all (threat R20).
        if !transaction.acrValues.isEmpty { policy.acceptedACR = transaction.acrValues }
        if let essential = transaction.essentialACRs {
            if essential.isEmpty { policy.required = ["acr"] } else { policy.acceptedValues["acr"] = essential }
        }
        evaluation = ClaimEvaluation(claims, under: policy, algorithm: token?.algorithm, now: now)
        self.token = token
        self.transaction = transaction
        self.clientID = clientID
        self.issuer = issuer
        self.issuers = issuers
        seconds = now
        leewaySeconds = leeway
        self.response = response
        self.code = code
        self.isProduction = isProduction
        self.deadline = deadline
    }

    /// Returns the same login with the claims of another of its tokens.
    ///
    /// - Parameters:
    ///   - claims: The claims, whose issuer is authenticated by the signature or by the connection.
    ///   - token: The token; nil for userinfo that is plain JSON.
    ///   - now: The current time, in seconds since 1970; nil for that of this context.
    ///   - subject: The subject that the token must have; nil for that of this context.
    package func with(
        _ claims: Claims, of token: VerifiedToken?, now: Double? = nil, subject: String? = nil
    ) -> LoginContext {
        var transaction = transaction
        if let subject { transaction.expectedSubject = subject }
        return LoginContext(
            claims: claims, token: token, transaction: transaction, clientID: clientID, issuer: issuer,
            issuers: issuers, now: now ?? seconds, leeway: leewaySeconds, response: response, code: code,
            isProduction: isProduction, deadline: deadline)
    }

    /// Checks rules in their order.
    package func check(_ rules: [LoginRule]) throws(RelyingPartyError.Reason) {
        for rule in rules { try rule.check(self) }
    }

    /// Checks a rule of the module `JOSETokens`. A value that is not accepted is reported with `reason`, if it is not
    /// nil.
    package func checkClaim(
        _ rule: ClaimRule, reporting reason: RelyingPartyError.Reason? = nil
    ) throws(RelyingPartyError.Reason) {
        do throws(ClaimFault) { try evaluation.check(rule) } catch {
            switch error.kind {
            case .absent, .malformed, .empty: throw RelyingPartyError.Reason(error)
            default: throw reason ?? RelyingPartyError.Reason(error)
            }
        }
    }

    /// Checks that the token is of a tenant and of the issuer of the login, then that the key which verified it may
    /// verify tokens of that tenant, and then that the tenant is accepted.
    func checkTenant(_ issuers: IssuerMatcher) throws(RelyingPartyError.Reason) {
        try checkClaim(.issuerTemplate(issuers))
        try checkClaim(.issuer(isRequired: true))
        guard issuers.allows(token?.key, toVerify: issuer.utf8.span) else { throw .keyUnsuitable }
        try checkClaim(.acceptedTenant(issuers))
    }

    /// Returns a claim that must be a time where it is present, in seconds since 1970; nil if it is absent.
    package func time(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Double? {
        do throws(ClaimFault) { return try evaluation.time(name) } catch { throw RelyingPartyError.Reason(error) }
    }

    /// Returns a required claim that is a time, in seconds since 1970.
    package func requiredTime(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Double {
        guard let time = try time(name) else { throw .claimMissing(name) }
        return time
    }
}

extension LoginContext {
    /// The claims. Their issuer is authenticated by the signature of the token or, for userinfo that is plain JSON, by
    /// the connection.
    public var claims: Claims { evaluation.claims }
    /// The time of the relying party's clock.
    public var now: NumericDate { NumericDate(secondsSince1970: seconds) }
    /// The time by which clocks may differ.
    public var leeway: Duration { Duration(saturatingSeconds: leewaySeconds) }
    /// The scopes of the request.
    public var scopes: [String] { transaction.scopes }
    /// The requested levels of assurance (`acr_values`), the preferred one first.
    public var acrValues: [String] { transaction.acrValues }
    /// The requested longest time since the user last authenticated (`max_age`).
    public var maximumAge: Duration? { transaction.maximumAge.map { Duration(saturatingSeconds: $0) } }
    /// The values of ``LoginRequest/notes``, as the request had them.
    public var notes: [String: String] { transaction.notes }

    /// Returns a claim that must be a string where it is present.
    ///
    /// - Parameter name: The name of the claim.
    /// - Returns: The string; nil if the claim is absent.
    /// - Throws: `claimType` for a value of another type.
    public func string(_ name: ClaimName) throws(RelyingPartyError.Reason) -> String? {
        do throws(ClaimFault) { return try evaluation.string(name) } catch { throw RelyingPartyError.Reason(error) }
    }

    /// Returns a claim that must be a point in time where it is present: a number of seconds since 1970 that is not
    /// negative.
    ///
    /// - Parameter name: The name of the claim.
    /// - Returns: The point in time; nil if the claim is absent.
    /// - Throws: `claimType` for any other value.
    public func date(_ name: ClaimName) throws(RelyingPartyError.Reason) -> NumericDate? {
        try time(name).map { NumericDate(secondsSince1970: $0) }
    }
}

extension LoginContext: Redacted {}
