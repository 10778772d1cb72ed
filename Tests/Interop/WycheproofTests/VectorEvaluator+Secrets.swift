import JOSE
import JOSECrypto
import JOSESupport
import TestSupport

extension VectorEvaluator {
    /// AES-GCM with a nonce of 96 bits and a tag of 128 bits; the length of the key selects the variant.
    static let gcm = VectorEvaluator(fits: { $0.group["ivSize"] == .number(96) && $0.group["tagSize"] == .number(128) })
    { test in
        let key = try needed(test.bytes("key"))
        guard let cipher = ContentCipher.allCases.first(where: { $0.isGCM && $0.keyBytes == key.count }) else {
            throw Refused.unreadable
        }
        let iv = try needed(test.bytes("iv"))
        let aad = try needed(test.bytes("aad"))
        let tag = try needed(test.bytes("tag"))
        let ciphertext = try needed(test.bytes("ct"))
        var text = SecretBytes(copying: ciphertext.span)
        try cipher.decrypt(cek: key.span, iv: iv.span, aad: aad.span, tag: tag.span, inPlace: &text)
        try expect(text.withBytes { bytes in bytes.indices.map { bytes[$0] } }, test.bytes("msg"))
    }

    static let keyWrap = VectorEvaluator { test in
        let key = try needed(test.bytes("key"))
        let wrapped = try needed(test.bytes("ct"))
        let wrap = try WrapKey(GuardedBytes(copying: key.span))
        let count = max(0, wrapped.count - 8)
        try expect(
            unsafe filled(count) { cek throws(CryptoError) in try unsafe wrap.unwrap(wrapped.span, into: cek) },
            test.bytes("msg"))
    }

    /// RSA-OAEP with one hash for OAEP and MGF1, and without a label (RFC 7518, 4.3).
    static func oaep(_ hash: Hash, _ name: String) -> VectorEvaluator {
        VectorEvaluator(fits: { test in
            guard case .number(2048...)? = test.group["keySize"] else { return false }
            return (test.fields["label"]?.string ?? "").isEmpty && test.group["sha"]?.string == name
                && test.group["mgfSha"]?.string == name
        }) { test in
            let der = try needed(test.group["privateKeyPkcs8"]?.string.flatMap(octets(hex:)))
            guard case .asymmetric(let key) = try PrivateKey(der: der).material else { throw Refused.unreadable }
            let ciphertext = try needed(test.bytes("ct"))
            let message = try needed(test.bytes("msg"))
            try expect(
                unsafe filled(message.count) { cek throws(CryptoError) in
                    try unsafe key.oaepDecrypt(hash, ciphertext.span, into: cek)
                }, message)
        }
    }

    /// Key agreement of two JWKs, whose result is the shared x coordinate.
    static let agreement = VectorEvaluator { test in
        guard let secret = test.fields["private"], let shown = test.fields["public"] else { throw Refused.unreadable }
        let key = try PrivateKey(jwk: secret.text)
        let point: [UInt8]
        switch try PublicKey(jwk: shown.text).members {
        case .ec(_, let x, let y): point = [4] + x + y
        case .x25519(let x), .raw(.x448, let x): point = x
        default: throw Refused.unreadable
        }
        try expect(shared(key.material, point), test.bytes("shared"))
    }

    /// Key agreement on a curve; secp256k1 is for signatures only (RFC 8812, 3.1).
    static let noAgreement = VectorEvaluator(fits: { _ in false }, run: agreement.run)

    static func passwordKey(_ hash: Hash) -> VectorEvaluator {
        VectorEvaluator { test in
            guard case .number(let rounds)? = test.fields["iterationCount"],
                case .number(let count)? = test.fields["dkLen"]
            else { throw Refused.unreadable }
            let password = try needed(test.bytes("password"))
            let salt = try needed(test.bytes("salt"))
            let key = unsafe try filled(Int(count)) { key throws(CryptoError) in
                try unsafe PBKDF2.derive(
                    hash, password: password.span, salt: salt.span, iterations: Int(rounds), into: key)
            }
            try expect(key, test.bytes("dk"))
        }
    }

    private static func shared(_ key: PrivateMaterial, _ point: [UInt8]) throws -> [UInt8] {
        switch key {
        case .x25519(let key):
            return try unsafe filled(32) { z throws(CryptoError) in try unsafe key.agree(point: point.span, into: z) }
        case .asymmetric(let key):
            let count = if case .ec(let curve) = key.kind { curve.fieldBytes } else { 56 }
            return try unsafe filled(count) { z throws(CryptoError) in
                try unsafe key.agree(point: point.span, into: z)
            }
        case .ed25519: throw Refused.unreadable
        }
    }
}

/// Returns the `count` bytes that the closure writes into a buffer.
private func filled(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Void
) throws(CryptoError) -> [UInt8] {
    var secret = SecretBytes(capacity: count)
    try unsafe secret.withMutableBytes { buffer throws(CryptoError) in
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0xA5)
        try unsafe body(buffer)
    }
    secret.setCount(count)
    return secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
}
