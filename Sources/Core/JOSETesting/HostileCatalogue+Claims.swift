internal import JOSE
internal import JOSETokens

extension HostileCatalogue {
    /// Adds tokens with invalid claims and valid layers.
    mutating func addClaims() throws(JOSEError) {
        try addTimes()
        let audience = issuer.audience
        let characters = audience.map { "\"\($0)\"" }.joined(separator: ",")
        for (name, value) in [
            ("a list of nothing", "[]"), ("a number", "1"), ("null", "null"), ("an object", #"{"\#(audience)":true}"#),
            ("a list in a list", #"[["\#(audience)"]]"#), ("a list with a number", #"["\#(audience)",1]"#),
            ("a longer text", #""\#(audience).attacker.test""#), ("a shorter text", #""\#(audience.dropLast())""#),
            ("a list of characters", "[\(characters)]"), ("in upper case", #""\#(audience.uppercased())""#),
            ("with a NUL", #""\#(audience)\u0000""#), ("somebody else's", #"["x.test","y.test"]"#),
        ] { try addClaims("T54", "aud: \(name)", replacing("aud", value), .audienceMismatch) }
        try addClaims("T54", "aud left out", replacing("aud", nil), .audienceMismatch)

        let name = issuer.issuer
        for (fault, value) in [
            ("a list", #"["\#(name)"]"#), ("null", "null"), ("with a slash", #""\#(name)/""#),
            ("with a port", #""\#(name):443""#), ("in upper case", #""\#(name.uppercased())""#),
            ("a shorter text", #""\#(name.dropLast())""#), ("a longer text", #""\#(name).attacker.test""#),
            ("with user information", #""\#(name.replacing("://", with: "://a@"))""#),
            ("with a NUL", #""\#(name)\u0000""#),
            ("empty", #""""#),
        ] where value != "\"\(name)\"" {
            try addClaims("T55", "iss: \(fault)", replacing("iss", value), .issuerMismatch)
        }
        try addClaims("T55", "iss left out", replacing("iss", nil), .issuerMismatch)
    }

    private mutating func addTimes() throws(JOSEError) {
        for claim in ["exp", "nbf", "iat"] {
            for value in ["\"1700000300\"", "true", "null", "[1700000300]", "{}", "\"\""] {
                try addClaims("T51", "\(claim): \(value)", replacing(claim, value), .claimInvalid)
            }
            for value in ["1e19", "9223372036854775808", "18446744073709551616", "-1e30", "9007199254740994"] {
                try addClaims("T52", "\(claim): \(value)", replacing(claim, value), .claimInvalid)
            }
        }
        let now = Int64(exactly: issuer.clock.now.secondsSince1970.rounded()) ?? 0
        let leeway = Int64(issuer.policy.claims.leewaySeconds.rounded())
        try addClaims("T53", "exp passed this second", replacing("exp", "\(now - leeway)"), .expired)
        try addClaims("T53", "expired long ago", replacing("exp", "1"), .expired)
        try addClaims("T52", "nbf a thousandth ahead", replacing("nbf", "\(now + leeway).001"), .notYetValid)
        try addClaims("T52", "iat a year ahead", replacing("iat", "\(now + 31_536_000)"), .issuedInFuture)
        if issuer.policy.claims.requiresExpiration {
            try addClaims("T51", "exp left out", replacing("exp", nil), .claimMissing)
        }
    }

    /// Returns the valid claims with one of them replaced, or omitted if `value` is nil.
    private func replacing(_ name: String, _ value: String?) -> String {
        var members = issuer.members(without: name)
        if let value { members.append((name, value)) }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}
