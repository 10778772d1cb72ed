import Foundation
import JOSE
import Testing

/// Keys and tokens from the types in which callers have them.
@Suite("Text and bytes of any type") struct ByteSourceTests {
    /// A caller's own type.
    private struct Buffer: ByteSource {
        let bytes: [UInt8]

        func withBytes<Result: ~Copyable, Failure: Error>(
            _ body: (Span<UInt8>) throws(Failure) -> Result
        ) throws(Failure) -> Result { try body(bytes.span) }
    }

    @Test("JWK, JWK Set, PEM and DER are read from String, [UInt8], Data and other types with one result")
    func types() throws {
        let key = try PrivateKey.generate(.p256, keyID: "k1")
        let jwk = try key.exportPrivateJWK()
        let pem = try key.exportPrivatePEM()
        let (publicPEM, publicDER) = (try key.publicKey.pem(), try key.publicKey.der())
        let set = KeySet(key.publicKey).jwks()
        #expect(
            try JWK(parsing: Data(jwk)) == .privateKey(key) && JWK(parsing: jwk[...]) == .privateKey(key))
        #expect(try PrivateKey(jwk: jwk) == key && PrivateKey(jwk: Data(jwk)) == key)
        let bare = try PrivateKey(pem: pem)
        #expect(try PrivateKey(pem: Data(pem)) == bare && PrivateKey(pem: pem.span) == bare)
        #expect(try JWK(pem: String(decoding: pem, as: UTF8.self)) == .privateKey(bare))
        #expect(try JWK(pem: pem) == .privateKey(bare) && JWK(pem: Data(pem)) == .privateKey(bare))
        let open = try PublicKey(pem: publicPEM)
        #expect(try PublicKey(pem: Data(publicPEM.utf8)) == open && PublicKey(pem: publicPEM.utf8) == open)
        #expect(try PublicKey(der: Data(publicDER)) == open && PublicKey(der: publicDER) == open)
        #expect(try JWK(der: Data(publicDER)) == .publicKey(open))
        #expect(try PublicKey(jwk: Data(key.publicKey.jwk().utf8)) == key.publicKey)
        for parsed in [try KeySet(parsing: Data(set.utf8)), try KeySet(parsing: set[...])] {
            #expect(parsed.keys == [.publicKey(key.publicKey)])
        }
        let octets = [UInt8](repeating: 7, count: 32)
        let secret = try SecretKey(bytes: octets)
        #expect(try SecretKey(bytes: Data(octets)) == secret && SecretKey(bytes: Buffer(bytes: octets)) == secret)
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
        #expect(error { _ = try JWK(parsing: Buffer(bytes: broken)) } == expected)
        #expect(error { _ = try PrivateKey(jwk: Data()) } == error { _ = try PrivateKey(jwk: "") })
        #expect(error { _ = try SecretKey(bytes: Data()) } == error { _ = try SecretKey(bytes: [UInt8]()) })
        #expect(error { _ = try PublicKey(jwk: Data(good)) } == .keyInvalid(.publicKeyRequired))
    }

    @Test("a token is verified from each type, and a changed one rejected with one error (RFC 7515, 5.2)")
    func tokens() throws {
        let key = try PrivateKey.generate(.p256)
        let verifier = try JWSVerifier(keys: key.publicKey, policy: SignaturePolicy(algorithms: [.es256]))
        let good = try JWSSigner(key: key, algorithm: .es256).sign("payload")
        let changed = good.replacingOccurrences(of: ".cGF5bG9hZA.", with: ".cGF5bG9hZB.")
        func outcomes(_ token: String) -> [Result<[UInt8], JOSEError>] {
            let bytes = Array(token.utf8)
            func read(_ source: borrowing some BorrowedBytes) -> Result<[UInt8], JOSEError> {
                do throws(JOSEError) { return .success(try verifier.verify(source).payload) } catch {
                    return .failure(error)
                }
            }
            return [
                read(token), read(token[...]), read(token.utf8), read(token[...].utf8), read(bytes), read(bytes[...]),
                read(bytes.span), read(Data(bytes)), read(Buffer(bytes: bytes)),
            ]
        }
        #expect(outcomes(good) == Array(repeating: .success(Array("payload".utf8)), count: 9))
        let rejected = outcomes(changed)
        #expect(changed != good && rejected == Array(repeating: rejected[0], count: 9))
        #expect(throws: JOSEError.self) { try rejected[0].get() }
    }

    @Test("a detached payload need not have the type of its token (RFC 7515, appendix F)") func detached() throws {
        let key = try PrivateKey.generate(.p256)
        let verifier = try JWSVerifier(keys: key.publicKey, policy: SignaturePolicy(algorithms: [.es256]))
        let token = try JWSSigner(key: key, algorithm: .es256).sign(detached: "payload")
        #expect(try verifier.verify(token, detachedPayload: Data("payload".utf8)).payload == Array("payload".utf8))
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(token, detachedPayload: "Payload"[...]) }
    }
}
