import JOSE
import JOSETesting
import Testing

/// Names that could be taken for a registered one. Each is rejected, although the token is valid for the
/// algorithm that the name resembles, and the policy allows all algorithms.
@Suite("Threats: lookalike names") struct LookalikeThreats {
    /// Returns names that resemble `name`, as JSON text. The prefix of ES256K is left out, because it is another registered name.
    private func lookalikes(_ name: String) -> [String] {
        let first = String(name.prefix(1))
        var names = [
            name + "\\u0000", "\\u0000" + name, name + "\\u0000x", name + " ", " " + name, name + "\\t", name + "\\n",
            name + "\u{A0}", name + "\u{200B}", name + "\u{AD}", "\u{FEFF}" + name, name + "\u{301}", name + "\\u0301",
            String(name.dropLast()), String(name.dropFirst()), name + name, name + "," + name, name + ".", "",
            name.replacing("-", with: "\u{2010}"), name.replacing("-", with: "_"), name.replacing("+", with: " "),
            // Fullwidth forms and letters of other scripts look like ASCII, or become ASCII by normalization to NFKC.
            String(name.unicodeScalars.map { Character(Unicode.Scalar($0.value + 0xFEE0) ?? $0) }),
            name.replacing("A", with: "\u{410}"), name.replacing("S", with: "\u{405}"),
            name.replacing("K", with: "\u{212A}"), name.replacing("E", with: "\u{395}"),
            name.lowercased(), name.uppercased(), first.lowercased() + name.dropFirst(),
        ]
        names.removeAll { $0 == name && $0.utf8.elementsEqual(name.utf8) }
        return names
    }

    /// Returns the name with all characters escaped.
    private func escaped(_ name: String) -> String {
        name.utf8.map { "\\u00" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("T01 a name that resembles an algorithm is rejected (RFC 7515, 4.1.1; RFC 8725, 3.1)")
    func signatures() throws {
        for (algorithm, key) in Keys.signing {
            func result(_ name: String) throws -> Refusal? {
                let token = try Forge.signed(header: #"{"alg":"\#(name)"}"#, payload: "x", with: key, algorithm)
                return outcome(of: token, [key.shown], SignatureAlgorithm.all)
            }
            for name in lookalikes(algorithm.name) where SignatureAlgorithm(name: name) == nil {
                #expect(try result(name) == .algorithmNotAllowed, "\(algorithm): \(name)")
            }
            #expect(try result(escaped(algorithm.name)) == accepted, "\(algorithm)")
        }
    }

    @Test("T01 a name that resembles alg or enc of a JWE is rejected (RFC 7516, 4.1.1 and 4.1.2)")
    func encryption() throws {
        let keys: [(KeyManagementAlgorithm, JWK)] = [
            (.dir, Keys.secret), (.a256kw, Keys.secret), (.a256gcmkw, Keys.secret), (.rsaOAEP256, Keys.rsa),
            (.ecdhES, Keys.p256), (.ecdhESA128KW, Keys.x25519), (.pbes2HS256A128KW, Keys.secret),
        ]
        for (algorithm, key) in keys {
            func result(_ alg: String, _ enc: String = "A256GCM") throws -> Refusal? {
                let header = #"{"alg":"\#(alg)","enc":"\#(enc)"\#(Forge.freshMembers(algorithm))}"#
                let token = try Forge.encrypted(header: header, plaintext: [1], with: key, algorithm, .a256gcm)
                return outcome(of: token, [key], KeyManagementAlgorithm.all)
            }
            for name in lookalikes(algorithm.name) {
                #expect(try result(name) == .algorithmNotAllowed, "\(algorithm): \(name)")
            }
            for name in lookalikes("A256GCM") {
                #expect(try result(algorithm.name, name) == .algorithmNotAllowed, "\(algorithm): enc \(name)")
            }
            #expect(try result(algorithm.name) == accepted, "\(algorithm)")
        }
        for name in [escaped("dir"), "dir"] {
            let header = #"{"alg":"\#(name)","enc":"\#(escaped("A256GCM"))"}"#
            let token = try Forge.encrypted(header: header, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
            #expect(outcome(of: token, [Keys.secret], [.dir]) == accepted)
        }
    }

    @Test("T50 a member whose name only resembles a registered one is not treated as that (RFC 7515, 4)")
    func members() throws {
        for name in lookalikes("alg") {
            let token = try Forge.signed(
                header: #"{"\#(name)":"HS256"}"#, payload: "x", with: Keys.secret, .hs256)
            #expect(outcome(of: token, [Keys.secret], [.hs256]) == .headerInvalid, "\(name)")
        }
        // Beside the registered member they are unknown members of any type, and have no effect.
        for name in lookalikes("alg") + lookalikes("crit") + lookalikes("b64") + lookalikes("kid") {
            for value in [#""none""#, "[]", "false", "1"] {
                let token = try Forge.signed(
                    header: #"{"alg":"HS256","\#(name)":\#(value)}"#, payload: "x", with: Keys.secret, .hs256)
                #expect(outcome(of: token, [Keys.secret], [.hs256]) == accepted, "\(name)")
            }
        }
        // A name in crit that only resembles a header member is not present in the header.
        for name in lookalikes("x") where name != "" {
            let token = try Forge.signed(
                header: #"{"alg":"HS256","crit":["\#(name)"],"x":1}"#, payload: "x", with: Keys.secret, .hs256)
            #expect(outcome(of: token, [Keys.secret], [.hs256]) == .headerInvalid, "\(name)")
        }
    }

    @Test("T61 a kty or crv that resembles a registered one is rejected (RFC 7517, 4.1)")
    func keys() throws {
        let good = try #require(Keys.p256.publicKey).jwk()
        for (member, name) in [("kty", "EC"), ("crv", "P-256")] {
            for other in lookalikes(name) {
                let jwk = good.replacing(#""\#(member)":"\#(name)""#, with: #""\#(member)":"\#(other)""#)
                #expect(jwk != good)
                #expect(verdict { () throws(JOSEError) in try JWK(parsing: jwk) } == .keyInvalid, "\(member) \(other)")
            }
            let control = good.replacing(#""\#(name)""#, with: #""\#(escaped(name))""#)
            #expect(verdict { () throws(JOSEError) in try JWK(parsing: control) } == accepted)
        }
        // A key with an unknown use, operation or algorithm cannot be used.
        for (member, name) in [("use", "sig"), ("alg", "ES256")] {
            let token = try Forge.signed(header: #"{"alg":"ES256"}"#, payload: "x", with: Keys.p256, .es256)
            func result(_ value: String) throws -> Refusal? {
                let key = try JWK(parsing: String(good.dropLast()) + #","\#(member)":"\#(value)"}"#)
                return outcome(of: token, [key], [.es256])
            }
            for other in lookalikes(name) { #expect(try result(other) == .keyMismatch, "\(member) \(other)") }
            #expect(try result(escaped(name)) == accepted)
        }
    }
}
