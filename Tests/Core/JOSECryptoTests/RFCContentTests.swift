import JOSECrypto
import JOSESupport
import TestSupport
import Testing

/// The parts of a JWE, at the published keys and initialization vectors, without the token around them.
@Suite("Published content encryption and key agreement") struct RFCContentTests {
    private struct Sealed {
        let cipher: ContentCipher
        let cek, iv, aad, plaintext, ciphertext, tag: [UInt8]
    }

    private static func cipher(_ name: String?) -> ContentCipher? {
        switch name {
        case "A128CBC-HS256": .a128cbcHS256
        case "A192CBC-HS384": .a192cbcHS384
        case "A256CBC-HS512": .a256cbcHS512
        case "A128GCM": .a128gcm
        case "A192GCM": .a192gcm
        case "A256GCM": .a256gcm
        default: nil
        }
    }

    private static func decoded(_ text: String?) throws -> [UInt8] {
        let text = try #require(text)
        return try #require(bytes(base64URL: text))
    }

    /// Returns the `count` bytes that `fill` writes.
    private static func filled(
        _ count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Void
    ) throws -> [UInt8] {
        var room = SecretBytes(capacity: count)
        try unsafe room.withMutableBytes(fill)
        room.setCount(count)
        return copy(room)
    }

    private static func copy(_ secret: borrowing SecretBytes) -> [UInt8] {
        secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// The content encryption of a vector of its own, or of a compact JWE whose CEK is published. Compressed ones are left out:
    /// their plaintext is not the payload.
    private static func sealed(_ vector: Vector) throws -> Sealed? {
        if vector.kind == .content {
            return Sealed(
                cipher: try #require(cipher(vector.enc)), cek: try decoded(vector.cek), iv: try decoded(vector.iv),
                aad: try decoded(vector.aad), plaintext: vector.payloadBytes,
                ciphertext: try decoded(vector.ciphertext), tag: try decoded(vector.tag))
        }
        guard vector.serialization == .compact, vector.cek != nil, vector.needs?.contains("zip") != true else {
            return nil
        }
        let token = vector.tokenText
        return Sealed(
            cipher: try #require(cipher(vector.header?["enc"]?.string)), cek: try decoded(vector.cek),
            iv: part(2, of: token), aad: Array(token.prefix { $0 != "." }.utf8),
            plaintext: vector.inner.map { Array($0.utf8) } ?? vector.payloadBytes, ciphertext: part(3, of: token),
            tag: part(4, of: token))
    }

    private static func agreed(_ own: JSON, _ peer: JSON, count: Int) throws -> [UInt8] {
        let secret = try decoded(own["d"]?.string)
        let x = try decoded(own["x"]?.string)
        let peerX = try decoded(peer["x"]?.string)
        if own["crv"]?.string == "X448" {
            let key = try AsymmetricKey.raw(.x448, secret.span, isPrivate: true)
            #expect(try key.part(.rawPublic) == x)
            return try unsafe filled(count) { room throws(CryptoError) in
                try unsafe key.agree(point: peerX.span, into: room)
            }
        }
        if own["kty"]?.string == "OKP" {
            let key = try X25519PrivateKey(scalar: secret.span)
            #expect(key.publicKey.raw == x)
            return try unsafe filled(count) { room throws(CryptoError) in
                try unsafe key.agree(point: peerX.span, into: room)
            }
        }
        let key = try AsymmetricKey.ec(.p256, x: x, y: try decoded(own["y"]?.string), d: secret)
        let point = [4] + peerX + (try decoded(peer["y"]?.string))
        return try unsafe filled(count) { room throws(CryptoError) in
            try unsafe key.agree(point: point.span, into: room)
        }
    }

    private static let paths = VectorFile.paths(with: .jwe, .nested, .content)

    @Test("encryption gives the published ciphertext and tag, and decryption the plaintext", arguments: paths)
    func seals(_ path: String) throws {
        for vector in try VectorFile(path).vectors {
            guard let sealed = try Self.sealed(vector) else { continue }
            let (ciphertext, tag) = try sealed.cipher.seal(
                cek: sealed.cek.span, iv: sealed.iv.span, aad: sealed.aad.span, plaintext: sealed.plaintext.span)
            #expect(ciphertext == sealed.ciphertext, "\(vector.id)")
            #expect(tag == sealed.tag, "\(vector.id)")
            var opened = SecretBytes(copying: sealed.ciphertext.span)
            try sealed.cipher.decrypt(
                cek: sealed.cek.span, iv: sealed.iv.span, aad: sealed.aad.span, tag: sealed.tag.span, inPlace: &opened)
            let plaintext = Self.copy(opened)
            #expect(plaintext == sealed.plaintext, "\(vector.id)")
        }
    }

    @Test("the vector files contain every vector that these tests require") func whole() throws {
        let vectors = try VectorFile.paths.flatMap { try VectorFile($0).vectors }
        #expect(try vectors.count { try Self.sealed($0) != nil } == 16)
        #expect(vectors.count { $0.kind == .agreement && $0.mustSucceed } == 6)
    }

    @Test("a changed bit of tag, AAD or ciphertext is rejected", arguments: paths) func refuses(_ path: String) throws {
        for vector in try VectorFile(path).vectors {
            guard let sealed = try Self.sealed(vector) else { continue }
            // The first time nothing is changed, and the ciphertext is opened.
            for place in [nil, 0, 1, 2] as [Int?] {
                var inputs = [sealed.tag, sealed.aad, sealed.ciphertext]
                if let place { inputs[place][inputs[place].count - 1] ^= 1 }
                let (tag, aad, ciphertext) = (inputs[0], inputs[1], inputs[2])
                var opened = SecretBytes(copying: ciphertext.span)
                do throws(CryptoError) {
                    try sealed.cipher.decrypt(
                        cek: sealed.cek.span, iv: sealed.iv.span, aad: aad.span, tag: tag.span,
                        inPlace: &opened)
                    #expect(place == nil, "\(vector.id)")
                } catch {
                    #expect(error == .invalid && place != nil, "\(vector.id), \(place ?? -1)")
                }
            }
        }
    }

    @Test("AES Key Wrap of the published CEK gives the published encrypted key, and back", arguments: paths)
    func wraps(_ path: String) throws {
        let file = try VectorFile(path)
        for vector in file.vectors where vector.serialization == .compact {
            guard let algorithm = vector.header?["alg"]?.string, ["A128KW", "A192KW", "A256KW"].contains(algorithm)
            else { continue }
            let cek = try Self.decoded(vector.cek)
            let kek = try Self.decoded(file.keys(of: vector)[0]["k"]?.string)
            let wrapped = part(1, of: vector.tokenText)
            let key = try WrapKey(try GuardedBytes(copying: kek.span))
            let again = try key.wrap(cek.span)
            #expect(again == wrapped, "\(vector.id)")
            let unwrapped = try unsafe Self.filled(cek.count) { room throws(CryptoError) in
                try unsafe key.unwrap(wrapped.span, into: room)
            }
            #expect(unwrapped == cek, "\(vector.id)")
        }
    }

    @Test(
        "ECDH and the Concat KDF give the published shared secret and derived key",
        arguments: VectorFile.paths(with: .agreement))
    func agrees(_ path: String) throws {
        for vector in try VectorFile(path).vectors where vector.kind == .agreement && vector.mustSucceed {
            let published = try Self.decoded(vector.z)
            let agreed = try Self.agreed(try #require(vector.jwk), try #require(vector.peer), count: published.count)
            #expect(agreed == published, "\(vector.id)")

            guard vector.derived != nil else { continue }
            let expected = try Self.decoded(vector.derived)
            let info = try Self.decoded(vector.info)
            let derived = try unsafe Self.filled(expected.count) { room throws(CryptoError) in
                try unsafe ConcatKDF.derive(z: agreed.span, info: info.span, into: room)
            }
            #expect(derived == expected, "\(vector.id)")
        }
    }
}
