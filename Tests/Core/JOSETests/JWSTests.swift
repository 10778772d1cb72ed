import JOSE
import TestSupport
import Testing

@Suite("JWS, compact") struct JWSTests {
    /// Every algorithm, each with a key that fits it.
    static func pairs() throws -> [(SignatureAlgorithm, JWK)] {
        let rsa = JWK.privateKey(try .stored())
        let ed = JWK.privateKey(try .generate(.ed25519))
        let octets = JWK.symmetricKey(try .generate(bits: 512))
        return try SignatureAlgorithm.all.filter(\.isAvailable).map { algorithm in
            switch algorithm {
            case .hs256, .hs384, .hs512: (algorithm, octets)
            case .es256: (algorithm, .privateKey(try .generate(.p256)))
            case .es384: (algorithm, .privateKey(try .generate(.p384)))
            case .es512: (algorithm, .privateKey(try .generate(.p521)))
            case .es256k: (algorithm, .privateKey(try .generate(.secp256k1)))
            case .edDSA, .ed25519: (algorithm, ed)
            case .ed448: (algorithm, .privateKey(try .generate(.ed448)))
            case .mlDSA44: (algorithm, .privateKey(try .generate(.mlDSA44)))
            case .mlDSA65: (algorithm, .privateKey(try .generate(.mlDSA65)))
            case .mlDSA87: (algorithm, .privateKey(try .generate(.mlDSA87)))
            default: (algorithm, rsa)
            }
        }
    }

    static func signer(
        _ key: JWK, _ algorithm: SignatureAlgorithm, _ header: HeaderParameters = HeaderParameters()
    ) throws -> JWSSigner {
        switch key {
        case .privateKey(let key): try JWSSigner(key: key, algorithm: algorithm, header: header)
        case .symmetricKey(let key): try JWSSigner(key: key, algorithm: algorithm, header: header)
        case .publicKey: throw JOSEError.keyInvalid(.privateKeyRequired)
        }
    }

    @Test("each algorithm verifies its signatures over payloads of any length, and no changed ones (RFC 7515, 5)")
    func roundTrips()
        throws
    {
        for (algorithm, key) in try Self.pairs() {
            let signer = try Self.signer(key, algorithm)
            let verifier = try JWSVerifier(keys: KeySet([key]), policy: SignaturePolicy(algorithms: [algorithm]))
            for count in [0, 1, 2, 3, 63, 64, 65, 1000] {
                let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                let token = try signer.sign(payload)
                let verified = try verifier.verify(token)
                #expect(verified.payload == payload && verified.algorithm == algorithm, "\(algorithm) \(count)")
                let dot = token.lastIndex(of: ".")!
                let bytes = part(2, of: token)
                for signature in [
                    "", "AAAA", base64URL(bytes.dropLast()), base64URL(bytes + [0]), base64URL([0] + bytes),
                ] {
                    #expect(throws: JOSEError.signatureInvalid, "\(algorithm) \(count)") {
                        try verifier.verify(token[...dot] + signature)
                    }
                }
            }
        }
    }

    @Test("an algorithm rejects keys of another kind or curve (RFC 8725, 3.1)") func confusion() throws {
        let pairs = try Self.pairs()
        for (algorithm, good) in pairs {
            let token = try Self.signer(good, algorithm).sign("x")
            for (_, key) in pairs {
                let verifier = try JWSVerifier(
                    keys: KeySet([key]), policy: SignaturePolicy(algorithms: SignatureAlgorithm.all))
                if key.kind == good.kind {
                    #expect(throws: Never.self) {
                        try JWSVerifier(keys: KeySet([good]), policy: SignaturePolicy(algorithms: [algorithm])).verify(
                            token)
                    }
                } else if algorithm == .edDSA, key.kind == .ed448 {
                    // EdDSA is the only name for two kinds of keys.
                    #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(token) }
                } else {
                    #expect {
                        try verifier.verify(token)
                    } throws: { error in
                        error as? JOSEError == .keyUnsuitable(.kind) || error as? JOSEError == .keyUnsuitable(.curve)
                    }
                }
            }
        }
    }

    @Test("the key is selected by kid, byte by byte, or else among the keys without a kid (RFC 7515, 4.1.4)")
    func keyID() throws {
        func key(_ fill: UInt8, _ id: String?) throws -> SecretKey {
            var key = try SecretKey(bytes: [UInt8](repeating: fill, count: 32))
            key.keyID = id
            return key
        }
        let policy = SignaturePolicy(algorithms: [.hs256])
        let token = try JWSSigner(key: key(1, "caf\u{e9}"), algorithm: .hs256).sign("x")
        let bare = try JWSSigner(key: key(1, nil), algorithm: .hs256).sign("x")
        func verifier(_ keys: SecretKey...) -> JWSVerifier {
            JWSVerifier(unexaminedKeys: KeySet(keys.map(JWK.symmetricKey)), policy: policy)
        }
        #expect(throws: Never.self) { try verifier(key(2, "b"), key(1, "caf\u{e9}")).verify(token) }
        #expect(throws: Never.self) { try verifier(key(2, "b"), key(1, nil)).verify(token) }
        // The texts are canonically equal, with different bytes (threat X01).
        #expect(throws: JOSEError.keyNotFound) { try verifier(key(1, "cafe\u{301}")).verify(token) }
        #expect(throws: JOSEError.keyNotFound) { try verifier(key(1, "caf")).verify(token) }
        #expect(throws: JOSEError.keyNotFound) { try verifier().verify(token) }
        #expect(throws: JOSEError.signatureInvalid) { try verifier(key(2, "caf\u{e9}"), key(1, nil)).verify(token) }
        #expect(throws: Never.self) { try verifier(key(2, "a"), key(3, "b"), key(4, nil), key(1, "c")).verify(bare) }
        #expect(throws: Never.self) { try verifier(key(2, "caf\u{e9}"), key(1, "caf\u{e9}")).verify(token) }
        // Eight keys are tried, the last of which is the right one, and no more unless the limit is raised.
        let others = try (2..<UInt8(10)).map { JWK.symmetricKey(try key($0, "k\($0)")) }
        let own = JWK.symmetricKey(try key(1, "z"))
        #expect(throws: Never.self) {
            try JWSVerifier(keys: KeySet(Array(others.dropLast()) + [own]), policy: policy).verify(bare)
        }
        #expect(throws: JOSEError.keyUnsuitable(.ambiguous)) {
            try JWSVerifier(keys: KeySet(others + [own]), policy: policy).verify(bare)
        }
        var more = policy
        more.limits.candidateKeys = 9
        #expect(throws: Never.self) { try JWSVerifier(keys: KeySet(others + [own]), policy: more).verify(bare) }
        more.limits.candidateKeys = 1
        #expect(throws: JOSEError.keyUnsuitable(.ambiguous)) {
            try JWSVerifier(keys: KeySet([own, others[0]]), policy: more).verify(bare)
        }
    }

    @Test("alg, use and key_ops restrict what a key is used for (RFC 7517, 4.2 to 4.4)") func binding() throws {
        let token = try JWSSigner(key: SecretKey(bytes: Array(0..<64)), algorithm: .hs256).sign("x")
        let cases: [((inout SecretKey) -> Void, KeyMismatch?)] = [
            ({ _ in }, nil), ({ $0.algorithm = "HS256" }, nil), ({ $0.use = .signature }, nil),
            ({ $0.operations = [.verify] }, nil), ({ $0.algorithm = "HS512" }, .algorithm),
            ({ $0.algorithm = "hs256" }, .algorithm), ({ $0.use = .encryption }, .use),
            ({ $0.operations = [.sign] }, .operations),
        ]
        for (change, reason) in cases {
            var key = try SecretKey(bytes: Array(0..<64))
            change(&key)
            let verifier = JWSVerifier(unexaminedKeys: KeySet(key), policy: SignaturePolicy(algorithms: [.hs256]))
            if let reason {
                #expect(throws: JOSEError.keyUnsuitable(reason)) { try verifier.verify(token) }
            } else {
                #expect(throws: Never.self) { try verifier.verify(token) }
            }
        }
    }

    @Test("EdDSA and Ed25519 name the same algorithm, and each must be allowed by itself (RFC 9864, 2.2)")
    func names() throws {
        let key = try PrivateKey.generate(.ed25519)
        for (made, other) in [(SignatureAlgorithm.edDSA, SignatureAlgorithm.ed25519), (.ed25519, .edDSA)] {
            let token = try JWSSigner(key: key, algorithm: made).sign("x")
            #expect(throws: Never.self) {
                try JWSVerifier(keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [made])).verify(token)
            }
            #expect(throws: JOSEError.algorithmNotAllowed(.signature)) {
                try JWSVerifier(keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [other])).verify(token)
            }
        }
    }

    @Test("each parsing limit has its own error, which one byte over the limit causes", arguments: [0, 1, 2, 3, 4, 5])
    func limits(which: Int)
        throws
    {
        let key = try SecretKey(bytes: Array(0..<32))
        var header = HeaderParameters()
        header.set("x", json: Array("[[{\"a\":1,\"b\":2,\"c\":3,\"d\":4}]]".utf8))
        let token = try JWSSigner(key: key, algorithm: .hs256, header: header).sign("payload")
        let headerBytes = try JWSVerifier(keys: KeySet(key), policy: SignaturePolicy(algorithms: [.hs256])).verify(
            token
        )
        .header.bytes.count
        let cases: [(WritableKeyPath<ParsingLimits, Int>, Int, ParsingLimit)] = [
            (\.tokenBytes, token.utf8.count, .tokenBytes), (\.headerBytes, headerBytes, .headerBytes),
            (\.plaintextBytes, 7, .plaintextBytes), (\.jsonDepth, 4, .jsonDepth), (\.objectMembers, 4, .objectMembers),
            (\.signatureBytes, 32, .signatureBytes),
        ]
        let (path, value, limit) = cases[which]
        var policy = SignaturePolicy(algorithms: [.hs256])
        policy.limits[keyPath: path] = value
        #expect(throws: Never.self) { try JWSVerifier(keys: KeySet(key), policy: policy).verify(token) }
        policy.limits[keyPath: path] = value - 1
        #expect(throws: JOSEError.limitExceeded(limit)) {
            try JWSVerifier(keys: KeySet(key), policy: policy).verify(token)
        }
    }
}
