import JOSE
import JOSETesting
import TestSupport
import Testing

/// A header has one result, whichever function it is given to.
@Suite("Threats: all verification calls") struct WaysInThreats {
    private static let payload = Array("payload".utf8)

    /// Headers of validly signed tokens, each with its expected result.
    private static let headers: [(header: String, wanted: Refusal?)] = [
        (#"{"alg":"HS256","crit":["exp"],"exp":1}"#, .criticalUnsupported),
        (#"{"alg":"HS256","crit":["https://x.test"],"https://x.test":null}"#, .criticalUnsupported),
        (#"{"alg":"HS256","crit":[]}"#, .headerInvalid), (#"{"alg":"HS256","crit":["x"]}"#, .headerInvalid),
        (#"{"alg":"HS256","crit":["alg"]}"#, .headerInvalid), (#"{"alg":"HS256","crit":"x","x":1}"#, .headerInvalid),
        (#"{"alg":"HS256","b64":false}"#, .headerInvalid), (#"{"alg":"HS256","b64":0,"crit":["b64"]}"#, .headerInvalid),
        (#"{"alg":"none"}"#, .algorithmNotAllowed), (#"{"alg":"hs256"}"#, .algorithmNotAllowed),
        (#"{"alg":"HS384"}"#, .algorithmNotAllowed), (#"{"alg":"HS256\u0000"}"#, .algorithmNotAllowed),
        (#"{"alg":["HS256"]}"#, .headerInvalid), ("{}", .headerInvalid), (#"{"alg":"HS256","kid":1}"#, .headerInvalid),
        (#"{"alg":"HS256","kid":"other"}"#, .noKey), (#"{"alg":"HS256","alg":"HS256"}"#, .malformed),
        (#"{"alg":"HS256","typ":"other"}"#, .typeMismatch), (#"{"alg":"HS256","x":NaN}"#, .malformed),
        (#"{"alg":"HS256"}"#, accepted), (#"{"alg":"HS256","b64":true,"crit":["b64"]}"#, accepted),
        (#"{"alg":"HS256","kid":"ours"}"#, accepted), (#"{"alg":"HS256","jku":"https://x.test"}"#, accepted),
    ]

    private static let key = Keys.secret.bound(keyID: "ours")

    private func verifier(_ algorithms: [SignatureAlgorithm]) -> JWSVerifier {
        var policy = SignaturePolicy(algorithms: algorithms)
        policy.type = .absentOr("ours")
        return JWSVerifier(unexaminedKeys: KeySet(Self.key), policy: policy)
    }

    /// Verifies a header and one payload by every function that verifies, and returns all results.
    private func ways(_ header: String, _ verifier: JWSVerifier) throws -> [(way: String, refusal: Refusal?)] {
        let (head, body) = (Forge.encoded(Array(header.utf8)), Forge.encoded(Self.payload))
        let signature = Forge.encoded(
            try Forge.signature(of: Array("\(head).\(body)".utf8), with: Keys.secret, .hs256))
        let members = #""protected":"\#(head)","signature":"\#(signature)""#
        let flattened = "{" + members + "}"
        let general = "{\"signatures\":[{" + members + "}]}"
        func attached(_ json: String) -> String { "{\"payload\":\"\(body)\"," + json.dropFirst() }
        let detached = "\(head)..\(signature)"
        return [
            ("compact", verdict { () throws(JOSEError) in try verifier.verify("\(head).\(body).\(signature)") }),
            ("flattened", verdict { () throws(JOSEError) in try verifier.verify(json: attached(flattened)) }),
            ("general", verdict { () throws(JOSEError) in try verifier.verify(json: attached(general)) }),
            (
                "detached",
                verdict { () throws(JOSEError) in try verifier.verify(detached, detachedPayload: Self.payload) }
            ),
            (
                "flattened, detached",
                verdict { () throws(JOSEError) in try verifier.verify(json: flattened, detachedPayload: Self.payload) }
            ),
            (
                "general, detached",
                verdict { () throws(JOSEError) in try verifier.verify(json: general, detachedPayload: Self.payload) }
            ),
            (
                "streamed",
                verdict { () throws(JOSEError) in
                    var stream = try verifier.stream(detached)
                    for byte in Self.payload { try stream.update([byte]) }
                    return try stream.finish()
                }
            ),
        ]
    }

    @Test("T37 a JWS header has the same result compact, in JSON, detached and in pieces (RFC 7515, 4.1.11 and 5.2)")
    func signatures() throws {
        for (header, wanted) in Self.headers {
            for (way, refusal) in try ways(header, verifier([.hs256])) {
                #expect(refusal == wanted, "\(way): \(header)")
            }
        }
    }

    @Test("T65 an empty list of algorithms rejects every token, in every call (RFC 8725, 3.1)")
    func emptyList() throws {
        for (way, refusal) in try ways(#"{"alg":"HS256"}"#, verifier([])) {
            #expect(refusal == .algorithmNotAllowed, "\(way)")
        }
        for (way, refusal) in try ways(#"{"alg":"HS256"}"#, verifier([.hs256])) {
            #expect(refusal == accepted, "\(way)")
        }
    }

    @Test(
        "T37 a JWE header has the same result compact, in JSON, and with an external unwrapper (RFC 7516, 4.1.13 and 5.2)"
    )
    func encryption() async throws {
        let headers: [(String, Refusal?)] = [
            (#","crit":["exp"],"exp":1"#, .criticalUnsupported),
            (#","crit":["b64"],"b64":false"#, .criticalUnsupported),
            (#","crit":[]"#, .headerInvalid), (#","crit":["x"]"#, .headerInvalid),
            (#","crit":["enc"]"#, .headerInvalid),
            (#","kid":1"#, .headerInvalid), (#","typ":"other""#, .typeMismatch), (#","zip":"def""#, .headerInvalid),
            (#","x":1,"x":1"#, .malformed), ("", accepted), (#","x":1"#, accepted),
        ]
        var policy = EncryptionPolicy(keyManagement: [.a256kw], contentEncryption: [.a256gcm])
        policy.type = .absentOr("ours")
        let decrypter = try JWEDecrypter(keys: KeySet(Keys.secret), policy: policy)
        for (members, wanted) in headers {
            let token = try Forge.encrypted(
                header: #"{"alg":"A256KW","enc":"A256GCM"\#(members)}"#, plaintext: [1], with: Keys.secret, .a256kw,
                .a256gcm)
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            let shared =
                #""protected":"\#(parts[0])","iv":"\#(parts[2])","ciphertext":"\#(parts[3])","tag":"\#(parts[4])""#
            let flattened = #"{\#(shared),"encrypted_key":"\#(parts[1])"}"#
            let general = #"{\#(shared),"recipients":[{"encrypted_key":"\#(parts[1])"}]}"#
            var refusals = [
                ("compact", verdict { () throws(JOSEError) in try decrypter.decrypt(token) }),
                ("flattened", verdict { () throws(JOSEError) in try decrypter.decrypt(json: flattened) }),
                ("general", verdict { () throws(JOSEError) in try decrypter.decrypt(json: general) }),
            ]
            do {
                _ = try await decrypter.decrypt(token, timeout: .ample)
                _ = try await decrypter.decrypt(json: flattened, timeout: .ample)
                refusals.append(("awaited", accepted))
            } catch {
                refusals.append(("awaited", Refusal(error)))
            }
            for (way, refusal) in refusals { #expect(refusal == wanted, "\(way): \(members)") }
        }
    }
}
