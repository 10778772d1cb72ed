// Sample: a whole test file
import Foundation
import JOSETesting
import JOSETokens
import Testing

/// The code under test, which a service has in a module of its own: what accepts the tokens of its routes.
struct OrderAccess {
    let verifier: TokenVerifier

    init(keys: any KeySource, clock: WallClock = .system) throws(TokenError) {
        verifier = try TokenVerifier(Self.policy(clock: clock), verificationKeys: keys)
    }

    static func policy(clock: WallClock = .system) -> TokenPolicy {
        var claims = ClaimPolicy(issuer: "https://id.example.com", audience: "shop")
        claims.required = ["scope"]
        claims.clock = clock
        return .signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
    }

    func accepts(_ token: String) -> Bool { (try? verifier.verify(token)) != nil }
}

@Suite("Access to orders") struct OrderAccessTests {
    @Test("a token is accepted until it expires") func expiration() throws {
        let issuer = try TestIssuer(OrderAccess.policy(), claims: ["scope": "orders:read"])
        let access = try OrderAccess(keys: issuer.verificationKeys, clock: issuer.clock.wallClock)
        let token = try issuer.issue(["sub": "u-1"])
        #expect(access.accepts(token))
        issuer.clock.advance(by: .seconds(3_600))
        #expect(!access.accepts(token))
    }

    @Test("every hostile token is rejected") func hostileTokens() throws {
        let issuer = try TestIssuer(OrderAccess.policy(), claims: ["scope": "orders:read"])
        let access = try OrderAccess(keys: issuer.verificationKeys, clock: issuer.clock.wallClock)
        #expect(access.accepts(try issuer.issue(["sub": "u-1"])))
        for hostile in try issuer.hostileTokens() { #expect(!access.accepts(hostile.text), "\(hostile)") }
    }

    @Test("code without a clock of its own gets tokens of today") func today() throws {
        let clock = TestClock(NumericDate(Date()))
        let issuer = try TestIssuer(OrderAccess.policy(), claims: ["scope": "orders:read"], clock: clock)
        let access = try OrderAccess(keys: issuer.verificationKeys)
        #expect(access.accepts(try issuer.issue(["sub": "u-1"])))
    }
}
// Sample: end

extension OrderAccessTests {
    @Test("the clock of a test issuer shows 2023 unless the test gives one") func standingClock() throws {
        let issuer = try TestIssuer(OrderAccess.policy(), claims: ["scope": "orders:read"])
        let access = try OrderAccess(keys: issuer.verificationKeys)
        #expect(throws: TokenError.claim(.expired)) { try access.verifier.verify(issuer.issue()) }
        let standing = try OrderAccess(keys: issuer.verificationKeys, clock: issuer.clock.wallClock)
        #expect(standing.accepts(try issuer.issue()))
        #expect(try issuer.hostileTokens().count > 100)
    }
}
