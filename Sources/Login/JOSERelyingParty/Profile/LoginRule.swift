internal import JOSEKeySets
internal import JOSESupport
public import JOSETokens

/// A rule for the claims of a login's tokens, as a value.
///
/// A profile lists the rules of ID tokens in the order of the provider's specification, and a login fails with the
/// reason of the first rule that is not met. The rules of OpenID Connect are those of the module `JOSETokens`; a login
/// supplies the values that they compare claims with, such as the `nonce` of the request. A rule of one provider alone
/// is created with ``init(_:)``.
public struct LoginRule: Sendable {
    private enum Kind: Sendable {
        /// Rules of the module `JOSETokens`, which are checked in their order.
        case claims([ClaimRule])
        /// A rule of one provider.
        case own(@Sendable (LoginContext) throws(RelyingPartyError.Reason) -> Void)
    }
    private let kind: Kind
    private var reason: RelyingPartyError.Reason?

    /// Creates a rule of the module `JOSETokens`, or several that are checked in their order.
    init(_ rules: ClaimRule...) { kind = .claims(rules) }

    /// Creates a rule of one provider.
    ///
    /// - Parameter check: A function that throws the reason of the error if the claims do not meet the rule.
    public init(_ check: @escaping @Sendable (LoginContext) throws(RelyingPartyError.Reason) -> Void) {
        kind = .own(check)
    }

    /// Returns a copy of the rule with another reason for a claim whose value is not accepted. A claim that is absent
    /// or of a wrong type keeps its reason, and so does a rule that ``init(_:)`` created.
    ///
    /// - Parameter reason: The reason of the error.
    public func reporting(_ reason: RelyingPartyError.Reason) -> LoginRule {
        var rule = self
        rule.reason = reason
        return rule
    }

    func check(_ login: LoginContext) throws(RelyingPartyError.Reason) {
        switch kind {
        case .claims(let rules):
            for rule in rules {
                if case .issuer(isRequired: true) = rule, let issuers = login.issuers {
                    try login.checkTenant(issuers)
                } else {
                    try login.checkClaim(rule, reporting: reason)
                }
            }
        case .own(let check): try check(login)
        }
    }
}

extension LoginRule {
    /// `iss` must equal the issuer of the provider, byte by byte. If the provider has many tenants, `iss` must be the
    /// issuer of the tenant in `tid`, the tenant must be accepted, and the key of the token must be published for that
    /// issuer.
    public static let issuer = LoginRule(.issuer(isRequired: true))

    /// Returns the rule that `aud` must be the client or contain it.
    ///
    /// - Parameter trusted: The other audiences that `aud` may contain (threat R09); nil for any.
    public static func audience(trusted: [String]?) -> LoginRule {
        LoginRule(.audience(isRequired: true, trusted: trusted))
    }

    /// `azp`, if present and not null, must be the client. With several audiences it is required (OpenID Connect Core,
    /// 3.1.3.7, steps 4 and 5).
    public static let authorizedParty = LoginRule(.authorizedParty(isRequiredForSeveral: true))

    /// `azp`, if present and not null, must be the client. It may be absent even with several audiences.
    public static let authorizedPartyIfPresent = LoginRule(.authorizedParty(isRequiredForSeveral: false))

    /// `exp` must be present and must not have passed.
    public static let expiration = LoginRule(.expiration(isRequired: true))

    /// `nbf`, if present, must not be in the future.
    public static let notBefore = LoginRule(.notBefore)

    /// `iat` must be present and not in the future.
    public static let issuedAt = LoginRule(.issuedAt(isRequired: true))

    /// `nonce` must be that of the request. The comparison takes constant time. After a login that the back end began,
    /// the claim must be absent, unless ``BackChannelRules/acceptsNonce`` is set.
    public static let nonce = LoginRule(.nonce)

    /// `acr` must be one of the requested values, if any were requested. A token without the claim has no level at all.
    public static let acr = LoginRule(.acr)

    /// `at_hash`, if present, must be the hash of the access token (OpenID Connect Core, 3.1.3.8).
    public static let accessTokenHash = LoginRule(.accessTokenHash)

    /// `c_hash`, if present, must be the hash of the authorization code (OpenID Connect Core, 3.3.2.11).
    public static let codeHash = LoginRule(.codeHash)

    /// If `max_age` was requested, `auth_time` must be present, a time, and recent enough. Otherwise it is not checked.
    public static let authenticationTime = LoginRule(.authenticationTime)

    /// `sub` must have 1 to 255 ASCII characters (OpenID Connect Core, 2), and be the expected one if the request names
    /// one.
    public static let subject = LoginRule(.subject, .expectedSubject)

    /// Returns the rule that a claim must be present, with any value.
    public static func required(_ name: ClaimName) -> LoginRule { LoginRule(.required(name)) }

    /// Returns the rule that a claim must be present and a string that is not empty.
    public static func requiredString(_ name: ClaimName) -> LoginRule { LoginRule(.requiredString(name)) }

    /// Returns the rule that a claim must be present and one of the given strings, byte by byte. Another string is
    /// reported as `claimUnexpected`.
    public static func claim(_ name: ClaimName, isOneOf accepted: [String]) -> LoginRule {
        LoginRule(.oneOf(name, accepted))
    }

    /// Returns the rule that a claim must be absent.
    public static func forbidden(_ name: ClaimName) -> LoginRule { LoginRule(.forbidden(name)) }

    /// Returns the rule that `acr` must be one of the requested values or a level of at least the same rank, if any
    /// were requested, for a provider whose levels of assurance are ordered.
    ///
    /// - Parameter rank: A function that returns the rank of a level; nil if the level is not known, which is below
    ///   every rank.
    public static func acr(rank: @escaping @Sendable (_ level: String) -> Int?) -> LoginRule {
        LoginRule { login throws(RelyingPartyError.Reason) in
            if !login.transaction.acrValues.isEmpty {
                guard try login.reaches(login.transaction.acrValues, rank) else { throw .acrTooLow }
            }
            try login.checkEssentialLevels(rank)
        }
    }
}

extension LoginContext {
    /// Checks `acr` if the parameter `claims` requires it as essential.
    package func checkEssentialLevels(_ rank: (String) -> Int?) throws(RelyingPartyError.Reason) {
        guard let essential = transaction.essentialACRs else { return }
        guard try reaches(essential, rank) else { throw .acrTooLow }
    }

    /// Returns whether `acr` is one of the levels, or of at least the rank of one of them. Any level reaches an empty
    /// list.
    func reaches(_ levels: [String], _ rank: (String) -> Int?) throws(RelyingPartyError.Reason) -> Bool {
        guard let text = try string("acr") else { return false }
        let given = rank(text) ?? Int.min
        return levels.isEmpty || levels.contains { bytesEqual($0, text) || rank($0).map { $0 <= given } == true }
    }
}
