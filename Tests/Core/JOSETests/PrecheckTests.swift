import TestSupport
import Testing

@testable import JOSE

@Suite("Checks before a token is looked up in a cache") struct PrecheckTests {
    private let key: SecretKey

    init() throws { key = try SecretKey(bytes: Array(0..<32)) }

    private func passes(jws: String, _ adjust: (inout SignaturePolicy) -> Void = { _ in }) -> Bool {
        var policy = SignaturePolicy(algorithms: [.hs256])
        adjust(&policy)
        return JWSVerifier(unexaminedKeys: KeySet(key), policy: policy).passesPrechecks(Array(jws.utf8).span)
    }

    private func passes(jwe: String, _ adjust: (inout EncryptionPolicy) -> Void = { _ in }) -> Bool {
        var policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        adjust(&policy)
        return JWEDecrypter(unexaminedKeys: KeySet(key), policy: policy).passesPrechecks(Array(jwe.utf8).span)
    }

    /// Returns a token of `count` bytes with this header, whose long part is between `before` and `after`.
    private func padded(_ header: String, to count: Int, _ before: String, _ after: String) -> String {
        let head = base64URL(header.utf8) + before
        return head + String(repeating: "A", count: count - head.utf8.count - after.utf8.count) + after
    }

    @Test("a text with another number of parts is told from a malformed token (RFC 7515, 3.1)") func parts() throws {
        let verifier = try JWSVerifier(keys: key, policy: SignaturePolicy(algorithms: [.hs256]))
        let token = try JWSSigner(key: key, algorithm: .hs256).sign("{}")
        func hasWrongParts(_ text: String) -> Bool? {
            let error = refusal(of: { () throws(JOSEError) in try verifier.verify(text) })
            return if case .malformed(let fault)? = error { fault.hasWrongParts } else { nil }
        }
        #expect(throws: Never.self) { try verifier.verify(token) }
        for text in ["opaque", "a.b", token + ".a.b"] { #expect(hasWrongParts(text) == true, "\(text)") }
        for text in [" " + token, "!" + token, token + "!"] { #expect(hasWrongParts(text) == false, "\(text)") }
    }

    @Test("the size of a payload is limited (RFC 7515, 5.2)") func payload() throws {
        let token = try JWSSigner(key: key, algorithm: .hs256).sign([UInt8](repeating: 0x20, count: 30))
        #expect(passes(jws: token) && passes(jws: token) { $0.limits.plaintextBytes = 30 })
        #expect(!passes(jws: token) { $0.limits.plaintextBytes = 29 })
    }

    @Test("the size of a signature is limited (RFC 7515, 5.2)") func signature() throws {
        let token = try JWSSigner(key: key, algorithm: .hs256).sign([0x20])
        #expect(passes(jws: token) && passes(jws: token) { $0.limits.signatureBytes = 32 })
        #expect(!passes(jws: token) { $0.limits.signatureBytes = 31 })
    }

    @Test("the size of a ciphertext is limited (RFC 7516, 5.2)") func ciphertext() throws {
        let encrypter = try JWEEncrypter(
            key: key, keyManagement: .dir, contentEncryption: .a256gcm)
        let token = try encrypter.encrypt([UInt8](repeating: 0x20, count: 30))
        #expect(passes(jwe: token) && passes(jwe: token) { $0.limits.plaintextBytes = 14 })
        // Up to 16 bytes of a ciphertext are padding.
        #expect(!passes(jwe: token) { $0.limits.plaintextBytes = 13 })
    }

    @Test("a long token with x5c needs no key of the verifier, if it trusts certificates (RFC 7515, 4.1.6)")
    func certified() throws {
        let trust = try CertificateFixture.made.get().trust()
        var named = key
        named.keyID = "k"
        let (mine, foreign) = (#"{"alg":"HS256","kid":"k"}"#, #"{"alg":"HS256","kid":"j"}"#)
        let own = #"{"alg":"HS256","kid":"j","x5c":["AA"]}"#
        for (header, trust, isRead) in [
            (own, trust, true), (own, nil, false), (foreign, trust, false), (foreign, nil, false), (mine, trust, true),
            (mine, nil, true),
        ] as [(String, CertificateTrust?, Bool)] {
            let verifier = try JWSVerifier(
                keys: KeySet(named), policy: SignaturePolicy(algorithms: [.hs256]), trust: trust)
            let token = padded(header, to: 4_097, ".", ".AAAA")
            let passes = verifier.passesPrechecks(token.utf8.span)
            #expect(passes == isRead, "\(header)")
        }
    }

    @Test("the header of a token of more than 4096 bytes is checked, that of a shorter one is not")
    func header() throws {
        for (algorithm, long) in [("HS256", true), ("HS384", false)] {
            let short = padded(#"{"alg":"\#(algorithm)"}"#, to: 4_096, ".", ".AAAA")
            #expect(short.utf8.count == 4_096 && passes(jws: short))
            let over = padded(#"{"alg":"\#(algorithm)"}"#, to: 4_097, ".", ".AAAA")
            #expect(passes(jws: over) == long)
        }
        for (algorithm, long) in [("dir", true), ("A256KW", false)] {
            let text = #"{"alg":"\#(algorithm)","enc":"A256GCM"}"#
            let (before, after) = ("..AAAAAAAAAAAAAAAA.", ".AAAAAAAAAAAAAAAAAAAAAA")
            let short = padded(text, to: 4_096, before, after)
            #expect(short.utf8.count == 4_096 && passes(jwe: short))
            #expect(passes(jwe: padded(text, to: 4_097, before, after)) == long)
        }
    }
}
