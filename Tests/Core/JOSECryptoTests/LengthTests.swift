import Foundation
import JOSECrypto
import JOSESupport
import Testing

/// A range of more addresses than an int can count, without accessible memory: a read of one byte ends the process.
@safe private final class Unreadable: Sendable {
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    static let count = Int(Int32.max) + 1

    init?() {
        let flags = MAP_PRIVATE | MAP_ANON | (1 << 14)
        guard let base = unsafe mmap(nil, Self.count, PROT_NONE, Int32(flags), -1, 0), unsafe base != MAP_FAILED else {
            return nil
        }
        unsafe self.base = base
    }

    deinit { unsafe munmap(base, Self.count) }

    func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let buffer = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: Self.count)
        return try body(unsafe buffer.span)
    }
}

@Suite("Lengths at the limits of C types") struct LengthTests {
    @Test("more than 2^31 - 1 bytes are rejected before any byte is read (X08)") func tooLong() throws {
        let unreadable = try #require(Unreadable())
        let rsa = try someRSAKey()
        let ec = try AsymmetricKey.generateEC(.p256)
        let mac = try MACKey(.sha256, [UInt8](repeating: 1, count: 32))
        let wrap = try WrapKey([UInt8](repeating: 1, count: 16))
        let signature = [UInt8](repeating: 1, count: 256)
        let half = [UInt8](repeating: 1, count: 64)
        var thrown: [CryptoError?] = []
        func note(_ body: () throws(CryptoError) -> Void) {
            do throws(CryptoError) {
                try body()
                thrown.append(nil)
            } catch { thrown.append(error) }
        }
        unreadable.withBytes { long in
            note { () throws(CryptoError) in try rsa.verify(.rs256, long, signature: signature.span) }
            note { () throws(CryptoError) in try rsa.verify(.rs256, half.span, signature: long) }
            note { () throws(CryptoError) in try ec.verify(.es256, long, signature: half.span) }
            note { () throws(CryptoError) in try ec.verify(.es256, half.span, signature: long) }
            note { () throws(CryptoError) in _ = try rsa.sign(.rs256, long) }
            note { () throws(CryptoError) in _ = try mac.sign(long) }
            note { () throws(CryptoError) in try mac.verify(half.span, tag: long) }
            note { () throws(CryptoError) in _ = try rsa.oaepEncrypt(.sha256, long) }
            note { () throws(CryptoError) in
                _ = try unsafe filled(16) { b throws(CryptoError) in try unsafe rsa.oaepDecrypt(.sha256, long, into: b)
                }
            }
            note { () throws(CryptoError) in
                _ = try unsafe filled(16) { b throws(CryptoError) in try unsafe wrap.unwrap(long, into: b) }
            }
            note { () throws(CryptoError) in
                _ = try unsafe filled(32) { b throws(CryptoError) in try unsafe ec.agree(point: long, into: b) }
            }
            note { () throws(CryptoError) in
                _ = try unsafe filled(16) { b throws(CryptoError) in
                    try unsafe ConcatKDF.derive(z: half.span, info: long, into: b)
                }
            }
            for cipher in ContentCipher.allCases {
                let cek = [UInt8](repeating: 1, count: cipher.keyBytes)
                let iv = [UInt8](repeating: 1, count: cipher.ivBytes)
                let tag = [UInt8](repeating: 1, count: cipher.tagBytes)
                var text = SecretBytes(copying: half.span)
                note { () throws(CryptoError) in
                    _ = try cipher.seal(cek: cek.span, iv: iv.span, aad: long, plaintext: half.span)
                }
                note { () throws(CryptoError) in
                    _ = try cipher.seal(cek: cek.span, iv: iv.span, aad: half.span, plaintext: long)
                }
                note { () throws(CryptoError) in
                    try cipher.decrypt(cek: cek.span, iv: iv.span, aad: long, tag: tag.span, inPlace: &text)
                }
                note { () throws(CryptoError) in
                    try cipher.decrypt(cek: cek.span, iv: iv.span, aad: half.span, tag: long, inPlace: &text)
                }
            }
        }
        #expect(thrown.allSatisfy { $0 == .invalid }, "\(thrown)")
        var imports: [CryptoError?] = []
        unreadable.withBytes { long in
            do throws(CryptoError) { _ = try KeyFile.importPEM(long) } catch { imports.append(error) }
            do throws(CryptoError) { _ = try KeyFile.importDER(long) } catch { imports.append(error) }
        }
        #expect(imports == [.invalid, .keyInvalid])
    }

    @Test("each call accepts an empty array (X07)") func empty() throws {
        let nothing: [UInt8] = []
        for scheme in SignatureScheme.available {
            let key = try someKey(for: scheme)
            let signature = try key.sign(scheme, nothing)
            try key.verify(scheme, nothing, signature: signature)
            #expect(throws: CryptoError.invalid) { try key.verify(scheme, nothing, signature: nothing) }
            #expect(throws: CryptoError.keyInvalid) { try KeyFile.importDER(nothing) }
        }
        let mac = try MACKey(.sha512, [1])
        let tag = try mac.sign(nothing)
        try mac.verify(nothing, tag: tag)
        #expect(throws: CryptoError.invalid) { try mac.verify(nothing, tag: nothing) }
        let ed = try Ed25519PrivateKey.generate()
        let signature = try ed.sign(nothing)
        try ed.publicKey.verify(nothing, signature: signature)
        #expect(throws: CryptoError.invalid) { try ed.publicKey.verify(nothing, signature: nothing) }
        let rsa = try someRSAKey()
        let encrypted = try rsa.oaepEncrypt(.sha1, nothing)
        #expect(encrypted.count == 256)
        #expect(throws: CryptoError.invalid) { try rsa.opened(.sha1, nothing, 16) }
        let openedNothing = try rsa.opened(.sha1, encrypted, 0)
        #expect(openedNothing.isEmpty)
        #expect(throws: CryptoError.keyInvalid) { try AsymmetricKey.rsa(n: nothing, e: nothing) }
        #expect(throws: CryptoError.keyInvalid) { try AsymmetricKey.ec(.p256, x: nothing, y: nothing) }
        #expect(throws: CryptoError.invalid) { try KeyFile.importPEM("") }
        let none = try derived([1], nothing, 0)
        #expect(none.isEmpty)
    }

    @Test("each call accepts a null pointer with length 0 (X07)") func null() throws {
        let rsa = try someRSAKey()
        let ec = try AsymmetricKey.generateEC(.p256)
        let ed = try Ed25519PrivateKey.generate()
        let mac = try MACKey(.sha256, [1])
        let wrap = try WrapKey([UInt8](repeating: 1, count: 16))
        let nowhere = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        let null = unsafe nowhere.span
        for (key, scheme) in [(rsa, SignatureScheme.rs256), (rsa, .ps384), (ec, .es256)] {
            let signature = try key.sign(scheme, null)
            try key.verify(scheme, null, signature: signature.span)
        }
        let ofEd = try ed.sign(null)
        try ed.publicKey.verify(null, signature: ofEd.span)
        let ofMAC = try mac.sign(null)
        try mac.verify(null, tag: ofMAC.span)
        let digest = try Hash.sha256.digest(null)
        let encrypted = try rsa.oaepEncrypt(.sha256, null)
        let opened = try rsa.opened(.sha256, encrypted, 0)
        let key = unsafe try filled(16) { b throws(CryptoError) in
            try unsafe ConcatKDF.derive(z: digest.span, info: null, into: b)
        }
        #expect(opened.isEmpty && key.count == 16)
        let nothingDecoded = SecretBase64URL.decode(null)?.count
        let nothingEncoded = SecretBase64URL.encode(null)
        #expect(nothingDecoded == 0 && nothingEncoded.isEmpty)
        for cipher in ContentCipher.allCases {
            let cek = [UInt8](repeating: 1, count: cipher.keyBytes)
            let iv = [UInt8](repeating: 2, count: cipher.ivBytes)
            let sealed = try cipher.seal(cek: cek.span, iv: iv.span, aad: null, plaintext: null)
            var text = SecretBytes(copying: sealed.ciphertext.span)
            try cipher.decrypt(cek: cek.span, iv: iv.span, aad: null, tag: sealed.tag.span, inPlace: &text)
            let count = text.count
            #expect(count == 0)
        }

        var thrown: [CryptoError?] = []
        func note(_ body: () throws(CryptoError) -> Void) {
            do throws(CryptoError) {
                try body()
                thrown.append(nil)
            } catch { thrown.append(error) }
        }
        note { () throws(CryptoError) in try rsa.verify(.rs256, null, signature: null) }
        note { () throws(CryptoError) in try ec.verify(.es256, null, signature: null) }
        note { () throws(CryptoError) in try ed.publicKey.verify(null, signature: null) }
        note { () throws(CryptoError) in try mac.verify(null, tag: null) }
        note { () throws(CryptoError) in _ = try wrap.wrap(null) }
        note { () throws(CryptoError) in
            _ = try unsafe filled(16) { b throws(CryptoError) in try unsafe wrap.unwrap(null, into: b) }
        }
        note { () throws(CryptoError) in
            _ = try unsafe filled(32) { b throws(CryptoError) in try unsafe ec.agree(point: null, into: b) }
        }
        note { () throws(CryptoError) in
            _ = try unsafe filled(32) { b throws(CryptoError) in try unsafe rsa.oaepDecrypt(.sha1, null, into: b) }
        }
        for cipher in ContentCipher.allCases {
            let key = [UInt8](repeating: 1, count: cipher.keyBytes)
            var text = SecretBytes(capacity: 0)
            note { () throws(CryptoError) in
                try cipher.decrypt(cek: key.span, iv: null, aad: null, tag: null, inPlace: &text)
            }
            note { () throws(CryptoError) in _ = try cipher.seal(cek: null, iv: null, aad: null, plaintext: null) }
        }
        #expect(thrown.allSatisfy { $0 == .invalid }, "\(thrown)")
        var keys: [CryptoError?] = []
        do throws(CryptoError) { _ = try KeyFile.importDER(null) } catch { keys.append(error) }
        do throws(CryptoError) { _ = try Ed25519PublicKey(null) } catch { keys.append(error) }
        do throws(CryptoError) { _ = try Ed25519PrivateKey(seed: null) } catch { keys.append(error) }
        do throws(CryptoError) { _ = try WrapKey.wrapOnce(kek: null, cek: digest.span) } catch { keys.append(error) }
        #expect(keys == [.keyInvalid, .keyInvalid, .keyInvalid, .invalid])
    }
}
