import Foundation
import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

/// Bounds on work. Each input is repeated so often that processing it completely would exceed the time limit by far.
@Suite("Threats: cost of processing") struct ExpenseThreats {
    private func within(_ seconds: Double, _ body: () throws -> Void) rethrows {
        let taken = try cpuSeconds(body)
        #expect(taken < seconds, "took \(taken) s")
    }

    @Test("T31 zip is rejected before decryption unless it is allowed (RFC 8725, 3.6)")
    func compressed() throws { try zips(["DEF"]) }

    @Test("T32 any other value of zip is rejected before decryption (RFC 7516, 4.1.3)")
    func unknownCompression() throws { try zips(["def", "GZIP", "", "DEF\\u0000", "none"]) }

    private func zips(_ names: [String]) throws {
        for name in names {
            let header = #"{"alg":"dir","enc":"A256GCM","zip":"\#(name)"}"#
            let token = try Forge.encrypted(header: header, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
            #expect(outcome(of: token, [Keys.secret], [.dir]) == .headerInvalid, "\(name)")
            let wrong = try Forge.encrypted(header: header, plaintext: [1], with: Keys.symmetric(32), .dir, .a256gcm)
            #expect(outcome(of: wrong, [Keys.secret], [.dir]) == .headerInvalid, "\(name)")
        }
        let control = try Forge.encrypted(
            header: #"{"alg":"dir","enc":"A256GCM"}"#, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
        #expect(outcome(of: control, [Keys.secret], [.dir]) == accepted)
    }

    @Test("T33 a token of a million dots is rejected at the sixth dot (RFC 7515, 3.1)")
    func dots() throws {
        var limits = ParsingLimits.standard
        limits.tokenBytes = 16 << 20
        var signature = SignaturePolicy(algorithms: [.hs256])
        signature.limits = limits
        var encryption = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        encryption.limits = limits
        let verifier = try JWSVerifier(keys: KeySet(Keys.secret), policy: signature)
        let decrypter = try JWEDecrypter(keys: KeySet(Keys.secret), policy: encryption)
        let good = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: "x", with: Keys.secret, .hs256)
        for count in [1_000_000, 5_000_000] {
            let dots = Array(good.utf8) + [UInt8](repeating: UInt8(ascii: "."), count: count)
            // Reading five million bytes two thousand times would exceed the time limit by far.
            within(5) {
                for _ in 0..<2_000 {
                    let verified = verdict { () throws(JOSEError) in try verifier.verify(dots) }
                    let decrypted = verdict { () throws(JOSEError) in try decrypter.decrypt(dots) }
                    let routed = verdict { () throws(JOSEError) in try UnverifiedToken(dots, limits: limits) }
                    guard verified == .malformed, decrypted == .malformed, routed == .malformed else {
                        Issue.record("not refused as malformed")
                        return
                    }
                }
            }
            #expect(outcome(of: String(decoding: dots, as: UTF8.self), [Keys.secret], [.hs256]) == .tooLarge)
        }
        #expect(verdict { () throws(JOSEError) in try verifier.verify(good) } == accepted)
    }

    @Test("T34 tokens over the size limits are rejected before anything is decoded (RFC 8725, 2.9)")
    func sizes() throws {
        let limits = ParsingLimits.standard
        // The text is not base64url: if it were decoded, it would be malformed.
        let junk = String(repeating: "*", count: limits.tokenBytes - 2)
        #expect(outcome(of: "*.*.\(junk)", [Keys.secret], [.hs256]) == .tooLarge)
        #expect(outcome(of: "*.*.*.*.\(junk)", [Keys.secret], [.dir]) == .tooLarge)
        #expect(verdict { () throws(JOSEError) in try UnverifiedToken("*.*.\(junk)") } == .tooLarge)
        #expect(outcome(of: ".." + junk, [Keys.secret], [.hs256]) == .tooLarge)

        func header(_ count: Int) -> String {
            let start = #"{"alg":"HS256","x":""#
            return start + String(repeating: "x", count: count - start.utf8.count - 2) + "\"}"
        }
        for (count, wanted) in [(limits.headerBytes, accepted), (limits.headerBytes + 1, .tooLarge)] {
            let token = try Forge.signed(header: header(count), payload: "x", with: Keys.secret, .hs256)
            #expect(outcome(of: token, [Keys.secret], [.hs256]) == wanted)
        }
        // The token has 262 144 bytes, and one byte more.
        let start = #"{"alg":"HS256"}"#
        for (extra, wanted) in [(0, accepted), (1, Refusal.tooLarge)] {
            let head = Forge.encoded(Array(start.utf8)).utf8.count
            let room = limits.tokenBytes + extra - head - 2 - 43
            let payload = [UInt8](repeating: 65, count: room * 3 / 4)
            let token = try Forge.signed(header: Array(start.utf8), payload: payload, with: Keys.secret, .hs256)
            #expect(token.utf8.count == limits.tokenBytes + extra)
            #expect(outcome(of: token, [Keys.secret], [.hs256]) == wanted)
        }
        var policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm, .a128cbcHS256])
        policy.limits.plaintextBytes = 100
        let decrypter = try JWEDecrypter(keys: KeySet(Keys.secret), policy: policy)
        for content in [ContentEncryption.a256gcm, .a128cbcHS256] {
            for (count, wanted) in [
                (100, accepted), (101, .tooLarge), (116, .tooLarge), (117, .tooLarge), (10_000, .tooLarge),
            ] {
                let token = try Forge.encrypted(
                    header: #"{"alg":"dir","enc":"\#(content)"}"#, plaintext: [UInt8](repeating: 1, count: count),
                    with: Keys.secret, .dir, content)
                #expect(
                    verdict { () throws(JOSEError) in try decrypter.decrypt(token) } == wanted, "\(content), \(count)")
            }
        }
    }

    @Test("T36 parsing time is proportional to the bytes, for many members and huge numbers too (RFC 8259, 6 and 9)")
    func wide() throws {
        var members = (0..<200_000).map { #""\#(UInt64($0) &* 0x9E37_79B9_7F4A_7C15)":0"# }.joined(separator: ",")
        members = "," + members
        let digits = String(repeating: "9", count: 400)
        for member in [#","x":\#(digits)"#, #","x":-\#(digits)"#, #","x":1e400"#, #","x":1e99999999999999999999"#] {
            #expect(
                try outcome(ofClaims: String(claims().dropLast()) + member + "}") == .malformed, "\(member.prefix(20))")
        }
        for member in [#","x":1e308"#, #","x":0.\#(digits)"#, #","x":1e-99999999999999999999"#, #","x":0e400"#] {
            #expect(
                try outcome(ofClaims: String(claims().dropLast()) + member + "}") == accepted, "\(member.prefix(20))")
        }
        var limits = ParsingLimits.standard
        limits.tokenBytes = 64 << 20
        limits.plaintextBytes = 64 << 20
        let wide = try Forge.signed(
            header: #"{"alg":"HS256"}"#, payload: String(claims().dropLast()) + members + "}", with: Keys.secret, .hs256
        )
        for (most, wanted) in [(1_000, Refusal.malformed), (300_000, nil)] {
            limits.objectMembers = most
            var policy = SignaturePolicy(algorithms: [.hs256])
            policy.limits = limits
            var rules = ClaimPolicy(issuer: "https://i.test", audience: "me")
            rules.clock = .fixed(Now.date)
            let verifier = try TokenVerifier(.signed(policy, claims: rules), verificationKeys: KeySet(Keys.secret))
            // Comparing all pairs would take 2 x 10^10 steps.
            within(20) { #expect(verdict { () throws(TokenError) in try verifier.verify(wide) } == wanted) }
        }
        // The header consists of crit and the members that it names.
        let names = (0..<990).map { "\"\(String($0, radix: 36))\"" }
        let crit = "[\(names.joined(separator: ","))]"
        let header = #"{"alg":"HS256","crit":\#(crit),\#(names.map { "\($0):0" }.joined(separator: ","))}"#
        let token = try Forge.signed(header: header, payload: "x", with: Keys.secret, .hs256)
        within(5) { for _ in 0..<100 { #expect(outcome(of: token, [Keys.secret], [.hs256]) == .headerInvalid) } }
    }
}
