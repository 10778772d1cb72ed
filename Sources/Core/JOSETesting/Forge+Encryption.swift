public import JOSE
package import JOSECrypto
internal import JOSESupport

extension Forge {
    /// Returns a JWE with the given header, which may name other algorithms, and a valid encryption. Only these
    /// placeholders in the header are replaced with the values of the new token: `"epk":{}` for the ECDH-ES family,
    /// `"iv":"","tag":""` for the GCMKW family, and `"p2s":"","p2c":1000` for PBES2.
    ///
    /// - Parameters:
    ///   - header: The bytes of the header, which need not be text.
    ///   - plaintext: The plaintext.
    ///   - key: The recipient's key.
    ///   - keyManagement: The key management algorithm to encrypt with.
    ///   - content: The content encryption algorithm to encrypt with.
    /// - Throws: `keyUnsuitable` for a key or an algorithm that cannot be used.
    public static func encrypted(
        header: some ByteSource, plaintext: [UInt8], with key: JWK, _ keyManagement: KeyManagementAlgorithm,
        _ content: ContentEncryption
    ) throws(JOSEError) -> String {
        let header = header.array
        do throws(CryptoError) {
            let cek = try Random.bytes(content.keyBytes)
            switch keyManagement.core.traits.engine {
            case .rsa15: throw .unsupported
            case .oaep, .wrap:
                let wrapped = try wrapped(cek, with: key, keyManagement)
                return try sealed(header: header, encryptedKey: wrapped, cek: cek, content, plaintext)
            case .gcmWrap:
                let wrapped = try gcmWrapped(cek, with: key)
                let members = #""iv":"\#(encoded(wrapped.iv))","tag":"\#(encoded(wrapped.tag))""#
                return try sealed(
                    header: filled(header, #""iv":"","tag":"""#, members), encryptedKey: wrapped.encryptedKey, cek: cek,
                    content, plaintext)
            case .password:
                let salt = try Random.bytes(16)
                let wrapped = try passwordWrapped(cek, with: key, keyManagement, salt: salt, iterations: 1_000)
                let members = #""p2s":"\#(encoded(salt))","p2c":1000"#
                return try sealed(
                    header: filled(header, #""p2s":"","p2c":1000"#, members), encryptedKey: wrapped, cek: cek, content,
                    plaintext)
            case .direct:
                guard case .symmetricKey(let key) = key else { throw .keyInvalid }
                let shared = octets(key)
                return try sealed(header: header, encryptedKey: [], cek: shared, content, plaintext)
            case .agreement(let wrapBytes):
                let (epk, z) = try agreed(with: key)
                let header = filled(header, #""epk":{}"#, #""epk":"# + epk)
                let name = wrapBytes == nil ? content.name : keyManagement.name
                let derived = try derived(z, name, bytes: wrapBytes ?? content.keyBytes)
                guard wrapBytes != nil else {
                    return try sealed(header: header, encryptedKey: [], cek: derived, content, plaintext)
                }
                let wrapped = try WrapKey.wrapOnce(kek: derived.span, cek: cek.span)
                return try sealed(header: header, encryptedKey: wrapped, cek: cek, content, plaintext)
            }
        } catch {
            throw error == .backend ? .backend : .keyUnsuitable(.kind)
        }
    }

    /// Returns the placeholder members, each after a comma, that `encrypted` replaces in a header with this algorithm;
    /// an empty string if there are none.
    public static func freshMembers(_ keyManagement: KeyManagementAlgorithm) -> String {
        switch keyManagement.core.traits.engine {
        case .agreement: #","epk":{}"#
        case .gcmWrap: #","iv":"","tag":"""#
        case .password: #","p2s":"","p2c":1000"#
        case .oaep, .rsa15, .wrap, .direct: ""
        }
    }

    /// Returns a JWE of parts that need not belong together.
    package static func sealed(
        header: [UInt8], encryptedKey: [UInt8], cek: [UInt8], _ content: ContentEncryption, _ plaintext: [UInt8]
    ) throws(CryptoError) -> String {
        let header = encoded(header)
        guard cek.count == content.keyBytes else { throw .keyInvalid }
        let iv = try Random.bytes(content.core.ivBytes)
        let (ciphertext, tag) = try content.core.seal(
            cek: cek.span, iv: iv.span, aad: header.utf8.span, plaintext: plaintext.span)
        return ([header] + [encryptedKey, iv, ciphertext, tag].map { encoded($0) }).joined(separator: ".")
    }

    /// Returns the encrypted key of a CEK of any length that the algorithm can wrap.
    package static func wrapped(
        _ cek: [UInt8], with key: JWK, _ keyManagement: KeyManagementAlgorithm
    ) throws(CryptoError) -> [UInt8] {
        switch (keyManagement.core.traits.engine, key) {
        case (.oaep(let hash), _):
            guard case .asymmetric(let key)? = key.publicKey?.material else { throw .keyInvalid }
            return try key.oaepEncrypt(hash, cek.span)
        case (.wrap, .symmetricKey(let key)):
            return try WrapKey.wrapOnce(kek: octets(key).span, cek: cek.span)
        default: throw .keyInvalid
        }
    }

    /// Wraps a CEK of any length with AES-GCM (RFC 7518, 4.7).
    package static func gcmWrapped(
        _ cek: [UInt8], with key: JWK
    ) throws(CryptoError) -> (iv: [UInt8], encryptedKey: [UInt8], tag: [UInt8]) {
        guard case .symmetricKey(let key) = key else { throw .keyInvalid }
        let iv = try Random.bytes(12)
        let wrap = try GCMWrapKey(GuardedBytes(copying: octets(key).span))
        let (encryptedKey, tag) = try wrap.wrap(cek.span, iv: iv.span)
        return (iv, encryptedKey, tag)
    }

    /// Wraps a CEK of any length that AES key wrap accepts with PBES2 (RFC 7518, 4.8).
    package static func passwordWrapped(
        _ cek: [UInt8], with key: JWK, _ keyManagement: KeyManagementAlgorithm, salt: [UInt8], iterations: Int
    ) throws(CryptoError) -> [UInt8] {
        guard case .password(let hash, let bytes) = keyManagement.core.traits.engine, case .symmetricKey(let key) = key
        else { throw .keyInvalid }
        let input = Array(keyManagement.name.utf8) + [0] + salt
        let password = octets(key)
        var kek = [UInt8](repeating: 0, count: bytes)
        unsafe try filling(&kek) { kek throws(CryptoError) in
            unsafe try PBKDF2.derive(
                hash, password: password.span, salt: input.span, iterations: iterations, into: kek)
        }
        return try WrapKey.wrapOnce(kek: kek.span, cek: cek.span)
    }

    /// Returns a new `epk` for the key, as JSON, and the agreed secret.
    package static func agreed(with key: JWK) throws(CryptoError) -> (epk: String, z: [UInt8]) {
        guard let key = key.publicKey, let shape = EphemeralKey.shape(key.kind) else { throw .keyInvalid }
        var z = [UInt8](repeating: 0, count: shape.size)
        let point = unsafe try filling(&z) { z throws(CryptoError) in
            switch key.material {
            case .asymmetric(let key): unsafe try key.agreeFresh(into: z)
            case .x25519(let key): unsafe try key.agreeFresh(into: z)
            case .ed25519: throw .keyInvalid
            }
        }
        let x = shape.isEC ? Array(point[1...shape.size]) : point
        return (epk(shape.crv.description, x, shape.isEC ? Array(point[(1 + shape.size)...]) : nil), z)
    }

    /// Returns an `epk` of any coordinates as JSON; one of `kty` `OKP` if `y` is nil.
    package static func epk(_ curve: String, _ x: [UInt8], _ y: [UInt8]?) -> String {
        guard let y else { return #"{"kty":"OKP","crv":"\#(curve)","x":"\#(encoded(x))"}"# }
        return #"{"kty":"EC","crv":"\#(curve)","x":"\#(encoded(x))","y":"\#(encoded(y))"}"#
    }

    /// Derives a key with Concat KDF, without party information (RFC 7518, 4.6.2).
    package static func derived(_ z: [UInt8], _ algorithmID: String, bytes: Int) throws(CryptoError) -> [UInt8] {
        func count(_ n: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: n >> $0) } }
        let info = count(algorithmID.utf8.count) + Array(algorithmID.utf8) + count(0) + count(0) + count(bytes * 8)
        var key = [UInt8](repeating: 0, count: bytes)
        unsafe try filling(&key) { key throws(CryptoError) in
            unsafe try ConcatKDF.derive(z: z.span, info: info.span, into: key)
        }
        return key
    }

    private static func filling<R>(
        _ bytes: inout [UInt8], _ body: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> R
    ) throws(CryptoError) -> R {
        var span = bytes.mutableSpan
        return try unsafe span.withUnsafeMutableBytes { bytes throws(CryptoError) in unsafe try body(bytes) }
    }

    private static func filled(_ header: [UInt8], _ empty: String, _ full: String) -> [UInt8] {
        let empty = Array(empty.utf8)
        guard header.count >= empty.count else { return header }
        for start in 0...header.count - empty.count where header[start..<start + empty.count].elementsEqual(empty) {
            return header[..<start] + Array(full.utf8) + header[(start + empty.count)...]
        }
        return header
    }
}
