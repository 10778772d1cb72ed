import Foundation
import JOSE
import JOSECrypto
import TestSupport
import Testing

@Suite("Certificates in tokens") struct TokenCertificateTests {
    private typealias Words = CertificateFixture.Words
    private let fixture: CertificateFixture
    private let chain: CertificateChain
    private let policy = SignaturePolicy(algorithms: [.es256, .ps256])
    init() throws {
        fixture = try CertificateFixture.made.get()
        chain = try fixture.chain(fixture.leaf, fixture.intermediate)
    }

    private func token(
        _ chain: CertificateChain?, by key: PrivateKey, _ algorithm: SignatureAlgorithm = .es256,
        _ members: CertificateMembers = .x5c, keyID: String? = nil, more: [(String, String)] = []
    ) throws -> String {
        var header = HeaderParameters(keyID: keyID)
        if let chain { header.set(certificates: chain, members: members) }
        for (name, value) in more { header.set(name, value) }
        return try JWSSigner(key: key, algorithm: algorithm, header: header).sign("hello")
    }

    /// Returns a token with the given header, signed by the key.
    private func forged(_ header: String, by key: PrivateKey) throws -> String {
        let input = base64URL(header.utf8) + "." + base64URL("hello".utf8)
        return try Raw.signed(input, by: key)
    }

    private func refusal(_ verifier: JWSVerifier, _ token: String) -> JOSEError? {
        do throws(JOSEError) {
            _ = try verifier.verify(token)
            return nil
        } catch { return error }
    }

    @Test("with trusted roots, the x5c of a token provides the key if its path is valid (RFC 7515, 4.1.6)")
    func trusted() throws {
        let good = try token(chain, by: fixture.leaf.privateKey)
        let verifier = try JWSVerifier(keys: KeySet.empty, policy: policy, trust: try fixture.trust())
        let verified = try verifier.verify(good)
        #expect(verified.payload == Array("hello".utf8) && verified.key.certificates == chain)
        #expect(verified.key == .publicKey(try fixture.leaf.publicKey))
        #expect(try JSON(verified.header.bytes)["x5c"] == .array(chain.certificates.map { .string($0.base64) }))

        for (trust, fault) in [
            (try fixture.trust([fixture.foreignRoot]), .certificateInvalid(.untrusted)),
            (try fixture.trust(days: 31), .certificateInvalid(.expired)),
            (try fixture.trust(days: -1), .certificateInvalid(.notYetValid)),
            (try fixture.trust(name: .dns("other.test")), .certificateInvalid(.name)),
            (try fixture.trust(extended: "1.3.6.1.5.5.7.3.2"), .certificateInvalid(.usage)),
        ] as [(CertificateTrust, JOSEError)] {
            #expect(refusal(try JWSVerifier(keys: KeySet.empty, policy: policy, trust: trust), good) == fault)
        }
        #expect(
            refusal(verifier, try token(fixture.chain(fixture.leaf), by: fixture.leaf.privateKey))
                == .certificateInvalid(.untrusted))
    }

    @Test("T06, T07 without trusted roots, x5c is ignored and never provides a key") func untrusted() throws {
        let good = try token(chain, by: fixture.leaf.privateKey)
        #expect(refusal(JWSVerifier(unexaminedKeys: KeySet.empty, policy: policy), good) == .keyNotFound)
        let other = try PrivateKey.generate(.p256)
        #expect(refusal(try JWSVerifier(keys: KeySet(other), policy: policy), good) == .signatureInvalid)
        _ = try JWSVerifier(keys: KeySet(fixture.leaf.publicKey), policy: policy).verify(good)
        // An invalid value is no fault where x5c is ignored, and one where it is read.
        let rubbish = try forged(#"{"alg":"ES256","x5c":["AAAA"]}"#, by: fixture.leaf.privateKey)
        _ = try JWSVerifier(keys: KeySet(fixture.leaf.publicKey), policy: policy).verify(rubbish)
        let verifier = try JWSVerifier(
            keys: KeySet(try fixture.leaf.publicKey), policy: policy, trust: try fixture.trust())
        #expect(refusal(verifier, rubbish) == .malformed(ParseFailure(.certificate, .der)))
    }

    @Test("a token with a trusted x5c and a signature of another key is rejected") func stolen() throws {
        let thief = try PrivateKey.generate(.p256)
        let verifier = try JWSVerifier(keys: KeySet(thief), policy: policy, trust: try fixture.trust())
        let list = chain.certificates.map { #""\#($0.base64)""# }.joined(separator: ",")
        let header = #"{"alg":"ES256","x5c":[\#(list)]}"#
        // It is rejected even if the attacker's own key is in the set.
        #expect(refusal(verifier, try forged(header, by: thief)) == .signatureInvalid)
        _ = try verifier.verify(forged(header, by: fixture.leaf.privateKey))
        _ = try verifier.verify(forged(#"{"alg":"ES256"}"#, by: thief))
        // The issuer's key does not verify a token of the leaf.
        #expect(refusal(verifier, try forged(header, by: fixture.intermediate.privateKey)) == .signatureInvalid)
        let issuer = try token(fixture.chain(fixture.intermediate, fixture.root), by: fixture.intermediate.privateKey)
        #expect(refusal(verifier, issuer) == .certificateInvalid(.usage))
    }

    @Test("allowed algorithms and key checks apply to the keys of certificates too (RFC 8725, 3.1)")
    func algorithm()
        throws
    {
        let good = try token(chain, by: fixture.leaf.privateKey)
        let trust = try fixture.trust()
        let others = try JWSVerifier(keys: KeySet.empty, policy: SignaturePolicy(algorithms: [.ps256]), trust: trust)
        #expect(refusal(others, good) == .algorithmNotAllowed(.signature))
        let both = try JWSVerifier(
            keys: KeySet.empty, policy: SignaturePolicy(algorithms: [.ps256, .es256, .hs256]), trust: trust)
        _ = try both.verify(good)
        let list = chain.certificates.map { #""\#($0.base64)""# }.joined(separator: ",")
        for name in ["PS256", "HS256"] {
            let confused = try forged(#"{"alg":"\#(name)","x5c":[\#(list)]}"#, by: fixture.leaf.privateKey)
            #expect(refusal(both, confused) == .keyUnsuitable(.kind), "\(name)")
        }
        let rsa = try fixture.leaf(Words.leaf, .rsa(2048))
        let signed = try token(fixture.chain(rsa, fixture.intermediate), by: rsa.privateKey, .ps256)
        _ = try both.verify(signed)
        let small = try fixture.leaf(Words.leaf, .rsa(1024))
        let smallChain = try fixture.chain(small, fixture.intermediate).certificates.map { #""\#($0.base64)""# }
        let weak = try forged(
            #"{"alg":"PS256","x5c":[\#(smallChain.joined(separator: ","))]}"#, by: fixture.leaf.privateKey)
        #expect(refusal(both, weak) == .keyUnsuitable(.tooSmall))
    }

    @Test("an x5t or x5t#S256 that does not match the header's own x5c is rejected (RFC 7515, 4.1.7 and 4.1.8)")
    func ownThumbprints() throws {
        let verifier = try JWSVerifier(keys: KeySet.empty, policy: policy, trust: try fixture.trust())
        let key = try fixture.leaf.privateKey
        for members in [[.x5c, .x5t], [.x5c, .x5tS256], [.x5c, .x5t, .x5tS256]] as [CertificateMembers] {
            _ = try verifier.verify(token(chain, by: key, .es256, members))
        }
        let other = chain.certificates[1]
        for more in [
            ("x5t", base64URL(other.sha1Thumbprint)), ("x5t#S256", base64URL(other.sha256Thumbprint)),
            ("x5t", base64URL(chain.leaf.sha256Thumbprint)), ("x5t#S256", ""),
            ("x5t", base64URL(chain.leaf.sha1Thumbprint) + "="),
        ] {
            #expect(refusal(verifier, try token(chain, by: key, more: [more])) == .certificateInvalid(.thumbprint))
        }
    }

    @Test("limits apply to x5c: number of certificates, bytes of each, bytes of the header (T35)")
    func limits() throws {
        let key = try fixture.leaf.privateKey
        let root = try Certificate(pem: fixture.root.pem)
        func header(_ texts: [String]) throws -> String {
            try forged(JSON.object(["alg": .string("ES256"), "x5c": .array(texts.map { .string($0) })]).text, by: key)
        }
        var roomy = policy
        roomy.limits.headerBytes = 1 << 20
        roomy.limits.tokenBytes = 2 << 20
        let verifier = try JWSVerifier(keys: KeySet.empty, policy: roomy, trust: try fixture.trust())
        let strict = try JWSVerifier(keys: KeySet.empty, policy: policy, trust: try fixture.trust())
        let texts = chain.certificates.map(\.base64)
        let ten = texts + Array(repeating: root.base64, count: 8)
        _ = try verifier.verify(header(ten))
        #expect(refusal(verifier, try header(ten + [root.base64])) == .limitExceeded(.certificates))
        #expect(
            refusal(verifier, try header(Array(repeating: root.base64, count: 1_000))) == .limitExceeded(.certificates))
        let huge = String(repeating: "A", count: 64 * 1024)
        #expect(refusal(verifier, try header([huge])) == .limitExceeded(.certificateBytes))
        #expect(refusal(strict, try header([huge])) == .limitExceeded(.headerBytes))
        _ = try strict.verify(header(texts))
        for (bad, fault) in [
            ([], ParseFailure(.certificate, .json)), ([texts[0] + "\n"], ParseFailure(.certificate, .base64)),
        ] {
            #expect(refusal(verifier, try header(bad)) == .malformed(fault))
        }
        #expect(refusal(verifier, try header([texts[1], texts[0]])) == .certificateInvalid(.order))
    }

    @Test("detached, streamed and JSON verification use the key of x5c and check its path") func forms() throws {
        var header = HeaderParameters()
        header.set(certificates: chain)
        let signer = try JWSSigner(key: fixture.leaf.privateKey, algorithm: .es256, header: header)
        let verifier = try JWSVerifier(keys: KeySet.empty, policy: policy, trust: try fixture.trust())
        let foreign = try JWSVerifier(
            keys: KeySet.empty, policy: policy, trust: try fixture.trust([fixture.foreignRoot]))
        let payload = Array("hello".utf8)
        let detached = try signer.sign(detached: payload)
        #expect(try verifier.verify(detached, detachedPayload: payload).key.certificates == chain)
        #expect(throws: JOSEError.certificateInvalid(.untrusted)) {
            try foreign.verify(detached, detachedPayload: payload)
        }
        var stream = try verifier.stream(detached)
        try stream.update(payload)
        #expect(try stream.finish().key.certificates == chain)
        #expect(throws: JOSEError.certificateInvalid(.untrusted)) { _ = try foreign.stream(detached) }
        let json = try JSONSigner(signer).sign(payload)
        #expect(try verifier.verify(json: json).signatures.first?.key.certificates == chain)
        #expect(throws: JOSEError.certificateInvalid(.untrusted)) { try foreign.verify(json: json) }
        // In the unprotected header it is as good, because the path and the signature verify it.
        var beside = HeaderParameters()
        beside.set(certificates: chain)
        let bare = try JWSSigner(key: fixture.leaf.privateKey, algorithm: .es256)
        let unprotected = try JSONSigner(bare, unprotected: beside).sign(payload)
        #expect(try verifier.verify(json: unprotected).signatures.first?.key.certificates == chain)
    }

    @Test("an x5t in the header selects the key with that certificate, and no other key")
    func selection() throws {
        let (one, two) = (fixture.leaf, try fixture.leaf(Words.leaf))
        func certified(_ issued: CertificateFixture.Issued, keyID: String? = nil) throws -> PublicKey {
            var key = try Certificate(pem: issued.pem).publicKey()
            key.keyID = keyID
            return key
        }
        let (first, second) = (try Certificate(pem: one.pem), try Certificate(pem: two.pem))
        func names(_ certificate: Certificate) -> [[(String, String)]] {
            [
                [("x5t", base64URL(certificate.sha1Thumbprint))],
                [("x5t#S256", base64URL(certificate.sha256Thumbprint))],
            ]
        }
        let set = KeySet([.publicKey(try certified(one)), .publicKey(try certified(two))])
        let verifier = try JWSVerifier(keys: set, policy: policy)
        for (issued, own, other) in [(one, first, second), (two, second, first)] {
            for more in names(own) { _ = try verifier.verify(token(nil, by: issued.privateKey, more: more)) }
            for more in names(other) {
                #expect(refusal(verifier, try token(nil, by: issued.privateKey, more: more)) == .signatureInvalid)
            }
            _ = try verifier.verify(token(nil, by: issued.privateKey))
        }
        // With one key, a thumbprint of another certificate rejects it, whatever the kid is.
        let named = try JWSVerifier(keys: KeySet(try certified(one, keyID: "k")), policy: policy)
        for more in names(second) + [[("x5t", "rubbish")]] {
            for keyID in ["k", nil] {
                let token = try token(nil, by: one.privateKey, keyID: keyID, more: more)
                #expect(refusal(named, token) == .keyUnsuitable(.certificate))
            }
        }
        for more in names(first) { _ = try named.verify(token(nil, by: one.privateKey, keyID: "k", more: more)) }
        // A key without certificates is selected as before.
        _ = try JWSVerifier(keys: KeySet(one.publicKey), policy: policy).verify(
            token(nil, by: one.privateKey, more: names(second)[0]))
        // Nine keys are too many to try, unless the thumbprint selects one.
        let many = try (0..<8).map { _ in JWK.publicKey(try certified(fixture.leaf(Words.leaf))) }
        let crowd = try JWSVerifier(keys: KeySet(many + [.publicKey(try certified(one))]), policy: policy)
        #expect(refusal(crowd, try token(nil, by: one.privateKey)) == .keyUnsuitable(.ambiguous))
        for more in names(first) { _ = try crowd.verify(token(nil, by: one.privateKey, more: more)) }
    }

    @Test("an x5t selects decryption keys too (RFC 7516, 4.1.9 and 4.1.10)") func decryption() throws {
        let usage = ["basicConstraints=critical,CA:FALSE", "keyUsage=keyAgreement"]
        let (one, two) = (try fixture.leaf(usage), try fixture.leaf(usage))
        let trust = try fixture.trust()
        let recipient = try trust.verify(fixture.chain(one, fixture.intermediate), for: .encryption)
        #expect(throws: JOSEError.certificateInvalid(.usage)) {
            try trust.verify(fixture.chain(one, fixture.intermediate))
        }
        var header = HeaderParameters()
        header.set(certificates: try #require(recipient.certificates), members: [.x5t, .x5tS256])
        let token = try JWEEncrypter(
            key: recipient, keyManagement: .ecdhES, contentEncryption: .a128gcm, header: header
        ).encrypt("hello")
        func keys(_ issued: [CertificateFixture.Issued], _ certificates: [CertificateFixture.Issued]) throws -> KeySet {
            KeySet(
                try zip(issued, certificates).map { issued, certificate in
                    var key = try issued.privateKey
                    if issued.name == certificate.name { try key.setCertificates(fixture.chain(certificate)) }
                    return .privateKey(key)
                })
        }
        let policy = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        _ = try JWEDecrypter(keys: keys([two, one], [two, one]), policy: policy).decrypt(token)
        _ = try JWEDecrypter(keys: keys([one], [two]), policy: policy).decrypt(token)
        #expect(throws: JOSEError.keyUnsuitable(.certificate)) {
            try JWEDecrypter(keys: keys([two], [two]), policy: policy).decrypt(token)
        }
        #expect(throws: JOSEError.decryptionFailed) {
            try JWEDecrypter(keys: keys([two], [one]), policy: policy).decrypt(token)
        }
    }

    @Test("a signer whose header has another key's certificate is rejected when it is created")
    func ownHeader() throws {
        var header = HeaderParameters()
        header.set(certificates: try fixture.chain(fixture.intermediate), members: .x5t)
        #expect(throws: JOSEError.keyInvalid(.certificate)) {
            try JWSSigner(key: fixture.leaf.privateKey, algorithm: .es256, header: header)
        }
        _ = try JWSSigner(key: fixture.intermediate.privateKey, algorithm: .es256, header: header)
        #expect(throws: JOSEError.keyInvalid(.certificate)) {
            try JWSSigner(key: SecretKey.generate(bits: 256), algorithm: .hs256, header: header)
        }
        #expect(throws: JOSEError.keyInvalid(.certificate)) {
            try JWEEncrypter(
                key: fixture.leaf.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm, header: header)
        }
        header.set("x5t", "twice")
        #expect(throws: JOSEError.self) {
            try JWSSigner(key: fixture.intermediate.privateKey, algorithm: .es256, header: header)
        }
    }
}

private enum Raw {
    /// Returns the ES256 signature over the text.
    static func signed(_ input: String, by key: PrivateKey) throws -> String {
        guard case .asymmetric(let key) = key.material else { return "" }
        return input + "." + base64URL(try key.sign(.es256, input.utf8.span))
    }
}
