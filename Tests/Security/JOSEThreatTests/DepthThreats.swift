import JOSE
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@Suite("Threats: depth") struct DepthThreats {
    private static func deep(_ depth: Int, _ open: String, _ close: String) -> String {
        String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
    }

    /// Nested lists, objects, both, and unterminated ones.
    private static func members(_ depth: Int) -> [String] {
        [
            deep(depth, "[", "]"), deep(depth, #"{"a":"#, "}"), deep(depth / 2, #"[{"a":"#, "}]"), deep(depth, "[", ""),
            deep(depth, #"{"a":["#, ""),
        ]
    }

    private static func result(claims text: String, _ limits: ParsingLimits) throws -> Refusal? {
        var policy = SignaturePolicy(algorithms: [.hs256])
        policy.limits = limits
        var rules = ClaimPolicy(issuer: "https://i.test", audience: "me")
        rules.clock = .fixed(Now.date)
        let verifier = try TokenVerifier(.signed(policy, claims: rules), verificationKeys: KeySet(Keys.secret))
        let token = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: text, with: Keys.secret, .hs256)
        return verdict { () throws(TokenError) in
            let claims = try verifier.verify(token).claims
            _ = claims.json("x")
            _ = claims.strings("x")
        }
    }

    private static func result(header text: String, _ limits: ParsingLimits) throws -> Refusal? {
        var policy = SignaturePolicy(algorithms: [.hs256])
        policy.limits = limits
        let verifier = try JWSVerifier(keys: KeySet(Keys.secret), policy: policy)
        let token = try Forge.signed(header: text, payload: "x", with: Keys.secret, .hs256)
        return verdict { () throws(JOSEError) in _ = try verifier.verify(token).header.json("x") }
    }

    @Test("T35 JSON nested over the limit is rejected, on a stack of any size (RFC 8259, 9)")
    func depth() throws {
        _ = (Keys.secret, Keys.p256)
        let faults = Mutex<[String]>([])
        // Stack frames of debug builds are large. The test shows that the depth of the text does not determine that of the stack.
        onSmallStack(kilobytes: 512) {
            do {
                var limits = ParsingLimits.standard
                limits.tokenBytes = 16 << 20
                limits.plaintextBytes = 16 << 20
                limits.headerBytes = 16 << 20
                for depth in [40, 1_000, 100_000] {
                    for member in Self.members(depth) {
                        let text = String(claims().dropLast()) + #","x":\#(member)}"#
                        let header = #"{"alg":"HS256","x":\#(member)}"#
                        let key = #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw","x":\#(member)}"#
                        let results = [
                            try Self.result(claims: text, limits), try Self.result(header: header, limits),
                            verdict { () throws(JOSEError) in try JWK(parsing: key) },
                            verdict { () throws(JOSEError) in try KeySet(parsing: #"{"keys":[\#(key)]}"#) },
                            verdict { () throws(JOSEError) in try KeySet(parsing: #"{"keys":\#(member)}"#) },
                        ]
                        if results != Array(repeating: .malformed, count: 5) {
                            faults.withLock { $0.append("\(member.prefix(6)) \(depth): \(results)") }
                        }
                    }
                }
            } catch { faults.withLock { $0.append("\(error)") } }
        }
        #expect(faults.withLock { $0 } == [])
        // There are 32 levels, of which the claims are the first.
        for (depth, wanted) in [(31, accepted), (32, .malformed)] {
            for member in Self.members(depth).prefix(2) {
                #expect(try outcome(ofClaims: claims().dropLast() + #","x":\#(member)}"#) == wanted, "\(member)")
            }
        }
    }

    private struct Wanted: Decodable {
        indirect enum Tree: Decodable {
            case leaf(Int)
            case branch([Tree])
            init(from decoder: any Decoder) throws {
                if let leaf = try? decoder.singleValueContainer().decode(Int.self) {
                    self = .leaf(leaf)
                } else {
                    self = .branch(try decoder.singleValueContainer().decode([Tree].self))
                }
            }
        }
        let x: Tree
    }

    @Test("X04 the JSON parser does not recurse, whatever depth the limits allow")
    func recursion() throws {
        _ = (Keys.secret, Keys.p256)
        let faults = Mutex<[String]>([])
        onSmallStack(kilobytes: 512) {
            do {
                var limits = ParsingLimits.standard
                limits.tokenBytes = 16 << 20
                limits.plaintextBytes = 16 << 20
                limits.headerBytes = 16 << 20
                limits.jsonDepth = 1_000_000
                for member in Self.members(100_000) {
                    let isWhole = member.hasSuffix("]") || member.hasSuffix("}")
                    let wanted: Refusal? = isWhole ? nil : .malformed
                    let text = String(claims().dropLast()) + #","x":\#(member)}"#
                    let header = #"{"alg":"HS256","x":\#(member)}"#
                    let results = [try Self.result(claims: text, limits), try Self.result(header: header, limits)]
                    if results != [wanted, wanted] { faults.withLock { $0.append("\(member.prefix(6)): \(results)") } }
                }
            } catch { faults.withLock { $0.append("\(error)") } }
        }
        #expect(faults.withLock { $0 } == [])
        // The limit is checked before Foundation decodes the claims.
        let issuer = try TestIssuer()
        let verifier = try issuer.verifier()
        let token = try issuer.forged(claims: issuer.claims(adding: #","x":\#(Self.deep(31, "[", "]"))"#))
        #expect(verdict { () throws(TokenError) in try verifier.verify(token, as: Wanted.self) } == accepted)
        let deeper = try issuer.forged(claims: issuer.claims(adding: #","x":\#(Self.deep(32, "[", "]"))"#))
        #expect(verdict { () throws(TokenError) in try verifier.verify(deeper, as: Wanted.self) } == .malformed)
    }
}
