import JOSECrypto
import TestSupport
import Testing

@Suite("AES Key Wrap") struct KeyWrapTests {
    @Test("wraps and unwraps the published test vectors (RFC 3394, 4.1 to 4.6)") func known() throws {
        let kek = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"
        let data = "00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F"
        let cases: [(Int, Int, String)] = [
            (16, 16, "1FA68B0A8112B447AEF34BD8FB5A7B829D3E862371D2CFE5"),
            (24, 16, "96778B25AE6CA435F92B5B97C050AED2468AB8A17AD84E5D"),
            (32, 16, "64E8C3F9CE0F5BA263E9777905818A2A93C8191E7D6E8AE7"),
            (24, 24, "031D33264E15D33268F24EC260743EDCE1C6C7DDEE725A936BA814915C6762D2"),
            (32, 24, "A8F9BC1612C68B3FF6E6F4FBE30E71E4769C8B80A32CB8958CD5D17D6B254DA1"),
            (32, 32, "28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21"),
        ]
        for (keySize, size, wrapped) in cases {
            let raw = Array(try #require(bytes(hex: kek)).prefix(keySize))
            let cek = Array(try #require(bytes(hex: data)).prefix(size))
            let key = try WrapKey(raw)
            // Each is repeated, because the contexts are kept.
            for _ in 0..<3 {
                let made = try key.wrap(cek)
                #expect(hex(made).uppercased() == wrapped)
                let opened = try key.unwrapped(made, size)
                #expect(opened == cek)
                let once = try WrapKey.wrapOnce(kek: raw.span, cek: cek.span)
                #expect(once == made)
                let openedOnce = unsafe try filled(size) { out throws(CryptoError) in
                    try unsafe WrapKey.unwrapOnce(kek: raw.span, wrapped: made.span, into: out)
                }
                #expect(openedOnce == cek)
                var changed = made
                changed[changed.count / 2] ^= 1
                #expect(throws: CryptoError.invalid) { try key.unwrapped(changed, size) }
            }
        }
    }

    @Test("unwrapping random bytes, or a CEK of another size, fails as `invalid` and wipes the buffer (T27)")
    func lengths() throws {
        let key = try WrapKey([UInt8](repeating: 7, count: 32))
        for count in [0, 1, 7, 8, 15, 16, 23, 24, 25, 32, 39, 40, 41, 48, 72, 1000, 8000] {
            let noise = [UInt8](repeating: 0x5a, count: count)
            for size in [16, 24, 32, 48, 64] {
                #expect(throws: CryptoError.invalid, "\(count) \(size)") { try key.unwrapped(noise, size) }
            }
        }
        let wrapped = try key.wrap([UInt8](repeating: 1, count: 32))
        let unwrapped = try key.unwrapped(wrapped, 32)
        #expect(unwrapped == [UInt8](repeating: 1, count: 32))
        for size in [0, 1, 8, 15, 16, 24, 31, 33, 40, 48, 64] {
            #expect(throws: CryptoError.invalid, "\(size)") { try key.unwrapped(wrapped, size) }
        }
        for count in [0, 1, 8, 15, 17, 20, 31] {
            #expect(throws: CryptoError.invalid) { try key.wrap([UInt8](repeating: 1, count: count)) }
        }
        var noise = wrapped
        noise[0] ^= 1
        let left = unsafe try filled(32) { out throws(CryptoError) in
            do throws(CryptoError) {
                try unsafe key.unwrap(noise.span, into: out)
            } catch {
                guard error == .invalid else { throw error }
            }
        }
        #expect(left == [UInt8](repeating: 0, count: 32))
    }

    @Test("a key encryption key must have 16, 24 or 32 bytes (RFC 7518, 4.4)") func keySizes() throws {
        for count in 0...65 {
            let raw = [UInt8](repeating: 1, count: count)
            let expected: CryptoError? = [16, 24, 32].contains(count) ? nil : .keyInvalid
            var thrown: CryptoError?
            do throws(CryptoError) { _ = try WrapKey(raw) } catch { thrown = error }
            #expect(thrown == expected, "\(count)")
            let cek = [UInt8](repeating: 1, count: 16)
            thrown = nil
            do throws(CryptoError) { _ = try WrapKey.wrapOnce(kek: raw.span, cek: cek.span) } catch { thrown = error }
            #expect(thrown == expected, "\(count)")
        }
    }
}
