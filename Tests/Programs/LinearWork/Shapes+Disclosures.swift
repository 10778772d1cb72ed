import JOSE
import JOSECrypto
import JOSESupport
import JOSETokens

extension Shapes {
    /// The shapes of SD-JWT (RFC 9901).
    static var disclosures: [Shape] {
        [
            presentation("disclosures", 32) { count in
                let texts = (0..<count).map { disclosure("\"n\($0)\",0") }
                return (try claims("\"_sd\":[\(try digests(texts))]"), texts)
            },
            presentation("disclosures in disclosures", 6) { count in
                var texts: [String] = []
                for index in 0..<count {
                    let inside = try texts.last.map { "{\"_sd\":[\(try digests([$0]))]}" } ?? "0"
                    texts.append(disclosure("\"n\(index)\",\(inside)"))
                }
                return (try claims("\"_sd\":[\(try digests(texts.suffix(1)))]"), texts)
            },
            presentation("disclosures of elements", 32) { count in
                let texts = (0..<count).map { disclosure("\($0)") }
                return (
                    try claims("\"a\":[" + texts.map { "{\"...\":\(try digests([$0]))}" }.joined(separator: ",") + "]"),
                    texts
                )
            },
            presentation("decoys", 64) { count in
                (try claims("\"_sd\":[\(try digests((0..<count).map { "\($0)" }))]"), [])
            },
            presentation("decoys of elements", 64) { count in
                let decoys = try (0..<count).map { "{\"...\":\(try digests(["\($0)"]))}" }
                return (try claims("\"a\":[\(decoys.joined(separator: ","))]"), [])
            },
            presentation("objects with digests", 32) { count in
                (try claims("\"a\":[" + list(count) { "{\"_sd\":[\"\($0)\"],\"b\":0}" } + "]"), [])
            },
            presentation("a digest that repeats", 64, isAccepted: false) { count in
                (try claims("\"_sd\":[" + list(count) { "\"\($0)\"" } + ",\"10000000\"]"), [])
            },
            presentation("disclosures without a place", 32, isAccepted: false) { count in
                (try claims("\"_sd\":[]"), (0..<count).map { disclosure("\"n\($0)\",0") })
            },
            presentation("a disclosure that repeats", 32, isAccepted: false) { count in
                let texts = (0..<count).map { disclosure("\"n\($0)\",0") }
                return (try claims("\"_sd\":[\(try digests(texts))]"), texts + texts.prefix(1))
            },
            presentation("bytes of a disclosure", 4_096) { count in
                let text = disclosure("\"n\",\"\(times(count, "x"))\"")
                return (try claims("\"_sd\":[\(try digests([text]))]"), [text])
            },
            presentation("claims beside a disclosure", 64) { count in
                let text = disclosure("\"n\",0")
                return (try claims("\"_sd\":[\(try digests([text]))]," + list(count) { "\"m\($0)\":0" }), [text])
            },
            Shape("sd-jwt.tildes", 2_048, isAccepted: false) { count in
                let text = "a" + times(count, "~")
                return { accepts { _ = try SDJWT(text) } }
            },
            Shape("sd-jwt.presenting", 32) { count in
                let texts = (0..<count).map { disclosure("\"n\($0)\",0") }
                let token = try signed(header: header, try claims("\"_sd\":[\(try digests(texts))]"))
                let held = try SDJWT(([token] + texts).map { $0 + "~" }.joined())
                return { accepts { _ = try held.presenting { _ in true } } }
            },
            Shape("sd-jwt json.disclosures", 32) { count in
                let texts = (0..<count).map { disclosure("\"n\($0)\",0") }
                let token = try signed(header: header, try claims("\"_sd\":[\(try digests(texts))]"))
                let json = try SDJWT(([token] + texts).map { $0 + "~" }.joined()).json()
                let verifier = try verifier()
                return { accepts { _ = try verifier.verify(json: json) } }
            },
        ]
    }

    private static let header = #"{"alg":"HS256","typ":"dc+sd-jwt"}"#

    private static func presentation(
        _ name: String, _ count: Int, isAccepted: Bool = true,
        _ parts: @escaping (Int) throws -> (claims: String, disclosures: [String])
    ) -> Shape {
        Shape("sd-jwt." + name, count, isAccepted: isAccepted) { count in
            let parts = try parts(count)
            let token = try signed(header: header, parts.claims)
            let text = ([token] + parts.disclosures).map { $0 + "~" }.joined()
            let verifier = try verifier()
            return { accepts { _ = try verifier.verify(text) } }
        }
    }

    private static func verifier() throws -> SDJWTVerifier {
        var signature = SignaturePolicy(algorithms: [.hs256])
        signature.type = .exactly("dc+sd-jwt")
        var rules = ClaimPolicy(issuer: "https://i.test", audience: "me")
        rules.clock = .fixed(now)
        return try SDJWTVerifier(signature, claims: rules, verificationKeys: secret.map { KeySet($0) } ?? .empty)
    }

    private static func claims(_ members: String) throws -> String {
        #"{"iss":"https://i.test","aud":"me","exp":1800000100,\#(members)}"#
    }

    private static func disclosure(_ rest: String) -> String {
        String(decoding: Base64URL.encode(Array("[\"salt\",\(rest)]".utf8).span), as: UTF8.self)
    }

    private static func digests(_ texts: [String]) throws -> String {
        let digests = try texts.map { text in
            let digest = try Hash.sha256.digest(Array(text.utf8).span)
            return "\"\(String(decoding: Base64URL.encode(digest.span), as: UTF8.self))\""
        }
        return digests.joined(separator: ",")
    }
}
