import Foundation
import JOSE
import Testing

/// Keys, key sets and certificates from the types in which callers have them.
@Suite("Keys from bytes of any type") struct KeyBytesTests {
    /// A sequence whose bytes are not contiguous.
    private static func scattered(_ bytes: [UInt8]) -> some Sequence<UInt8> { bytes.lazy.map { $0 } }

    @Test("JWK, JWK Set, PEM and DER are read from String, [UInt8], Data and other sequences with one result")
    func types() throws {
        let key = try PrivateKey.generate(.p256, keyID: "k1")
        let jwk = try key.exportPrivateJWK()
        let pem = try key.exportPrivatePEM()
        let (publicPEM, publicDER) = (try key.publicKey.pem(), try key.publicKey.der())
        let set = KeySet(key.publicKey).jwks()
        #expect(
            try JWK(parsing: Data(jwk)) == .privateKey(key) && JWK(parsing: Self.scattered(jwk)) == .privateKey(key))
        #expect(try PrivateKey(jwk: jwk) == key && PrivateKey(jwk: Data(jwk)) == key)
        let bare = try PrivateKey(pem: pem)
        #expect(try PrivateKey(pem: Data(pem)) == bare && PrivateKey(pem: Self.scattered(pem)) == bare)
        #expect(try JWK(pem: String(decoding: pem, as: UTF8.self)) == .privateKey(bare))
        #expect(try JWK(pem: pem) == .privateKey(bare) && JWK(pem: Data(pem)) == .privateKey(bare))
        let open = try PublicKey(pem: publicPEM)
        #expect(try PublicKey(pem: Data(publicPEM.utf8)) == open && PublicKey(pem: publicPEM.utf8) == open)
        #expect(try PublicKey(der: Data(publicDER)) == open && PublicKey(der: publicDER) == open)
        #expect(try JWK(der: Data(publicDER)) == .publicKey(open))
        #expect(try PublicKey(jwk: Data(key.publicKey.jwk().utf8)) == key.publicKey)
        for parsed in [try KeySet(parsing: Data(set.utf8)), try KeySet(parsing: Self.scattered(Array(set.utf8)))] {
            #expect(parsed.keys == [.publicKey(key.publicKey)])
        }
        let octets = [UInt8](repeating: 7, count: 32)
        let secret = try SecretKey(bytes: octets)
        #expect(try SecretKey(bytes: Data(octets)) == secret && SecretKey(bytes: Self.scattered(octets)) == secret)
        #expect(try SecretKey(jwk: Data(secret.exportSecretJWK())) == secret)
    }

    @Test("bytes of every type are rejected with the error of the array")
    func rejections() throws {
        let broken = Array("{".utf8)
        let good = try PrivateKey.generate(.ed25519).exportPrivateJWK()
        func error(_ read: () throws -> Void) -> JOSEError? {
            do { try read() } catch { return error as? JOSEError }
            return nil
        }
        let expected = error { _ = try JWK(parsing: broken) }
        #expect(expected != nil && error { _ = try JWK(parsing: good) } == nil)
        #expect(error { _ = try JWK(parsing: Data(broken)) } == expected)
        #expect(error { _ = try JWK(parsing: Self.scattered(broken)) } == expected)
        #expect(error { _ = try PrivateKey(jwk: Data()) } == error { _ = try PrivateKey(jwk: "") })
        #expect(error { _ = try SecretKey(bytes: Data()) } == error { _ = try SecretKey(bytes: [UInt8]()) })
        #expect(error { _ = try PublicKey(jwk: Data(good)) } == .keyInvalid(.publicKeyRequired))
    }
}
