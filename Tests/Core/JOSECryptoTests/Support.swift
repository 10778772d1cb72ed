import Foundation
import JOSECrypto
import JOSESupport
import TestSupport

/// Vectors of this package, beside those that RFCs publish.
func ownVectors<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
    let file = VectorFile.folder.appending(path: "own/\(name).json")
    return try JSONDecoder().decode(type, from: Data(contentsOf: file))
}

/// An RSA key of 2048 bits that no other test holds. Generating one takes a hundred times as long as reading one.
func someRSAKey() throws -> AsymmetricKey {
    struct File: Decodable { let key: JSON }
    return try asymmetricKey(ownVectors("rsa", as: File.self).key)
}

extension SignatureScheme {
    /// The algorithms that the loaded libcrypto has.
    static let available = allCases.filter(\.isAvailable)
}

/// Returns a new key for the algorithm; for RSA, the one of `someRSAKey`.
func someKey(for scheme: SignatureScheme) throws -> AsymmetricKey {
    switch scheme {
    case .es256: try .generateEC(.p256)
    case .es384: try .generateEC(.p384)
    case .es512: try .generateEC(.p521)
    case .es256k: try .generateEC(.secp256k1)
    case .ed448: try .generate(.ed448)
    case .mlDSA44: try .generate(.mlDSA44)
    case .mlDSA65: try .generate(.mlDSA65)
    case .mlDSA87: try .generate(.mlDSA87)
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: try someRSAKey()
    }
}

func member(_ name: String, of jwk: JSON) -> [UInt8]? { jwk[name]?.string.flatMap { bytes(base64URL: $0) } }

func octets(_ jwk: JSON) throws -> GuardedBytes {
    guard let key = member("k", of: jwk) else { preconditionFailure("no oct key") }
    return try GuardedBytes(copying: key.span)
}

/// Returns an RSA or EC key from its JWK in an RFC.
func asymmetricKey(_ jwk: JSON, asPublic: Bool = false) throws -> AsymmetricKey {
    func part(_ name: String) -> [UInt8]? {
        asPublic && !["n", "e", "x", "y"].contains(name) ? nil : member(name, of: jwk)
    }
    if let n = part("n"), let e = part("e") {
        return try .rsa(
            n: n, e: e, d: part("d"), p: part("p"), q: part("q"), dp: part("dp"), dq: part("dq"), qi: part("qi"))
    }
    let curves: [String: Curve] = ["P-256": .p256, "P-384": .p384, "P-521": .p521, "secp256k1": .secp256k1]
    guard let curve = curves[jwk["crv"]?.string ?? ""], let x = part("x"), let y = part("y") else {
        preconditionFailure("no RSA or EC key: \(jwk.text)")
    }
    return try .ec(curve, x: x, y: y, d: part("d"))
}

let schemes: [String: SignatureScheme] = [
    "RS256": .rs256, "RS384": .rs384, "RS512": .rs512, "PS256": .ps256, "PS384": .ps384, "PS512": .ps512,
    "ES256": .es256, "ES384": .es384, "ES512": .es512, "ES256K": .es256k, "Ed448": .ed448,
]
let ciphers: [String: ContentCipher] = [
    "A128CBC-HS256": .a128cbcHS256, "A192CBC-HS384": .a192cbcHS384, "A256CBC-HS512": .a256cbcHS512,
    "A128GCM": .a128gcm, "A192GCM": .a192gcm, "A256GCM": .a256gcm,
]

func sized(_ hex: String, _ count: Int) -> [UInt8] {
    guard let value = bytes(hex: hex), value.count <= count else { preconditionFailure(hex) }
    return [UInt8](repeating: 0, count: count - value.count) + value
}

func array(_ secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
}

extension ContentCipher {
    /// Decrypts from arrays into an array.
    func opened(
        _ cek: [UInt8], _ iv: [UInt8], _ aad: [UInt8], _ ciphertext: [UInt8], _ tag: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        var text = SecretBytes(copying: ciphertext.span)
        try decrypt(cek: cek.span, iv: iv.span, aad: aad.span, tag: tag.span, inPlace: &text)
        return array(text)
    }
}

/// Returns the bytes that a call writes to a buffer of `count` bytes.
func filled(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Void
) throws(CryptoError) -> [UInt8] {
    var secret = SecretBytes(capacity: count)
    try unsafe secret.withMutableBytes { buffer throws(CryptoError) in
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0xA5)
        try unsafe body(buffer)
    }
    secret.setCount(count)
    return array(secret)
}

extension AsymmetricKey {
    func agreed(_ point: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard case .ec(let curve) = kind else { throw .keyInvalid }
        return unsafe try filled(curve.fieldBytes) { z throws(CryptoError) in
            try unsafe agree(point: point.span, into: z)
        }
    }

    func opened(_ hash: Hash, _ ciphertext: [UInt8], _ count: Int) throws(CryptoError) -> [UInt8] {
        unsafe try filled(count) { cek throws(CryptoError) in
            try unsafe oaepDecrypt(hash, ciphertext.span, into: cek)
        }
    }
}

extension X25519PrivateKey {
    func agreed(_ point: [UInt8]) throws(CryptoError) -> [UInt8] {
        unsafe try filled(32) { z throws(CryptoError) in try unsafe agree(point: point.span, into: z) }
    }
}

extension WrapKey {
    func unwrapped(_ wrapped: [UInt8], _ count: Int) throws(CryptoError) -> [UInt8] {
        unsafe try filled(count) { cek throws(CryptoError) in try unsafe unwrap(wrapped.span, into: cek) }
    }
}

func derived(_ z: [UInt8], _ info: [UInt8], _ count: Int) throws(CryptoError) -> [UInt8] {
    unsafe try filled(count) { key throws(CryptoError) in
        try unsafe ConcatKDF.derive(z: z.span, info: info.span, into: key)
    }
}
