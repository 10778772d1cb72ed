import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Claims by path") struct ClaimPathTests {
    private static let text = #"""
        {"iss":"i","exp":4000000000,"address":{"country":"BE","verified":true,"since":1700000000.5,"floor":3,
        "lines":["a","b"],"geo":{"lat":50.8},"":"empty","none":null},"amr":["pwd",{"type":"otp"},7],"é":{"é":1}}
        """#

    private func claims() throws -> Claims {
        let key = try SecretKey(bytes: Array(0..<32))
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.hs256]),
            claims: ClaimPolicy(issuer: "i", audience: .anyAudienceUnchecked))
        let token = try JWSSigner(key: key, algorithm: .hs256).sign(Self.text)
        return try TokenVerifier(policy, verificationKeys: KeySet(key)).verify(token).claims
    }

    @Test("a value inside a claim is read by names of members and indexes of elements") func values() throws {
        let claims = try claims()
        #expect(claims.string(at: ["address", "country"]) == "BE" && claims.string(at: ["iss"]) == "i")
        #expect(claims.bool(at: ["address", "verified"]) == true && claims.integer(at: ["address", "floor"]) == 3)
        #expect(claims.date(at: ["address", "since"]) == NumericDate(secondsSince1970: 1_700_000_000.5))
        #expect(claims.number(at: ["address", "geo", "lat"]) == 50.8)
        #expect(claims.strings(at: ["address", "lines"]) == ["a", "b"])
        #expect(claims.strings(at: ["address", "country"]) == ["BE"])
        #expect(claims.string(at: ["address", "lines", 1]) == "b" && claims.string(at: ["amr", 0]) == "pwd")
        #expect(claims.string(at: ["amr", 1, "type"]) == "otp" && claims.integer(at: ["amr", 2]) == 7)
        #expect(claims.json(at: ["amr", 1]) == Array(#"{"type":"otp"}"#.utf8))
        #expect(claims.string(at: ["address", ""]) == "empty" && claims.contains(at: ["address", "none"]))
        #expect(claims.string(at: ClaimPath([.name("address"), .name("country")])) == "BE")
    }

    @Test("a path to no value, or a value of another type, is nil") func nothing() throws {
        let claims = try claims()
        for path in [
            [], [0], ["absent"], ["address", "absent"], ["address", 0], ["amr", 3], ["amr", -1], ["amr", "0"],
            ["iss", "x"], ["address", "country", 0], ["Address", "country"], ["amr", 0, 0],
        ] as [ClaimPath] {
            #expect(!claims.contains(at: path) && claims.json(at: path) == nil, "\(path.steps)")
            #expect(claims.string(at: path) == nil && claims.strings(at: path) == nil, "\(path.steps)")
        }
        #expect(claims.string(at: ["address", "floor"]) == nil && claims.integer(at: ["address", "country"]) == nil)
        #expect(claims.number(at: ["amr", 0]) == nil && claims.bool(at: ["address", "floor"]) == nil)
        #expect(claims.date(at: ["address", "country"]) == nil && claims.strings(at: ["amr"]) == nil)
    }

    @Test("X01: a path compares names byte by byte") func names() throws {
        let claims = try claims()
        #expect(claims.integer(at: ["\u{E9}", "\u{E9}"]) == 1)
        #expect(claims.integer(at: ["e\u{301}", "\u{E9}"]) == nil)
        #expect(claims.integer(at: ["\u{E9}", "e\u{301}"]) == nil)
    }
}
