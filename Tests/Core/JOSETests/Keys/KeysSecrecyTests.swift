import JOSE
import TestSupport
import Testing

@Suite("Descriptions of keys") struct KeysSecrecyTests {
    /// Every way in which Swift converts a value to text.
    private func shown(_ value: Any) -> String {
        var text = "\(value) " + String(describing: value) + String(reflecting: value)
        dump(value, to: &text)
        dump([value], to: &text)
        dump(value as Any?, to: &text)
        reflect(value, 8, &text)
        return text
    }

    private func reflect(_ value: Any, _ depth: Int, _ text: inout String) {
        guard depth > 0 else { return }
        for child in Mirror(reflecting: value).children {
            text += "\(child.label ?? "") \(child.value) "
            reflect(child.value, depth - 1, &text)
        }
    }

    @Test("no description, dump or interpolation of a key shows its secret (T68)")
    func canaries() throws {
        var secrets: [(JWK, [[UInt8]])] = []
        for key in try Fixture.generated() {
            guard case .object(let members) = try JSON(try key.exportPrivateJWK()) else { continue }
            let parts = try ["d", "p", "q", "dp", "dq", "qi"].filter { members[$0] != nil }.map {
                try members.octets($0)
            }
            secrets.append((.privateKey(key), parts))
        }
        let canary = Array("canary-of-32-bytes-in-plain-ascii".utf8)
        secrets.append((.symmetricKey(try SecretKey(bytes: canary)), [canary]))
        for (key, parts) in secrets {
            var text = shown(key) + shown(KeySet([key])) + shown([key])
            switch key {
            case .privateKey(let key): text += shown(key) + shown(key.publicKey)
            case .symmetricKey(let key): text += shown(key)
            case .publicKey: break
            }
            for part in parts {
                let forms = [
                    base64URL(part), hex(part), hex(part).uppercased(), "\(part)",
                    part.map(String.init).joined(separator: ", "),
                    String(decoding: part, as: UTF8.self), String(base64URL(part).prefix(12)),
                    String(hex(part).prefix(16)),
                ]
                for form in forms { #expect(!text.contains(form), "\(key.kind) shows \(form)") }
            }
        }
    }

    @Test("the description of a key has its kind and its kid only (T68)")
    func descriptions() throws {
        var key = try PrivateKey.generate(.p256)
        #expect("\(key)" == "PrivateKey(EC P-256)")
        key.keyID = "2026-11"
        #expect("\(key)" == #"PrivateKey(EC P-256, kid: "2026-11")"#)
        #expect("\(key.publicKey)" == #"PublicKey(EC P-256, kid: "2026-11")"#)
        #expect(String(reflecting: JWK.privateKey(key)) == #"PrivateKey(EC P-256, kid: "2026-11")"#)
        #expect(try "\(SecretKey.generate(bits: 256))" == "SecretKey(oct 256)")
        #expect(try "\(PrivateKey(jwk: Fixture.rsaPrivate().text).kind)" == "RSA 2048")
    }

    @Test("a kid is printed on one line, escaped and cut to 64 characters (K26)")
    func names() throws {
        var key = try PrivateKey.generate(.ed25519)
        key.keyID = "a\n\u{1b}[31m\"\\\u{202e}é\u{0}"
        #expect(
            "\(key)" == #"PrivateKey(OKP Ed25519, kid: "a\u{a}\u{1b}[31m\u{22}\u{5c}\u{202e}\u{e9}\u{0}")"#)
        key.keyID = String(repeating: "x", count: 20_000)
        #expect("\(key)" == "PrivateKey(OKP Ed25519, kid: \"" + String(repeating: "x", count: 64) + "\")")
        key.keyID = String(repeating: "\n", count: 20_000)
        #expect("\(key)".utf8.count < 100)
        let unusable = try KeySet(parsing: #"{"keys":[{"kty":"?","kid":"a\nb"}]}"#).unusable
        #expect(unusable.map(\.description).joined().contains(#"kid "a\u{a}b""#))
    }

    @Test("private and symmetric keys are not Codable (T68)")
    func notCodable() throws {
        let keys: [Any] = [try PrivateKey.generate(.p256), try SecretKey.generate(bits: 128), KeySet.empty]
        for key in keys {
            #expect(!(key is any Encodable))
            #expect(!(key is any Decodable))
        }
    }

    @Test("the error of an invalid key contains nothing of the key (T59)")
    func errors() throws {
        let canary = "Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5"
        let texts = [
            #"{"kty":"oct","k":"\#(canary)!"}"#,
            #"{"kty":"EC","crv":"P-256","x":"\#(canary)","y":"AA","d":"\#(canary)"}"#,
            #"{"kty":"\#(canary)"}"#, #"{"kty":"oct","k":"AA","use":["\#(canary)"]}"#,
            #"{"\#(canary)":1,"\#(canary)":2}"#,
        ]
        for text in texts {
            let error = try #require(refusal(text))
            #expect(!shown(error).contains("Y2FuYXJ5"), "\(error)")
        }
    }
}
