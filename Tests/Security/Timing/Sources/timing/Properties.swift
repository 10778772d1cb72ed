import CTiming
import JOSE
import JOSETokens

/// The properties that are measured. Every token is rejected, and all tokens of a row with the same error.
struct Properties {
    let material: Material
    /// The number of samples of an operation that takes microseconds. A private RSA operation has a tenth of it.
    let samples: Int

    func all() throws -> [Property] { try controls() + compare() + padding() + rsa15() + oaep() }

    private func many(_ count: Int = 256, _ make: () -> [UInt8]) -> [[UInt8]] { (0..<count).map { _ in make() } }

    private func controls() -> [Property] {
        let right = Material.random(64)
        func wrong(at place: Int) -> [UInt8] {
            var bytes = right
            bytes[place] ^= 0xFF
            return bytes
        }
        func run(_ input: [UInt8]) { _ = timing_leaky_compare(input, right, right.count) }
        return [
            Property(
                name: "planted: a comparison that ends at the first difference", classes: ("first byte", "last byte"),
                expectation: .leaks, inputs: ([wrong(at: 0)], [wrong(at: 63)]), samples: samples, run: run),
            Property(
                name: "control: the same input in both classes", classes: ("first byte", "first byte"),
                inputs: ([wrong(at: 0)], [wrong(at: 0)]), samples: samples, run: run),
        ]
    }

    private func compare() throws -> [Property] {
        let verifier = try JWSVerifier(keys: KeySet(material.secret), policy: SignaturePolicy(algorithms: [.hs256]))
        let signer = try JWSSigner(key: material.secret, algorithm: .hs256)
        let token = try signer.sign(Array("forty bytes of a payload that says nothing".utf8))
        let dot = token.utf8.count - 43
        func wrong(at place: Int) -> [UInt8] {
            var bytes = Array(token.utf8)
            bytes[dot + place] = bytes[dot + place] == UInt8(ascii: "A") ? UInt8(ascii: "E") : UInt8(ascii: "A")
            return bytes
        }
        func refused(_ token: [UInt8]) {
            do throws(JOSEError) {
                _ = try verifier.verify(token)
                preconditionFailure("accepted")
            } catch { precondition(error == .signatureInvalid) }
        }
        let content = [true, false].map { last in
            many(64) {
                var token = material.content(Material.random(16) + [UInt8](repeating: 16, count: 16), tagHolds: true)
                // The bit belongs to the first or the last character of the tag that encodes a whole byte.
                let place = token.count - (last ? 2 : 22)
                token[place] = token[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                return token
            }
        }
        return [
            Property(
                name: "HS256, tag", classes: ("wrong in the first byte", "wrong in the last byte"),
                inputs: ([wrong(at: 0)], [wrong(at: 41)]), samples: samples, run: refused),
            Property(
                name: "A128CBC-HS256, tag", classes: ("wrong in the last byte", "wrong in the first byte"),
                inputs: (content[0], content[1]), samples: samples, run: try decrypting(.dir)),
        ]
    }

    /// A right padding of 16 bytes, and wrong ones.
    private func padding() throws -> [Property] {
        func last(_ count: UInt8, wrongAt place: Int? = nil) -> [UInt8] {
            var block = [UInt8](repeating: count, count: 16)
            if let place { block[place] ^= 1 }
            return block
        }
        func tokens(_ last: [UInt8], tagHolds: Bool) -> [[UInt8]] {
            many { material.content(Material.random(16) + last, tagHolds: tagHolds) }
        }
        let run = try decrypting(.dir)
        return [
            Property(
                name: "A128CBC-HS256, padding behind a wrong tag", classes: ("padding right", "padding wrong"),
                inputs: (tokens(last(16), tagHolds: false), tokens(last(17), tagHolds: false)), samples: samples,
                run: run),
            Property(
                name: "A128CBC-HS256, wrong padding behind a right tag",
                classes: ("its count is 0", "wrong in the first of 16"),
                inputs: (tokens(last(0), tagHolds: true), tokens(last(16, wrongAt: 0), tagHolds: true)),
                samples: samples, run: run),
        ]
    }

    private func rsa15() throws -> [Property] {
        let header = #"{"alg":"RSA1_5","enc":"A128CBC-HS256"}"#
        let run = try decrypting(.rsa1_5BrokenDecryptionOnly)
        func token(_ block: [UInt8]) -> [UInt8] { material.token(header, encryptedKey: material.power(block)) }
        func right() -> [UInt8] { token(material.rsa15Block(Material.random(32))) }
        return [
            Property(
                name: "RSA1_5, padding", classes: ("right", "none"),
                inputs: (many(make: right), many { token([0] + Material.random(255, 3...255)) }),
                samples: samples / 10, run: run),
            Property(
                name: "RSA1_5, content key", classes: ("of 32 bytes", "of 16 bytes"),
                inputs: (many(make: right), many { token(material.rsa15Block(Material.random(16))) }),
                samples: samples / 10, run: run),
        ]
    }

    /// The rows of RSA-OAEP for single tokens, and for two tokens whose keys are decrypted together.
    private func oaep() throws -> [Property] {
        let alone = try oaep("RSA-OAEP-256", try decrypting(.rsaOAEP256))
        guard PrivateKeyOperations.vectorized.isAvailable else { return alone }
        return alone + (try oaep("RSA-OAEP-256, vectorized", try decryptingTogether()))
    }

    private func oaep(_ name: String, _ run: @escaping ([UInt8]) -> Void) throws -> [Property] {
        let header = #"{"alg":"RSA-OAEP-256","enc":"A128CBC-HS256"}"#
        func encrypted(_ content: ContentEncryption) throws -> [Substring] {
            try JWEEncrypter(
                key: material.rsa.publicKey, keyManagement: .rsaOAEP256, contentEncryption: content
            ).encrypt([UInt8](repeating: 1, count: 20)).split(separator: ".", omittingEmptySubsequences: false)
        }
        func token(_ block: [UInt8]) -> [UInt8] { material.token(header, encryptedKey: material.power(block)) }
        /// Returns a token with a content key of this content encryption, and an invalid tag.
        func token(keyOf content: ContentEncryption) throws -> [UInt8] {
            let others = String(decoding: material.token(header, encryptedKey: []), as: UTF8.self)
                .split(separator: ".", omittingEmptySubsequences: false)
            return Array(
                [others[0], try encrypted(content)[1], others[2], others[3], others[4]].joined(separator: ".").utf8)
        }
        /// Returns a token that is valid but for the tag, in which one byte is wrong.
        func token(tagWrongIn last: Bool) throws -> [UInt8] {
            var token = Array(try encrypted(.a128cbcHS256).joined(separator: ".").utf8)
            // The bit belongs to the first or the last character of the tag that encodes a whole byte.
            let place = token.count - (last ? 2 : 22)
            token[place] = token[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            return token
        }
        let right = try (0..<256).map { _ in try token(keyOf: .a128cbcHS256) }
        return [
            Property(
                name: "\(name), padding", classes: ("right", "none"),
                inputs: (right, many { token([0] + Material.random(255)) }), samples: samples / 10, run: run),
            Property(
                name: "\(name), first byte of a block without padding (Manger)", classes: ("0", "1"),
                inputs: (many { token([0] + Material.random(255)) }, many { token([1] + Material.random(255)) }),
                samples: samples / 10, run: run),
            Property(
                name: "\(name), content key", classes: ("of 32 bytes", "of 16 bytes"),
                inputs: (right, try (0..<256).map { _ in try token(keyOf: .a128gcm) }), samples: samples / 10, run: run),
            Property(
                name: "\(name), tag", classes: ("wrong in the first byte", "wrong in the last byte"),
                inputs: (
                    try (0..<256).map { _ in try token(tagWrongIn: false) },
                    try (0..<256).map { _ in try token(tagWrongIn: true) }
                ), samples: samples / 10, run: run),
        ]
    }

    /// Returns an operation that decrypts a token twice, together, by the vectorized code; all tokens fail.
    private func decryptingTogether() throws -> ([UInt8]) -> Void {
        var outer = EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [.a128cbcHS256])
        outer.privateKeyOperations = .vectorized
        let claims = ClaimPolicy(issuer: .anyIssuerUnchecked, audience: .anyAudienceUnchecked)
        let batch = BatchVerifier(
            try TokenVerifier(.encrypted(outer, claims: claims), decryptionKeys: KeySet(material.rsa)))
        return { token in
            for result in batch.verifySynchronously([token, token]) {
                guard case .failure(.jose(.decryptionFailed, layer: .encryption)) = result else {
                    preconditionFailure("\(result)")
                }
            }
        }
    }

    /// Returns an operation whose tokens all fail to decrypt.
    private func decrypting(_ algorithm: KeyManagementAlgorithm) throws -> ([UInt8]) -> Void {
        let policy = EncryptionPolicy(keyManagement: [algorithm], contentEncryption: [.a128cbcHS256])
        let keys = algorithm == .dir ? KeySet(material.secret) : KeySet(material.rsa)
        let decrypter = try JWEDecrypter(keys: keys, policy: policy)
        return { token in
            do throws(JOSEError) {
                _ = try decrypter.decrypt(token)
                preconditionFailure("accepted")
            } catch { precondition(error == .decryptionFailed, "\(error)") }
        }
    }
}

extension Properties {
    private func many(make: () -> [UInt8]) -> [[UInt8]] { many(256, make) }
}
