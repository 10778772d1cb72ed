import JOSE
import TestSupport
import Testing

@Suite("Bounds of sizes, and headers for another use") struct BoundTests {
    let key: SecretKey

    init() throws { key = try SecretKey(bytes: Array(0..<32)) }

    @Test("generated keys have supported sizes only") func sizes() throws {
        for bits in [8200, 16_384, 2049, 2052] {
            #expect(throws: JOSEError.keyInvalid(.outOfBounds), "\(bits)") { try PrivateKey.generate(.rsa(bits: bits)) }
        }
        #expect(throws: JOSEError.keyUnsuitable(.tooSmall)) { try PrivateKey.generate(.rsa(bits: 2040)) }
        #expect(try PrivateKey.generate(.rsa(bits: 2048)).kind == .rsa(bits: 2048))
        #expect(throws: JOSEError.keyInvalid(.privateKeyRequired)) { try PrivateKey.generate(.octets(bits: 256)) }
        for bits in [0, 120, 127] {
            #expect(throws: JOSEError.keyUnsuitable(.generatedTooShort), "\(bits)") {
                try SecretKey.generate(bits: bits)
            }
        }
        for bits in [129, 65_537, 65_544] {
            #expect(throws: JOSEError.keyInvalid(.outOfBounds), "\(bits)") { try SecretKey.generate(bits: bits) }
        }
        for bits in [128, 65_536] { #expect(try SecretKey.generate(bits: bits).kind == .octets(bits: bits)) }
    }

    @Test("a secret key has 1 to 8192 bytes") func octets() throws {
        #expect(throws: JOSEError.keyUnsuitable(.secretEmpty)) { try SecretKey(bytes: []) }
        #expect(throws: JOSEError.keyInvalid(.outOfBounds)) { try SecretKey(bytes: [UInt8](repeating: 1, count: 8193)) }
        for count in [1, 8192] {
            #expect(try SecretKey(bytes: [UInt8](repeating: 1, count: count)).kind == .octets(bits: count * 8))
        }
        func jwk(_ count: Int) -> String { #"{"kty":"oct","k":"\#(base64URL([UInt8](repeating: 1, count: count)))"}"# }
        let tooLong = JOSEError.keyInvalid(.member("k", .tooLong(8193, maximum: 8192)))
        #expect(throws: tooLong) { try SecretKey(jwk: jwk(8193)) }
        #expect(try SecretKey(jwk: jwk(8192)).kind == .octets(bits: 65_536))
    }

    @Test("T36: crit has at most 32 names") func critical() throws {
        for count in [32, 33] {
            let names = (0..<count).map { "x\($0)" }
            var header = HeaderParameters()
            for name in names { header.set(name, "") }
            header.critical = names
            if count == 32 {
                let token = try JWSSigner(key: key, algorithm: .hs256, header: header).sign("x")
                var policy = SignaturePolicy(algorithms: [.hs256])
                policy.understoodCritical = names
                #expect(try JWSVerifier(keys: KeySet(key), policy: policy).verify(token).payload == Array("x".utf8))
            } else {
                #expect(throws: JOSEError.headerInvalid(.critical)) {
                    try JWSSigner(key: key, algorithm: .hs256, header: header)
                }
            }
        }
    }

    @Test("b64 false is rejected where crit names other members alone (RFC 7797, 6)") func unencoded() throws {
        for (critical, isValid) in [(#"["x"]"#, false), (#"["x","b64"]"#, true)] {
            let header = #"{"alg":"HS256","x":1,"b64":false,"crit":\#(critical)}"#
            let token = try HeaderTests().token(header)
            var policy = SignaturePolicy(algorithms: [.hs256])
            policy.understoodCritical = ["x"]
            let verifier = try JWSVerifier(keys: KeySet(key), policy: policy)
            // The signature is over the bytes that follow the header, so that it is valid with an unencoded payload
            // too.
            if isValid {
                #expect(try verifier.verify(token).header.payloadIsUnencoded)
            } else {
                #expect(throws: JOSEError.headerInvalid(.b64)) { try verifier.verify(token) }
            }
        }
    }

    @Test("members that belong to encryption are rejected in headers of signatures (RFC 7518, 4.6.1)") func agreement()
        throws
    {
        let changes: [(inout HeaderParameters) -> Void] = [
            { $0.agreementPartyU = [1] }, { $0.agreementPartyV = [1] },
        ]
        let signer = try JWSSigner(key: key, algorithm: .hs256)
        for change in changes {
            var header = HeaderParameters()
            header.type = "JWT"
            #expect(throws: Never.self) { try JWSSigner(key: key, algorithm: .hs256, header: header) }
            #expect(throws: Never.self) { try JSONSigner([.init(signer, unprotected: header)]) }
            change(&header)
            #expect(throws: JOSEError.headerInvalid(.agreementInfo)) {
                try JWSSigner(key: key, algorithm: .hs256, header: header)
            }
            #expect(throws: JOSEError.headerInvalid(.agreementInfo)) {
                try JSONSigner([.init(signer, unprotected: header)])
            }
        }
    }

    @Test("members of one recipient are rejected in headers that all share (RFC 7516, 7.2.1)") func shared() throws {
        let wrap = try JWEEncrypter(key: key, keyManagement: .a256kw, contentEncryption: .a128gcm)
        let changes: [(JOSEError, (inout HeaderParameters) -> Void)] = [
            (.headerInvalid(.agreementInfo), { $0.agreementPartyU = [1] }),
            (.headerInvalid(.agreementInfo), { $0.agreementPartyV = [1] }),
            (.headerInvalid(.password), { $0.passwordIterations = 1_000 }),
        ]
        for (error, change) in changes {
            var header = HeaderParameters(type: "JWT")
            #expect(throws: Never.self) { try JSONEncrypter([wrap], protected: header) }
            #expect(throws: Never.self) { try JSONEncrypter([wrap], shared: header) }
            change(&header)
            #expect(throws: error) { try JSONEncrypter([wrap], protected: header) }
            #expect(throws: error) { try JSONEncrypter([wrap], shared: header) }
        }
    }

    @Test("at most 16 signatures and 16 recipients are written") func counts() throws {
        let signer = try JWSSigner(key: key, algorithm: .hs256)
        let wrap = try JWEEncrypter(key: key, keyManagement: .a256kw, contentEncryption: .a128gcm)
        #expect(throws: Never.self) { try JSONSigner(Array(repeating: .init(signer), count: 16)) }
        #expect(throws: JOSEError.limitExceeded(.signatures)) {
            try JSONSigner(Array(repeating: .init(signer), count: 17))
        }
        #expect(throws: Never.self) { try JSONEncrypter(Array(repeating: wrap, count: 16)) }
        #expect(throws: JOSEError.limitExceeded(.recipients)) { try JSONEncrypter(Array(repeating: wrap, count: 17)) }
    }

    @Test("a detached payload of a JWS in JSON has the bound of any payload") func detached() throws {
        let payload = [UInt8](repeating: 7, count: 100)
        let json = try JSONSigner([.init(JWSSigner(key: key, algorithm: .hs256))]).sign(detached: payload)
        var policy = SignaturePolicy(algorithms: [.hs256])
        policy.limits.plaintextBytes = 100
        let fits = try JWSVerifier(keys: KeySet(key), policy: policy)
        #expect(try fits.verify(json: json, detachedPayload: payload).payload == payload)
        policy.limits.plaintextBytes = 99
        let small = try JWSVerifier(keys: KeySet(key), policy: policy)
        #expect(throws: JOSEError.limitExceeded(.plaintextBytes)) {
            try small.verify(json: json, detachedPayload: payload)
        }
    }

    @Test("the size limit of a trust applies to each certificate of a chain") func certificates() throws {
        let fixture = try CertificateFixture.made.get()
        let chain = try fixture.chain(fixture.leaf, fixture.intermediate)
        let largest = try #require(chain.certificates.map(\.der.count).max())
        var trust = try fixture.trust()
        trust.limits.certificateBytes = largest
        #expect(try trust.verify(chain) == fixture.leaf.publicKey)
        trust.limits.certificateBytes = largest - 1
        #expect(throws: JOSEError.limitExceeded(.certificateBytes)) { try trust.verify(chain) }
    }
}
