import Foundation
import JOSE
import JOSECrypto
import JOSETesting
import JOSETokens
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Traps: where Swift meets C") struct ShimTraps {
    @Test("X08 a length beyond the range of int is rejected before libcrypto is called")
    func longLengths() throws {
        let count = Int(Int32.max) + 1
        // Pages that are never written take no memory.
        let map = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0)
        guard let base = unsafe map, unsafe base != MAP_FAILED else {
            Issue.record("no room for \(count) bytes of addresses")
            return
        }
        defer { unsafe munmap(base, count) }
        let bytes = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
        guard case .privateKey(let rsa) = Keys.rsa, case .asymmetric(let key) = rsa.material else { return }
        func error<R>(_ body: () throws(CryptoError) -> R) -> CryptoError? {
            do throws(CryptoError) {
                _ = try body()
                return nil
            } catch { return error }
        }
        let signature = [UInt8](repeating: 1, count: 256)
        let none: [UInt8] = []
        #expect(
            error { () throws(CryptoError) in unsafe try key.verify(.rs256, bytes.span, signature: signature.span) }
                == .invalid)
        #expect(
            error { () throws(CryptoError) in unsafe try key.verify(.rs256, none.span, signature: bytes.span) }
                == .invalid)
        #expect(error { () throws(CryptoError) in unsafe try key.sign(.rs256, bytes.span) } != nil)
        #expect(error { () throws(CryptoError) in unsafe try KeyFile.importPEM(bytes.span, passphrase: nil) } != nil)
        #expect(error { () throws(CryptoError) in unsafe try KeyFile.importDER(bytes.span, passphrase: nil) } != nil)
        #expect(error { () throws(CryptoError) in unsafe try key.oaepEncrypt(.sha1, bytes.span) } != nil)
        #expect(
            error { () throws(CryptoError) in
                unsafe try WrapKey.wrapOnce(kek: signature.span.extracting(0..<16), cek: bytes.span)
            } != nil)
        let good = try key.sign(.rs256, none.span)
        #expect(error { () throws(CryptoError) in try key.verify(.rs256, none.span, signature: good.span) } == nil)
    }

    /// Returns the first error in libcrypto's queue of this thread, or nil if the function is not found.
    private func queuedError() -> UInt? {
        guard let symbol = unsafe dlsym(nil, "ERR_peek_error") else { return nil }
        typealias Peek = @convention(c) () -> UInt
        return unsafe unsafeBitCast(symbol, to: Peek.self)()
    }

    @Test("X09 a failure leaves libcrypto's error queue empty, and affects no later call on its thread")
    func errorQueue() throws {
        let issuer = try TestIssuer(
            .nested, signature: .rs256, keyManagement: .rsaOAEP, contentEncryption: .a128cbcHS256)
        let verifier = try issuer.verifier()
        let good = try issuer.forged()
        let hostile = try issuer.hostileTokens()
        let pem = try #require(Keys.rsa.publicKey).pem()
        guard case .privateKey(let key) = Keys.p256 else { return }
        let der = try key.exportPrivateDER(.sec1)
        func fail() {
            _ = try? PublicKey(pem: "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")
            _ = try? PublicKey(der: [0x30, 0x03, 0x02, 0x01, 0x01])
            _ = try? PrivateKey(der: Array(der.dropLast()))
            _ = try? JWK(
                parsing:
                    #"{"kty":"EC","crv":"P-256","x":"\#(String(repeating: "A", count: 43))","y":"\#(String(repeating: "A", count: 43))"}"#
            )
            _ = try? JWK(parsing: #"{"kty":"RSA","n":"\#(String(repeating: "_", count: 342))","e":"AQAB","d":"AQAB"}"#)
        }
        for token in hostile {
            _ = try? verifier.verify(token.text)
            #expect(queuedError() ?? 0 == 0, "\(token)")
        }
        for _ in 0..<20 {
            fail()
            #expect(queuedError() ?? 0 == 0)
            #expect(verdict { () throws(JOSEError) in try PublicKey(pem: pem) } == accepted)
            #expect(verdict { () throws(JOSEError) in try PrivateKey(der: der) } == accepted)
            let verified = try? verifier.verify(good)
            #expect(verified != nil)
        }
    }

    @Test("X12 Ed25519 keys of small order or non-canonical encoding are rejected in files too, without libcrypto")
    func edwardsFiles() throws {
        let good = try #require(Keys.ed25519.publicKey).der()
        let head = Array(good.dropLast(32))
        for point in Keys.data.edwards {
            let der = head + (try #require(bytes(base64URL: point.x)))
            #expect(verdict { () throws(JOSEError) in try PublicKey(der: der) } == .keyInvalid, "\(point.name)")
        }
        #expect(verdict { () throws(JOSEError) in try PublicKey(der: good) } == accepted)
    }

    @Test("X13 a private key from a file has the same checks as one from a JWK")
    func fileNumbers() throws {
        let order = try #require(bytes(hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        guard case .privateKey(let key) = Keys.p256, case .privateKey(let rsa) = Keys.rsa else { return }
        for form in [PrivateKeyForm.sec1, .pkcs8] {
            let good = try key.exportPrivateDER(form)
            let json = try JSON(key.exportPrivateJWK())
            for (name, value) in [
                ("d", order), ("d", [UInt8](repeating: 0, count: 32)), ("d", Array(order.dropLast()) + [0x50]),
                ("x", order),
            ] {
                let old = try #require(json[name]?.string.flatMap { bytes(base64URL: $0) })
                let changed = try #require(replacing(old, value, in: good))
                #expect(
                    verdict { () throws(JOSEError) in try PrivateKey(der: changed) } == .keyInvalid, "\(form), \(name)")
            }
            #expect(verdict { () throws(JOSEError) in try PrivateKey(der: good + [0]) } != accepted)
            #expect(verdict { () throws(JOSEError) in try PrivateKey(der: good) } == accepted)
        }
        let good = try rsa.exportPrivateDER(.pkcs1)
        let json = try JSON(rsa.exportPrivateJWK())
        for name in ["d", "p", "q", "dp", "dq", "qi"] {
            let old = try #require(json[name]?.string.flatMap { bytes(base64URL: $0) })
            var value = old
            value[value.count - 1] ^= 2
            let changed = try #require(replacing(old, value, in: good))
            #expect(verdict { () throws(JOSEError) in try PrivateKey(der: changed) } == .keyInvalid, "\(name)")
        }
        #expect(verdict { () throws(JOSEError) in try PrivateKey(der: good) } == accepted)
    }

    private func replacing(_ old: [UInt8], _ new: [UInt8], in bytes: [UInt8]) -> [UInt8]? {
        for start in 0...(bytes.count - old.count) where bytes[start..<(start + old.count)].elementsEqual(old) {
            return bytes[..<start] + new + bytes[(start + old.count)...]
        }
        return nil
    }
}
