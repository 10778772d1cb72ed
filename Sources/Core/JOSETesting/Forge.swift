public import JOSE
internal import JOSEBytes
package import JOSECrypto

/// Makes compact tokens that `JWSSigner` and `JWEEncrypter` refuse to make: any header, any payload, truly signed or encrypted.
/// For tests of what refuses them.
public enum Forge {
    /// The signing input of a JWS: two parts, encoded, and the dot between them.
    public static func input(header: String, payload: String) -> String {
        input(header: Array(header.utf8), payload: Array(payload.utf8))
    }

    /// The same of any bytes.
    public static func input(header: [UInt8], payload: [UInt8]) -> String {
        encoded(header) + "." + encoded(payload)
    }

    /// A JWS with whatever signature.
    public static func token(_ input: String, signature: [UInt8]) -> String { input + "." + encoded(signature) }

    /// Signs `input` as it stands, whatever it is.
    public static func signed(
        _ input: String, with key: JWK, _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> String {
        token(input, signature: try signature(of: Array(input.utf8), with: key, algorithm))
    }

    /// A JWS whose header is `header` byte for byte, signed truly, whatever it says.
    public static func signed(
        header: String, payload: String, with key: JWK, _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> String {
        try signed(input(header: header, payload: payload), with: key, algorithm)
    }

    /// The same of any bytes.
    public static func signed(
        header: [UInt8], payload: [UInt8], with key: JWK, _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> String {
        try signed(input(header: header, payload: payload), with: key, algorithm)
    }

    /// Of any bytes, with the algorithm's hash and scheme; what a header says of it is another matter.
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

    /// An HMAC with any bytes for a key: none, too few, or the text of a public key. `nil` for an algorithm that is no MAC.
    public static func mac(
        of input: String, key: [UInt8], _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> [UInt8]? {
        guard case .mac(let hash) = algorithm.core.traits.engine else { return nil }
        do throws(CryptoError) { return try mac(hash, key: key, Array(input.utf8)) } catch { throw .backend }
    }

    static func octets(_ key: SecretKey) -> [UInt8] {
        key.material.withBytes { bytes in SecretBytes(copying: bytes).copy() }
    }

    /// RFC 2104, 2; from hashes, because the library's own takes no short keys.
    package static func mac(_ hash: Hash, key: [UInt8], _ input: [UInt8]) throws(CryptoError) -> [UInt8] {
        let block = hash == .sha256 || hash == .sha1 ? 64 : 128
        var key = key.count > block ? try hash.digest(key.span) : key
        key += [UInt8](repeating: 0, count: block - key.count)
        let inner = try hash.digest((key.map { $0 ^ 0x36 } + input).span)
        return try hash.digest((key.map { $0 ^ 0x5C } + inner).span)
    }

    /// Base64url.
    public static func encoded(_ bytes: [UInt8]) -> String {
        String(decoding: Base64URL.encode(bytes.span), as: UTF8.self)
    }

    /// Strict base64url.
    public static func decoded(_ text: String) -> [UInt8]? { Base64URL.decode(text.utf8.span) }
}
