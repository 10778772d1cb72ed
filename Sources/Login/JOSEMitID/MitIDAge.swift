internal import JOSE
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// The age of a user, or whether the user has reached certain ages, as an identity provider stated it for one request.
/// It identifies nobody: an age alone is no login.
public struct MitIDAge: Equatable, Sendable {
    /// The age in years, if the scope `age` was requested; nil otherwise.
    public let years: Int?
    /// Whether the user has reached each of the requested ages, in years.
    public let reached: [Int: Bool]

    /// Returns whether the user has reached an age.
    ///
    /// - Parameter age: The age in years.
    /// - Returns: The answer; nil if neither this age nor the number of years was requested.
    public func hasReached(_ age: Int) -> Bool? { reached[age] ?? years.map { $0 >= age } }

    /// The scope of a request whose response identifies nobody.
    static let minimalScope = "minimal"
    /// The scope that requests the age in years.
    static let scope = "age"

    /// Returns whether a request is for an age alone, for which the broker requires no level of assurance by default.
    static func isAlone(_ scopes: [String]) -> Bool {
        guard scopes.count == 3, scopes.contains("openid"), scopes.contains(minimalScope) else { return false }
        return isRequested(scopes)
    }

    /// Returns whether MitID's scopes contain one for an age.
    static func isRequested(_ scopes: [String]) -> Bool { scopes.contains { isScope($0) } }

    private static func isScope(_ scope: String) -> Bool {
        bytesEqual(scope, Self.scope) || MitIDProvider.mitID.rules.age(of: scope) != nil
    }

    /// Checks that a request has at most one of MitID's scopes for an age, because the response has one answer.
    static func check(_ scopes: [String]) throws(RelyingPartyError.Reason) {
        guard scopes.count(where: { isScope($0) }) <= 1 else { throw .invalidParameter("scope") }
    }
}

extension MitIDAge {
    /// Reads the age that MitID stated; nil if the request has no scope for one.
    ///
    /// - Parameters:
    ///   - scopes: The scopes of the request.
    ///   - idToken: The claims of the ID token.
    ///   - userInfo: The claims of the userinfo response.
    /// - Throws: `claimUnexpected` with the name `age` for the answer to another question than the requested one, and
    ///   for two answers that differ; `claimMissing` and `claimType`.
    init?(ofMitID scopes: [String], idToken: Claims, userInfo: Claims?) throws(RelyingPartyError.Reason) {
        if let age = scopes.compactMap({ MitIDProvider.mitID.rules.age(of: $0) }).first {
            let answer = try Self.verified(age, idToken)
            if let userInfo, let repeated = try MitIDTexts(userInfo).bool(ClaimName("idbrokerdk_age_verify_\(age)")) {
                guard repeated == answer else { throw .claimUnexpected("age") }
            }
            self.init(years: nil, reached: [age: answer])
            return
        }
        guard scopes.contains(Self.scope) else { return nil }
        let name: ClaimName = "idbrokerdk_age"
        var years: Int?
        for claims in [idToken, userInfo].compactMap({ $0 }) {
            guard let number = try MitIDTexts(claims).integer(name).map({ Int($0) }) else { continue }
            guard years == nil || years == number else { throw .claimUnexpected("age") }
            years = number
        }
        guard let years else { throw .claimMissing(name) }
        self.init(years: years, reached: [:])
    }

    /// Reads `idbrokerdk_age_verified`: the requested age, a colon, and the answer.
    private static func verified(_ age: Int, _ claims: Claims) throws(RelyingPartyError.Reason) -> Bool {
        let name: ClaimName = "idbrokerdk_age_verified"
        guard let text = try MitIDTexts(claims).text(name) else { throw .claimMissing(name) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let answer = MitIDClaims.bool(String(parts[1])), digits(String(parts[0])) != nil else {
            throw .claimType(name)
        }
        // The answer for a lower age says nothing about the requested one.
        guard bytesEqual(String(parts[0]), String(age)) else { throw .claimUnexpected("age") }
        return answer
    }

    /// Reads the answers of AltID to the ages that the request named, each under one or both of its two names.
    ///
    /// - Parameters:
    ///   - scopes: The scopes of the request.
    ///   - claims: The claims of the ID token.
    /// - Throws: `claimMissing` for an age without an answer, `claimUnexpected` for two answers that differ, and
    ///   `claimType`.
    init(ofAltID scopes: [String], _ claims: Claims) throws(RelyingPartyError.Reason) {
        var reached: [Int: Bool] = [:]
        for age in scopes.compactMap({ MitIDProvider.altIDAge.rules.age(of: $0) }) {
            let name = ClaimName("age_over_\(age)")
            let first = try MitIDClaims.bool(name, claims)
            let second = try MitIDClaims.bool(ClaimName("age_over:\(age)"), claims)
            if let first, let second, first != second { throw .claimUnexpected(name) }
            guard let answer = first ?? second else { throw .claimMissing(name) }
            reached[age] = answer
        }
        self.init(years: nil, reached: reached)
    }
}

extension MitIDAge: Redacted {}
