import JOSE
import JOSETesting
import JOSETokens

extension Shapes {
    static let secret: JWK? = (try? SecretKey(bytes: [UInt8](repeating: 7, count: 32))).map { .symmetricKey($0) }
    static let now: NumericDate = 1_800_000_000

    static var tokens: [Shape] {
        [
            claims("members", 100) { "," + list($0) { "\"m\($0)\":0" } },
            claims("aud", 256) { ",\"aud\":[" + list($0) { "\"a\($0)\"" } + ",\"me\"]" },
            claims("amr and nested values", 128) { ",\"amr\":[" + list($0) { "[\"\($0)\",{\"a\":0}]" } + "]" },
            claims("escapes", 1024) { ",\"sub\":\"" + times($0, "\\u00e9") + "\"" },
            claims("digits of exp", 1024, isAccepted: false) { ",\"exp\":1" + times($0, "0") },
            header("members", 100) { "," + list($0) { "\"m\($0)\":0" } },
            header("crit", 8) { count in
                ",\"crit\":[" + list(count) { "\"c\($0)\"" } + "]," + list(count) { "\"c\($0)\":0" }
            }.bounded(),
            header("crit beyond the limit", 64, isAccepted: false) { count in
                ",\"crit\":[" + list(count) { "\"c\($0)\"" } + "]," + list(count) { "\"c\($0)\":0" }
            },
            header("escapes", 256) { ",\"kid\":\"" + times($0, "\\u00e9") + "\"" },
            text("dots", 1_024, isAccepted: false) { _, count in times(count, ".") },
            text("base64url", 2_048, isAccepted: false) { token, count in token + times(4 * count, "A") },
            text("base64url that ends badly", 2_048, isAccepted: false) { token, count in
                token.replacing(".", with: "." + times(4 * count, "A") + "*", maxReplacements: 1)
            },
            Shape("token.unverified claims", 100) { count in
                let claims = "{" + list(count) { "\"m\($0)\":0" } + "}"
                let token = try signed(header: #"{"alg":"HS256"}"#, claims)
                return { accepts { _ = try UnverifiedToken(token) } }
            },
            Shape("dpop.path segments", 128) { count in try uri(times(count, "/a/../b")) },
            Shape("dpop.percent escapes", 256) { count in try uri("/" + times(count, "%41%c3")) },
            Shape("dpop.query", 1_024) { count in try uri("/?" + times(count, "a=b&")) },
            Shape("authorization.white space", 512) { count in
                let field = times(count, " ") + "Bearer" + times(count, " ") + "token" + times(count, "\t")
                return { AuthorizationField(field).token != nil }
            },
            Shape("authorization.a scheme that does not end", 512, isAccepted: false) { count in
                let field = times(count, "Bearer")
                return { AuthorizationField(field).token != nil }
            },
        ]
    }

    static func signed(header: String, _ payload: String) throws -> String {
        guard let secret else { throw JOSEError.keyNotFound }
        return try Forge.signed(header: header, payload: payload, with: secret, .hs256)
    }

    /// Returns a new verifier for each token, so that none finds cached state.
    private static func verifier() throws -> TokenVerifier {
        var signature = SignaturePolicy(algorithms: [.hs256])
        signature.understoodCritical = list(32) { "c\($0)" }.split(separator: ",").map { String($0) }
        var rules = ClaimPolicy(issuer: "https://i.test", audience: "me")
        rules.clock = .fixed(now)
        return try TokenVerifier(
            .signed(signature, claims: rules), verificationKeys: secret.map { KeySet($0) } ?? .empty)
    }

    private static func token(header: String = "", claims: String = "") throws -> String {
        let own = claims.contains("\"aud\"") ? "" : ",\"aud\":\"me\""
        let expiration = claims.contains("\"exp\"") ? "" : ",\"exp\":1800000100"
        return try signed(
            header: #"{"alg":"HS256"\#(header)}"#, #"{"iss":"https://i.test"\#(own)\#(expiration)\#(claims)}"#)
    }

    private static func claims(
        _ name: String, _ count: Int, isAccepted: Bool = true, _ members: @escaping (Int) -> String
    ) -> Shape {
        Shape("claims." + name, count, isAccepted: isAccepted) { count in
            let (verifier, token) = (try verifier(), try token(claims: members(count)))
            return { accepts { _ = try verifier.verify(token) } }
        }
    }

    private static func header(
        _ name: String, _ count: Int, isAccepted: Bool = true, _ members: @escaping (Int) -> String
    ) -> Shape {
        Shape("header." + name, count, isAccepted: isAccepted) { count in
            let (verifier, token) = (try verifier(), try token(header: members(count)))
            return { accepts { _ = try verifier.verify(token) } }
        }
    }

    private static func text(
        _ name: String, _ count: Int, isAccepted: Bool, _ change: @escaping (String, Int) -> String
    ) -> Shape {
        Shape("compact." + name, count, isAccepted: isAccepted) { count in
            let (verifier, token) = (try verifier(), change(try token(), count))
            return { accepts { _ = try verifier.verify(token) } }
        }
    }

    /// Returns a closure that makes a DPoP proof, which normalizes the address of the request. The signatures are the same each
    /// time.
    private static func uri(_ rest: String) throws -> () -> Bool {
        let key = try PrivateKey.generate(.ed25519)
        let prover = try DPoPProver(key: key, algorithm: .ed25519, clock: .fixed(now))
        return { accepts { _ = try prover.proof(method: "GET", url: "https://service.test" + rest) } }
    }
}
