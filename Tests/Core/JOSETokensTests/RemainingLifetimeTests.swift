import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("The least remaining lifetime") struct RemainingLifetimeTests {
    private static let now = 1_700_000_000.0
    private let key: SecretKey

    init() throws { key = try SecretKey(bytes: Array(0..<32)) }

    private func policy(_ change: (inout ClaimPolicy) -> Void) -> TokenPolicy {
        var claims = ClaimPolicy(issuer: "i", audience: .anyAudienceUnchecked)
        claims.clock = .fixed(NumericDate(secondsSince1970: Self.now))
        change(&claims)
        return .signed(SignaturePolicy(algorithms: [.hs256]), claims: claims)
    }

    private func error(_ json: String, _ change: (inout ClaimPolicy) -> Void) throws -> TokenError? {
        let token = try JWSSigner(key: key, algorithm: .hs256).sign(json)
        let verifier = try TokenVerifier(policy(change), verificationKeys: KeySet(key))
        do throws(TokenError) {
            _ = try verifier.verify(token)
            return nil
        } catch {
            return error
        }
    }

    @Test("a token with less than the least remaining lifetime is rejected, whatever the leeway (RFC 7519, 4.1.4)")
    func bound() throws {
        for leeway in [0, 60, 300] {
            for (exp, least, expected) in [
                ("1700000030", 30, nil), ("1700000029.999", 30, TokenError.claim(.expiresTooSoon)),
                ("1700000000", 0, leeway == 0 ? .claim(.expired) : nil), ("1700000001", 0, nil),
                ("1699999000", 30, .claim(.expired)), ("1700003600", 3600, nil),
                ("1700003599", 3600, .claim(.expiresTooSoon)), ("1700000029", nil, nil),
            ] as [(String, Int?, TokenError?)] {
                let found = try error(#"{"iss":"i","exp":\#(exp)}"#) {
                    $0.leeway = .seconds(leeway)
                    $0.minimumRemainingLifetime = least.map { .seconds($0) }
                }
                #expect(found == expected, "\(exp) \(leeway)")
            }
        }
        #expect(
            try error(#"{"iss":"i"}"#) { ($0.requiresExpiration, $0.minimumRemainingLifetime) = (false, .seconds(1)) }
                == .claim(.missing("exp")))
        #expect(try error(#"{"iss":"i"}"#) { $0.requiresExpiration = false } == nil)
    }

    @Test("an issuer of the same policy issues no token that its verifiers would reject") func issuing() throws {
        let policy = policy { $0.minimumRemainingLifetime = .seconds(120) }
        #expect(throws: Never.self) {
            try TokenIssuer(policy, signingKey: .symmetricKey(key), lifetime: .seconds(120)).issue()
        }
        #expect(throws: TokenError.claim(.expiresTooSoon)) {
            try TokenIssuer(policy, signingKey: .symmetricKey(key), lifetime: .seconds(119)).issue()
        }
    }

    @Test("a policy is invalid if the least remaining lifetime is negative, or longer than the longest lifetime")
    func policies() throws {
        for (least, most, fault) in [
            (60, 600, nil), (660, 600, nil), (661, 600, PolicyFault.contradiction), (-1, 600, .duration),
            (60, nil, nil),
        ] as [(Int, Int?, PolicyFault?)] {
            let policy = policy {
                $0.minimumRemainingLifetime = .seconds(least)
                $0.maximumLifetime = most.map { .seconds($0) }
            }
            let error = fault.map { TokenError.policyInvalid($0) }
            #expect(created(policy) == error, "\(least)")
        }
        let claims = policy { $0.minimumRemainingLifetime = .seconds(90) }.claims
        #expect(claims.minimumRemainingLifetime == .seconds(90))
        #expect("\(claims)".contains("minimumRemainingLifetime"))
    }

    private func created(_ policy: TokenPolicy) -> TokenError? {
        do throws(TokenError) {
            _ = try TokenVerifier(policy, verificationKeys: KeySet(key))
            return nil
        } catch {
            return error
        }
    }
}
