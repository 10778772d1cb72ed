import Foundation
import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

/// Bounds on the cost of importing one key. The benchmarks have the instruction counts, in the group `key`.
@Suite("Threats: cost of importing keys") struct KeyCostThreats {
    private struct Vectors: Decodable {
        struct Key: Decodable {
            let what: String
            let outcome: String
            let jwk: JSON
        }
        struct Certified: Decodable {
            let what: String
            let outcome: String
            let der: Data
        }
        /// A key that is encrypted with the passphrase `word`.
        struct Sealed: Decodable {
            let what: String
            let form: String
            let outcome: String
            let der: Data
        }
        let factors: [Key]
        let certificates: [Certified]
        let jwks: [Key]
        let sealed: [Sealed]
    }

    private static let members = ["d", "k", "priv"]
    private static let factors = ["p", "q", "dp", "dq", "qi", "oth"]
    private let vectors: Vectors

    init() throws {
        let file = VectorFile.folder.appending(path: "own/keycost.json")
        vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    }

    private func shown(_ key: JWK) throws -> String { try #require(key.publicKey).jwk() }

    /// Returns the text of a JWK with one more member.
    private func adding(_ member: String, to jwk: String) -> String { jwk.dropLast() + "," + member + "}" }

    /// Public keys with a private member, each with the key without it.
    private func hostile() throws -> [(hostile: String, good: String)] {
        let keys = [Keys.rsa, Keys.p256, Keys.p384, Keys.p521, Keys.secp256k1, Keys.ed25519, Keys.ed448, Keys.x25519]
        return try (keys + [Keys.x448] + (Keys.mlDSA44.map { [$0] } ?? [])).flatMap { key in
            let good = try shown(key)
            let names = Self.members + (key.kind.isRSA ? Self.factors : [])
            return names.flatMap { name in
                // No value is valid for the member.
                [#""AQ""#, #""!""#, "5", "[{}]"].map { (adding(#""\#(name)":\#($0)"#, to: good), good) }
            }
        }
    }

    @Test("T74 a JWK with a private member is rejected as a public key, whatever the member's value (RFC 7517, 9.2)")
    func privateMembers() throws {
        for (hostile, good) in try hostile() {
            #expect(throws: JOSEError.keyInvalid(.publicKeyRequired), "\(hostile)") { try PublicKey(jwk: hostile) }
            #expect(throws: JOSEError.keyInvalid(.privateInPublicSet), "\(hostile)") {
                try KeySet(parsing: #"{"keys":[\#(hostile)]}"#, as: .publicOnly)
            }
            #expect(try PublicKey(jwk: good).jwk() == good)
            #expect(try KeySet(parsing: #"{"keys":[\#(good)]}"#, as: .publicOnly).keys.count == 1)
        }
        // The name may be escaped, and the public part need not be a valid key.
        let good = try shown(Keys.p256)
        for hostile in [
            adding(#""\u0064":"AQ""#, to: good), #"{"d":0}"#, #"{"kty":"?","priv":"AQ"}"#,
            #"{"kty":"RSA","n":"AQ","e":"AQAB","d":"AQ"}"#, #"{"kty":"RSA","qi":"!","n":5,"e":[]}"#,
            #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"AA"}"#, #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw"}"#,
        ] {
            #expect(throws: JOSEError.keyInvalid(.publicKeyRequired), "\(hostile)") { try PublicKey(jwk: hostile) }
        }
        // Unknown members, and RSA factors in a key of another kind, are ignored (RFC 7517, 4).
        // A private member that is null is absent.
        for other in [#""D":"AQ""#, #""p":"AQ""#, #""use":"sig""#, #""d":null"#] {
            #expect(verdict { () throws(JOSEError) in try PublicKey(jwk: adding(other, to: good)) } == accepted)
        }
    }

    @Test("T74 a DPoP proof, a cnf and an epk with a private member are rejected before any number (RFC 9449, 4.3)")
    func strangers() throws {
        let request = DPoPRequest(method: "POST", url: "https://as.test/token")
        func proof(_ jwk: String) throws -> Refusal? {
            let payload = #"{"jti":"a","htm":"POST","htu":"https://as.test/token","iat":\#(Now.seconds)}"#
            let header = #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(jwk)}"#
            let text = try Forge.signed(header: header, payload: payload, with: Keys.p256, .es256)
            let verifier = try DPoPVerifier(algorithms: [.es256], replayStore: nil) {
                $0.claims.clock = .fixed(Now.date)
            }
            do throws(TokenError) {
                _ = try verifier.verify(text, for: request)
                return accepted
            } catch .jose(.keyInvalid(.publicKeyRequired), layer: .signature) {
                return .keyInvalid
            } catch {
                Issue.record("\(error)")
                return nil
            }
        }
        func confirmed(_ jwk: String) throws -> Refusal? {
            let claims = #"{"iss":"https://i.test","aud":"me","exp":\#(Now.seconds + 60),"cnf":{"jwk":\#(jwk)}}"#
            var rules = ClaimPolicy(issuer: "https://i.test", audience: "me")
            rules.clock = .fixed(Now.date)
            let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.hs256]), claims: rules)
            let verifier = try TokenVerifier(policy, verificationKeys: KeySet(Keys.secret))
            let token = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: claims, with: Keys.secret, .hs256)
            let verified = try verifier.verify(token)
            return verdict(ofToken: { () throws(TokenError) in try verified.claims.confirmation() })
        }
        let good = try shown(Keys.p256)
        // Each of these would take 27 seconds of processor time at 8 192 bits if the key were read before it is rejected.
        let prime = vectors.factors.filter { $0.outcome == "rejected" }.map(\.jwk.text)
        for jwk in prime + [adding(#""d":"!""#, to: good), adding(#""priv":5"#, to: good)] {
            #expect(try proof(jwk) == .keyInvalid, "\(jwk.prefix(60))")
            #expect(try confirmed(jwk) == .claimInvalid, "\(jwk.prefix(60))")
        }
        #expect(try proof(good) == accepted)
        #expect(try confirmed(good) == accepted)

        for key in [Keys.p256, Keys.x25519] {
            func result(_ epk: String) throws -> Refusal? {
                let header = #"{"alg":"ECDH-ES","enc":"A128GCM","epk":\#(epk)}"#
                let token = try Forge.encrypted(header: header, plaintext: [1], with: key, .ecdhES, .a128gcm)
                return outcome(of: token, [key], [.ecdhES])
            }
            let point = try Forge.agreed(with: key).epk
            for name in Self.members {
                #expect(try result(adding(#""\#(name)":5"#, to: point)) == .headerInvalid, "\(name)")
            }
            // An epk of another agreement; `{}` is replaced by a valid one.
            #expect(try result(point) == .decryptionFailed)
            #expect(try result(adding(#""x5u":"a""#, to: point)) == .decryptionFailed)
            #expect(try result("{}") == accepted)
        }
    }

    @Test("T74 p and q are computed from n, e and d, or the key is rejected (NIST SP 800-56B Rev. 2, C.2)")
    func recoveredFactors() throws {
        #expect(vectors.factors.count == 18)
        for vector in vectors.factors {
            guard case .object(let members) = vector.jwk else { throw JOSEError.keyInvalid(.notObject) }
            let bare = JSON.object(members.filter { !Self.factors.contains($0.key) })
            let found = verdict { () throws(JOSEError) in try PrivateKey(jwk: bare.text) }
            #expect(found == (vector.outcome == "accepted" ? accepted : .keyInvalid), "\(vector.what)")
            guard vector.outcome == "accepted" else { continue }
            let key = try PrivateKey(jwk: bare.text)
            #expect(try JSON(key.exportPrivateJWK()) == vector.jwk, "\(vector.what)")
            #expect(try PrivateKey(jwk: vector.jwk.text) == key, "\(vector.what)")
        }
    }

    @Test("T74 a certificate that libcrypto would take long to read is rejected before (RFC 5480, 2.1.1)")
    func certificates() throws {
        #expect(vectors.certificates.count == 10)
        for vector in vectors.certificates {
            let der = Array(vector.der)
            let found = verdict { () throws(JOSEError) in try Certificate(der: der) }
            let wanted = vector.outcome == "accepted" ? accepted : Refusal(rawValue: vector.outcome)
            #expect(found == wanted, "\(vector.what)")
        }
    }

    @Test("T74 encrypted keys and certificates are checked before libcrypto reads them (RFC 5480, 2.1.1)")
    func encrypted() throws {
        #expect(vectors.sealed.count == 14)
        let word = Array("word".utf8)
        for vector in vectors.sealed {
            let der = Array(vector.der)
            let wanted: JOSEError? =
                switch vector.outcome {
                case "accepted": nil
                case "malformed": .malformed(ParseFailure(.key, .der))
                // The file is read, and rejected because no MAC protects it.
                case "encryption": .keyInvalid(.encryption)
                default: .keyInvalid(.unsupportedKind)
                }
            var found: JOSEError?
            do throws(JOSEError) {
                let key =
                    vector.form == "pkcs12"
                    ? try PrivateKey(pkcs12: der, passphrase: word) : try PrivateKey(der: der, passphrase: word)
                #expect(key.kind == .p256, "\(vector.what)")
            } catch {
                found = error
            }
            #expect(found == wanted, "\(vector.what)")
        }
    }

    @Test(
        "T74 the most expensive public keys within the bounds are read, and those beyond are rejected (RFC 7517, 4.7)"
    )
    func mostExpensive() throws {
        #expect(vectors.jwks.count == 8)
        for vector in vectors.jwks {
            let found = verdict { () throws(JOSEError) in try PublicKey(jwk: vector.jwk.text) }
            let wanted = vector.outcome == "accepted" ? accepted : Refusal(rawValue: vector.outcome)
            #expect(found == wanted, "\(vector.what)")
        }
    }
}

extension KeyKind {
    fileprivate var isRSA: Bool { if case .rsa = self { true } else { false } }
}
