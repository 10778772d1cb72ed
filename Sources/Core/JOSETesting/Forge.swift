public import JOSE
package import JOSECrypto
internal import JOSESupport

/// Functions that create compact tokens with any header and payload and a valid signature or encryption, even ones that
/// `JWSSigner` and `JWEEncrypter` refuse to create. Use them to test code that must reject such tokens.
public enum Forge {
    /// Returns the signing input of a JWS: the encoded header, a dot, and the encoded payload, which may be any bytes.
    public static func input(header: some ByteSource, payload: some ByteSource) -> String {
        encoded(header.array) + "." + encoded(payload.array)
    }

    /// Returns a compact JWS that consists of the signing input and the signature, which need not be valid.
    public static func token(_ input: String, signature: [UInt8]) -> String { input + "." + encoded(signature) }

    /// Signs a text, unchanged, as the signing input of a JWS.
    ///
    /// - Parameters:
    ///   - input: The signing input, which need not be valid.
    ///   - key: The private or symmetric key.
    ///   - algorithm: The algorithm to sign with.
    /// - Returns: The signing input with the signature appended.
    /// - Throws: `keyUnsuitable` for a key that does not fit the algorithm.
    public static func signed(
        _ input: String, with key: JWK, _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> String {
        token(input, signature: try signature(of: Array(input.utf8), with: key, algorithm))
    }

    /// Returns a JWS with the given header, byte for byte, and a valid signature.
    ///
    /// - Parameters:
    ///   - header: The header, which may be any bytes and may name another algorithm.
    ///   - payload: The payload.
    ///   - key: The private or symmetric key.
    ///   - algorithm: The algorithm to sign with.
    /// - Throws: `keyUnsuitable` for a key that does not fit the algorithm.
    public static func signed(
        header: some ByteSource, payload: some ByteSource, with key: JWK, _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> String {
        try signed(input(header: header, payload: payload), with: key, algorithm)
    }

    /// Returns the signature of the given bytes, which need not be the signing input of a JWS.
    ///
    /// - Parameters:
    ///   - input: The bytes to sign.
    ///   - key: The private or symmetric key.
    ///   - algorithm: The algorithm to sign with.
    /// - Throws: `keyUnsuitable` for a key that does not fit the algorithm.
    public static func signature(
        of input: [UInt8], with key: JWK, _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> [UInt8] {
        do throws(CryptoError) {
            switch (key, algorithm.core.traits.engine) {
            case (.symmetricKey(let key), .mac(let hash)):
                return try mac(hash, key: octets(key), input)
            case (.privateKey(let key), .scheme(let scheme)):
                if case .asymmetric(let key) = key.material { return try key.sign(scheme, input.span) }
            case (.privateKey(let key), .ed25519), (.privateKey(let key), .edDSA):
                if case .asymmetric(let key) = key.material { return try key.sign(.ed448, input.span) }
                if case .ed25519(let key) = key.material { return try key.sign(input.span) }
            default: break
            }
        } catch {
            throw .backend
        }
        throw .keyUnsuitable(.kind)
    }

    /// Returns the HMAC of a text with a key of any bytes; for instance none, too few, or the text of a public key.
    ///
    /// - Returns: The HMAC, or nil if the algorithm is not a MAC.
    public static func mac(
        of input: String, key: [UInt8], _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> [UInt8]? {
        guard case .mac(let hash) = algorithm.core.traits.engine else { return nil }
        do throws(CryptoError) { return try mac(hash, key: key, Array(input.utf8)) } catch { throw .backend }
    }

    static func octets(_ key: SecretKey) -> [UInt8] {
        key.material.withBytes { bytes in SecretBytes(copying: bytes).copy() }
    }

    /// Returns the HMAC, computed from hashes, because the library's own HMAC accepts no short keys (RFC 2104, 2).
    package static func mac(_ hash: Hash, key: [UInt8], _ input: [UInt8]) throws(CryptoError) -> [UInt8] {
        let block = hash == .sha256 || hash == .sha1 ? 64 : 128
        var key = key.count > block ? try hash.digest(key.span) : key
        key += [UInt8](repeating: 0, count: block - key.count)
        let inner = try hash.digest((key.map { $0 ^ 0x36 } + input).span)
        return try hash.digest((key.map { $0 ^ 0x5C } + inner).span)
    }

    /// Returns the bytes as base64url without padding.
    public static func encoded(_ bytes: [UInt8]) -> String {
        String(decoding: Base64URL.encode(bytes.span), as: UTF8.self)
    }

    /// Decodes strict base64url without padding.
    ///
    /// - Returns: The bytes, or nil if the text is not valid.
    public static func decoded(_ text: String) -> [UInt8]? { Base64URL.decode(text.utf8.span) }
}
