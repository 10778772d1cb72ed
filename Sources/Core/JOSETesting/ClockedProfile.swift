internal import JOSE
internal import JOSESupport
internal import JOSETokens

/// A profile whose policy has the clock of a test.
struct ClockedProfile: TokenProfile {
    let base: any TokenProfile
    let policy: TokenPolicy
    var usesReplayStore = true
    var replayStore: (any ReplayStore)? { usesReplayStore ? base.replayStore : nil }
    func check(_ token: VerifiedToken) throws(TokenError) { try base.check(token) }
}

extension TokenPolicy {
    /// Returns the policy with another clock.
    func withClock(_ clock: WallClock) -> TokenPolicy {
        var claims = claims
        claims.clock = clock
        return with(claims)
    }
}

extension ClaimValue {
    /// The value of a string.
    var text: String? { if case .string(let text) = self { text } else { nil } }
}

extension ClaimPolicy {
    /// A lifetime of tokens that the policy accepts, in seconds: five minutes, if it allows that.
    var sampleLifetime: Int64 {
        Int64(
            min(max(300, 2 * (minimumRemainingLifetimeSeconds ?? 0)), maximumLifetimeSeconds ?? .infinity, 315_360_000))
    }
}

extension ClaimsBuilder {
    /// Returns the claims with those of another builder whose names are absent.
    func adding(_ others: ClaimsBuilder) -> ClaimsBuilder {
        var claims = self
        for (name, value) in others.object where claims[name] == nil { claims[name] = value }
        return claims
    }

    /// The names and JSON texts of the claims.
    var members: [(String, String)] {
        object.map { name, value in
            var writer = JSONWriter()
            value.write(to: &writer)
            return (name, String(decoding: writer.bytes, as: UTF8.self))
        }
    }
}
