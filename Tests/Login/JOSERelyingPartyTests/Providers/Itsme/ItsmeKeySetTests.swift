import JOSE
import JOSEKeySets
import TestSupport
import Testing

@testable import JOSEItsme
@testable import JOSERelyingParty

@Suite("itsme: the service's own key set") struct ItsmeKeySetTests {
    private static let url = "https://service.test/jwks"
    private static let keys = [TestKeys.client.publicKey, TestKeys.clientEncryption.publicKey].map { $0.jwk() }

    private func response(_ keys: [String], maxAge: Int? = 1_800) -> TransportResponse {
        TransportResponse(
            status: 200, headers: maxAge.map { [TransportHeaderField("Cache-Control", "max-age=\($0)")] } ?? [],
            body: Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8))
    }

    private func errors(_ keys: [String]) -> [KeySetFinding.Problem] {
        let findings = KeySetFinding.findings(forItsmeIn: response(keys), from: Self.url)
        #expect(findings.allSatisfy { $0.isError })
        return findings.map(\.problem)
    }

    @Test("itsme case 36: each fault of a key set is one finding, and a set without faults has none") func faults()
        throws
    {
        #expect(errors(Self.keys) == [])
        #expect(errors([Self.keys[0]]) == [.noEncryptionKey] && errors([Self.keys[1]]) == [.noSignatureKey])
        let signing = response([Self.keys[0]])
        #expect(KeySetFinding.findings(forItsmeIn: signing, from: Self.url, needsEncryptionKey: false) == [])
        var twin = TestKeys.stranger.publicKey
        (twin.keyID, twin.use) = ("s1", .signature)
        #expect(errors(Self.keys + [twin.jwk()]) == [.repeatedKeyID(at: 2)])
        twin.keyID = "s2"
        #expect(errors(Self.keys + [twin.jwk()]) == [])
        twin.keyID = nil
        #expect(errors(Self.keys + [twin.jwk()]) == [.noKeyID(at: 2)])
        for (bits, problems) in [(1024, [KeySetFinding.Problem.weakKey(at: 2)]), (2048, [])] {
            let modulus = base64URL([0xC1] + [UInt8](repeating: 7, count: bits / 8 - 1))
            let key = #"{"kty":"RSA","use":"sig","kid":"n","n":"\#(modulus)","e":"AQAB"}"#
            #expect(errors(Self.keys + [key]) == problems)
        }
        // The members of private and symmetric keys (RFC 7518, 6.3.2 and 6.4.1; RFC 9964, 3), and one that nothing defines.
        let members = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"].map { ($0, true) } + [("r", false)]
        for (name, isPrivate) in members {
            let key = Self.keys[0].replacing("{\"", with: "{\"\(name)\":\"AQAB\",\"", maxReplacements: 1)
            #expect(errors([key, Self.keys[1]]) == (isPrivate ? [.isPrivate(at: 0)] : []), "\(name)")
        }
        for (use, algorithm, isMatch) in [
            ("sig", "RS256", true), ("sig", "RSA-OAEP", false), ("enc", "RSA-OAEP-256", true), ("enc", "PS256", false),
        ] {
            let modulus = base64URL([0xC1] + [UInt8](repeating: 7, count: 255))
            let key = #"{"kty":"RSA","use":"\#(use)","alg":"\#(algorithm)","kid":"n","n":"\#(modulus)","e":"AQAB"}"#
            #expect(errors(Self.keys + [key]) == (isMatch ? [] : [.algorithmMismatch(at: 2)]), "\(algorithm)")
        }
        // The names of algorithms of keys of another type follow no such rule.
        let key = #"{"kty":"EC","crv":"P-256","use":"enc","alg":"ECDH-ES","kid":"n","x":"AA","y":"AA"}"#
        #expect(errors(Self.keys + [key]) == [])
    }

    @Test("itsme case 36: a key of itsme's default set is an error in production and a warning elsewhere (R39)")
    func defaultKeys() throws {
        guard case .array(let published)? = try ProviderSample("itsme/default-keys").message["keys"] else {
            Issue.record("no keys")
            return
        }
        var key = try PrivateKey(jwk: try #require(published.first).text).publicKey
        key.keyID = "another"
        let set = response(Self.keys + [key.jwk()])
        for isProduction in [true, false] {
            let findings = KeySetFinding.findings(forItsmeIn: set, from: Self.url, isProduction: isProduction)
            #expect(findings == [KeySetFinding(.publiclyKnownKey(at: 2), isError: isProduction)])
        }
        // A key with members of its private half is compared too: with one of them, and with all as itsme publishes it.
        let one = key.jwk().replacing("{\"", with: "{\"q\":\"AQAB\",\"", maxReplacements: 1)
        let all = try #require(published.first).text.replacing("\"s1\"", with: "\"another\"")
        for json in [one, all] {
            #expect(errors(Self.keys + [json]) == [.isPrivate(at: 2), .publiclyKnownKey(at: 2)])
        }
    }

    @Test("the URL, the size, the response time and the caching of a key set are checked") func delivery() {
        func found(
            _ response: TransportResponse, _ url: String = Self.url, _ time: Duration? = nil
        ) -> [KeySetFinding.Problem] {
            KeySetFinding.findings(forItsmeIn: response, from: url, responseTime: time).map(\.problem)
        }
        let good = response(Self.keys)
        #expect(found(good, Self.url, .seconds(1)) == [])
        #expect(found(good, Self.url, .milliseconds(1_001)) == [.slowResponse(.milliseconds(1_001))])
        #expect(found(good, "http://service.test/jwks") == [.notHTTPS] && found(good, "jwks") == [.notHTTPS])
        for age in [nil, 0, 1_799] { #expect(found(response(Self.keys, maxAge: age)) == [.shortCaching]) }
        let limit = KeySetFinding.itsmeLimit
        var large = good
        large.body += [UInt8](repeating: 0x20, count: limit - large.body.count)
        #expect(found(large) == [])
        large.body.append(0x20)
        #expect(found(large) == [.tooLarge(limit + 1, limit: limit)])
        for text in ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[1]}"#] {
            var broken = good
            broken.body = Array(text.utf8)
            #expect(found(broken) == [.malformed], "\(text)")
        }
        let slow = KeySetFinding.findings(forItsmeIn: good, from: Self.url, responseTime: .seconds(2))
        #expect(slow.map(\.isError) == [false] && slow.map(\.keyIndex) == [nil])
        let finding = KeySetFinding(.noKeyID(at: 2))
        #expect(finding.keyIndex == 2 && "\(finding)" == "key 2: it has no kid")
    }

    @Test("each problem has its own code, whatever the key or the numbers are") func codes() {
        let codes: [(KeySetFinding.Problem, String)] = [
            (.notHTTPS, "not_https"), (.malformed, "malformed"), (.tooLarge(2, limit: 1), "too_large"),
            (.noSignatureKey, "no_signature_key"), (.noEncryptionKey, "no_encryption_key"),
            (.slowResponse(.seconds(2)), "slow_response"), (.shortCaching, "short_caching"),
            (.notRSA(at: 0), "not_rsa"), (.noUse(at: 0), "no_use"), (.isPrivate(at: 0), "is_private"),
            (.secondEncryptionKey(at: 0), "second_encryption_key"), (.weakKey(at: 0), "weak_key"),
            (.noKeyID(at: 0), "no_key_id"), (.repeatedKeyID(at: 0), "repeated_key_id"),
            (.algorithmMismatch(at: 0), "algorithm_mismatch"), (.publiclyKnownKey(at: 0), "publicly_known_key"),
        ]
        for (problem, code) in codes { #expect(KeySetFinding(problem, isError: false).code == code) }
        #expect(Set(codes.map { $0.1 }).count == codes.count)
        #expect(KeySetFinding(.weakKey(at: 7)).code == "weak_key")
        #expect(KeySetFinding(.tooLarge(9, limit: 8)).code == "too_large")
    }
}
