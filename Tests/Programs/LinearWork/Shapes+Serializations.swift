import JOSE
import JOSESupport

extension Shapes {
    /// The shapes of the JSON serializations of JWS and JWE.
    static var serializations: [Shape] {
        [
            jws("signatures", 4) { list($0) { _ in signature } },
            jws("signatures beyond the limit", 32, isAccepted: false) { list($0) { _ in signature } },
            jws("signatures that are empty", 4, isAccepted: false) { list($0) { _ in "{}" } },
            jws("members of a signature", 64) {
                "{\"m\":0," + list($0) { "\"m\($0)\":0" } + "," + signature.dropFirst()
            },
            jws("members of an unprotected header", 64) {
                "{\"header\":{" + list($0) { "\"m\($0)\":0" } + "}," + signature.dropFirst()
            },
            Shape("jws json.members", 64) { count in
                let text = "{" + list(count) { "\"m\($0)\":0" } + ",\"payload\":\"\",\"signatures\":[\(signature)]}"
                let verifier = verifier()
                return { accepts { _ = try verifier.verify(json: text) } }
            },
            Shape("jws json.payload", 1_024) { count in
                guard let secret, case .symmetricKey(let key) = secret else { return { false } }
                let text = try JSONSigner(JWSSigner(key: key, algorithm: .hs256)).sign(times(count, "x"))
                let verifier = verifier()
                return { accepts { _ = try verifier.verify(json: text) } }
            },
            Shape("jwe json.recipients", 4) { count in
                let text = try sealed(count)
                let decrypter = try decrypter()
                return { accepts { _ = try decrypter.decrypt(json: text) } }
            },
            Shape("jwe json.recipients beyond the limit", 32, isAccepted: false) { count in
                let text = "{\"ciphertext\":\"\",\"recipients\":[" + list(count) { _ in "{}" } + "]}"
                let decrypter = try decrypter()
                return { accepts { _ = try decrypter.decrypt(json: text) } }
            },
            Shape("jwe json.members", 64) { count in
                let text = "{" + list(count) { "\"m\($0)\":0" } + "," + (try sealed(1).dropFirst())
                let decrypter = try decrypter()
                return { accepts { _ = try decrypter.decrypt(json: text) } }
            },
        ]
    }

    /// The signature over an empty payload.
    private static let signature: String = {
        guard let secret, case .symmetricKey(let key) = secret,
            let token = try? JWSSigner(key: key, algorithm: .hs256).sign("")
        else { return "" }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        return "{\"protected\":\"\(parts[0])\",\"signature\":\"\(parts[2])\"}"
    }()

    private static func verifier() -> JWSVerifier {
        JWSVerifier(unexaminedKeys: secret.map { KeySet($0) } ?? .empty, policy: SignaturePolicy(algorithms: [.hs256]))
    }

    private static func jws(
        _ name: String, _ count: Int, isAccepted: Bool = true, _ signatures: @escaping (Int) -> String
    ) -> Shape {
        Shape("jws json." + name, count, isAccepted: isAccepted) { count in
            let text = "{\"payload\":\"\",\"signatures\":[\(signatures(count))]}"
            let verifier = verifier()
            return { accepts { _ = try verifier.verify(json: text) } }
        }
    }

    private static func decrypter() throws -> JWEDecrypter {
        try JWEDecrypter(
            keys: KeySet(.symmetricKey(try wrapKey(0))),
            policy: EncryptionPolicy(keyManagement: [.a128kw], contentEncryption: [.a128gcm]))
    }

    private static func wrapKey(_ index: Int) throws -> SecretKey {
        var key = try SecretKey(bytes: [UInt8](repeating: UInt8(index), count: 16))
        key.keyID = "k\(index)"
        return key
    }

    /// Returns a token for `count` recipients, of which the decrypter's is the last.
    private static func sealed(_ count: Int) throws -> String {
        let recipients = try (0..<count).reversed().map { index in
            try JWEEncrypter(key: try wrapKey(index), keyManagement: .a128kw, contentEncryption: .a128gcm)
        }
        return try JSONEncrypter(recipients).encrypt("x")
    }
}
