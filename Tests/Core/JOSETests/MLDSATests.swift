import Foundation
import JOSE
import TestSupport
import Testing

/// These tests check, with a libcrypto before 3.5, what is rejected. `Tests/Scripts/mldsa.sh` runs them with a later one, and
/// with `BULLA_NEEDS_MLDSA`, so that they cannot be skipped there.
@Suite("ML-DSA (RFC 9964)") struct MLDSATests {
    private static let sets: [(kind: KeyKind, algorithm: SignatureAlgorithm, shown: Int, signed: Int)] = [
        (.mlDSA44, .mlDSA44, 1312, 2420), (.mlDSA65, .mlDSA65, 1952, 3309), (.mlDSA87, .mlDSA87, 2592, 4627),
    ]
    private static var isAvailable: Bool { sets.allSatisfy { $0.algorithm.isAvailable } }
    private static let unsupported = JOSEError.keyInvalid(.unsupportedKind)

    private func members(_ name: String) throws -> [String: JSON] {
        try Fixture.members("rfc9964/keys", "9964-A.1-\(name)-key")
    }

    @Test("ML-DSA is available if BULLA_NEEDS_MLDSA requires it") func needed() {
        let isNeeded = ProcessInfo.processInfo.environment["BULLA_NEEDS_MLDSA"] != nil
        #expect(Self.isAvailable || !isNeeded)
    }

    @Test("where ML-DSA is not available, its keys are rejected as unsupported, and its names are still known")
    func absent() throws {
        guard !Self.isAvailable else { return }
        for (kind, algorithm, _, _) in Self.sets {
            #expect(SignatureAlgorithm.all.contains(algorithm) && SignatureAlgorithm(name: algorithm.name) == algorithm)
            #expect(refusal { () throws(JOSEError) in try PrivateKey.generate(kind) } == Self.unsupported)
            let key = try members(algorithm.name)
            #expect(refusal(key) == Self.unsupported)
            #expect(refusal(key.without("priv")) == Self.unsupported)
        }
    }

    @Test("ML-DSA keys sign, verify and survive a round trip in JWK, PEM and DER; each signature differs")
    func roundTrips() throws {
        for (kind, algorithm, shown, signed) in Self.sets where algorithm.isAvailable {
            let key = try PrivateKey.generate(kind)
            #expect(key.algorithm == algorithm.name && key.publicKey.algorithm == algorithm.name)
            let jwk = try JSON(key.exportPrivateJWK())
            #expect(jwk["kty"]?.string == "AKP" && jwk["alg"]?.string == algorithm.name)
            #expect(jwk["priv"]?.string.flatMap { bytes(base64URL: $0) }?.count == 32)
            #expect(jwk["pub"]?.string.flatMap { bytes(base64URL: $0) }?.count == shown)
            let half = key.publicKey
            #expect(try PublicKey(jwk: half.jwk()) == half && PrivateKey(jwk: jwk.text) == key)
            #expect(try PublicKey(der: half.der()) == half && PublicKey(pem: half.pem()) == half)
            let der = try key.exportPrivateDER()
            #expect(
                try PrivateKey(der: der) == key && PrivateKey(der: der).exportPrivateJWK() == key.exportPrivateJWK())
            let pem = String(decoding: try key.exportPrivatePEM(), as: UTF8.self)
            #expect(try PrivateKey(pem: pem).algorithm == algorithm.name)
            for form in [PrivateKeyForm.pkcs1, .sec1] {
                #expect(refusal { () throws(JOSEError) in try key.exportPrivateDER(form) } == .keyInvalid(.form))
            }

            let signer = try JWSSigner(key: key, algorithm: algorithm)
            let verifier = try JWSVerifier(keys: KeySet(half), policy: SignaturePolicy(algorithms: [algorithm]))
            let tokens = try [signer.sign("x"), signer.sign("x")]
            #expect(tokens[0] != tokens[1], "hedged, FIPS 204, 3.4")
            for token in tokens { #expect(try verifier.verify(token).payload == [120]) }
            let signature = part(2, of: tokens[0])
            #expect(signature.count == signed)
            let input = tokens[0].prefix { $0 != "." } + ".eA."
            for place in [0, 31, 32, signed / 2, signed - 1] {
                var wrong = signature
                wrong[place] ^= 1
                #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(input + base64URL(wrong)) }
            }
            for wrong in [[], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0, count: signed)] {
                #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(input + base64URL(wrong)) }
            }
            #expect(throws: JOSEError.algorithmNotAllowed(.signature)) { try algorithm.tokenHash(of: "x") }
        }
    }

    @Test("an ML-DSA key fits only the algorithm of its parameter set (RFC 9964, 3)") func binding() throws {
        guard Self.isAvailable else { return }
        for (kind, algorithm, _, _) in Self.sets {
            var key = try PrivateKey.generate(kind)
            for (_, other, _, _) in Self.sets where other != algorithm {
                #expect(throws: JOSEError.keyUnsuitable(.kind)) { try JWSSigner(key: key, algorithm: other) }
            }
            for other in [SignatureAlgorithm.es256, .edDSA, .rs256, .hs256] {
                #expect(throws: JOSEError.keyUnsuitable(.kind)) { try JWSSigner(key: key, algorithm: other) }
            }
            for management in KeyManagementAlgorithm.all {
                #expect(throws: JOSEError.keyUnsuitable(.kind)) {
                    try JWEEncrypter(key: key.publicKey, keyManagement: management, contentEncryption: .a128gcm)
                }
            }
            key.algorithm = nil
            #expect(try JSON(key.publicKey.jwk().utf8)["alg"]?.string == algorithm.name)
            #expect(throws: Never.self) { try JWSSigner(key: key, algorithm: algorithm) }
            key.algorithm = "ES256"
            #expect(throws: JOSEError.keyUnsuitable(.algorithm)) { try JWSSigner(key: key, algorithm: algorithm) }
        }
    }

    @Test("an ML-DSA JWK must have alg, pub and, if private, the matching 32-byte seed (RFC 9964, 3, 4 and 7.4; T61)")
    func members()
        throws
    {
        for (_, algorithm, shown, _) in Self.sets {
            let key = try members(algorithm.name)
            for name in ["alg", "pub", "kty"] {
                #expect(refusal(key.without(name)) == .keyInvalid(.member(name, .missing)))
            }
            for name in ["ES256", "ML-DSA", "ML-DSA-44 ", "HashML-DSA-44", ""] {
                #expect(refusal(key.with("alg", name)) == .keyInvalid(.member("alg", .unsupported)), "\(name)")
            }
            #expect(refusal(key.with("alg", "ml-dsa-44")) == .keyInvalid(.member("alg", .letterCase("ML-DSA-44"))))
            for count in [0, 1, shown - 1, shown + 1] {
                let wrong = key.with("pub", octets: [UInt8](repeating: 1, count: count))
                let fault = KeyMemberFault.length(count, required: shown)
                #expect(refusal(wrong) == .keyInvalid(.member("pub", fault)), "\(count)")
            }
            let isNumber = KeyMemberFault.type(found: .number, required: .string)
            #expect(refusal(key.with("pub", .number(1))) == .keyInvalid(.member("pub", isNumber)))
            guard algorithm.isAvailable else { continue }
            #expect(refusal(key) == nil && refusal(key.without("priv")) == nil)
            for count in [0, 31, 33, 2560, 4032, 4896] {
                let wrong = key.with("priv", octets: [UInt8](repeating: 0, count: count))
                let fault = KeyMemberFault.length(count, required: 32)
                #expect(refusal(wrong) == .keyInvalid(.member("priv", fault)), "\(count)")
            }
            let other = [UInt8](repeating: 0, count: 31) + [1]
            #expect(refusal(key.with("priv", octets: other)) == .keyInvalid(.numbers))
            var pub = try key.octets("pub")
            pub[0] ^= 1
            #expect(refusal(key.with("pub", octets: pub)) == .keyInvalid(.numbers))
            let set = #"{"keys":[\#(key.text)]}"#
            #expect(
                refusal { () throws(JOSEError) in try KeySet(parsing: set, as: .publicOnly) }
                    == .keyInvalid(.privateInPublicSet))
        }
    }

    @Test("an ML-DSA file may contain the expanded key with its seed, and not alone (RFC 9964, 4; RFC 9881, 6)")
    func files()
        throws
    {
        guard Self.isAvailable else { return }
        let data = try JSON(Data(contentsOf: VectorFile.folder.appending(path: "own/mldsa.json")))
        func file(_ name: String) throws -> [UInt8] {
            try #require(data[name]?.string.flatMap { bytes(base64URL: $0) })
        }
        let key = try PrivateKey(jwk: try members("ML-DSA-44").text)
        let both = try file("both")
        #expect(try PrivateKey(der: both) == key)
        #expect(try PrivateKey(der: both).exportPrivateDER() == key.exportPrivateDER())
        #expect(try key.exportPrivateDER().count == 54)
        let expanded = try file("expanded")
        #expect(refusal { () throws(JOSEError) in try PrivateKey(der: expanded) } == Self.unsupported)
        // The seed is not that of the expanded key.
        var mixed = both
        mixed[both.count - 2560 - 5] ^= 1
        #expect(refusal { () throws(JOSEError) in try PrivateKey(der: mixed) } == .keyInvalid(.numbers))
        for wrong in [both + [0], Array(both.dropLast()), try key.exportPrivateDER() + [0]] {
            #expect(refusal { () throws(JOSEError) in try PrivateKey(der: wrong) } == .keyInvalid(.numbers))
        }
    }
}
