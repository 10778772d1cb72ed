import JOSECrypto
import JOSESupport
import Testing

@Suite("Secrets in memory") struct SecretMemoryTests {
    @Test("guarded memory contains a copy of the given bytes, of any length from zero") func guarded() throws {
        for count in [0, 1, 16, 31, 32, 33, 64, 4095, 4096, 4097] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let secret = try GuardedBytes(copying: bytes)
            #expect(secret.count == count && secret.array == bytes)
        }
        let (one, other) = (try GuardedBytes.random(count: 32), try GuardedBytes.random(count: 32))
        #expect(one.array != other.array)
    }

    @Test("secrets are decoded from base64url into guarded memory, and invalid text gives nil") func decoding() throws {
        let text = Array("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow".utf8)
        let secret = try #require(SecretBase64URL.decode(text))
        #expect(secret.count == 64)
        let written = secret.withBytes { SecretBase64URL.encode($0) }
        #expect(written == text)
        let wrong: [[UInt8]] = [text + [61], [65, 61], text + [65, 65, 65], Array(text.dropLast()) + [0], [65]]
        for wrong in wrong {
            #expect(SecretBase64URL.decode(wrong) == nil)
        }
        #expect(SecretBase64URL.decode([])?.count == 0)
    }

    @Test("returns as many random bytes as requested, and different ones each time") func random() throws {
        for count in [0, 1, 16, 1000] {
            let bytes = try Random.bytes(count)
            #expect(bytes.count == count)
        }
        let (one, other) = (try Random.bytes(32), try Random.bytes(32))
        #expect(one != other)
        let filledOnce = unsafe try filled(32) { b throws(CryptoError) in try unsafe Random.fill(b) }
        #expect(filledOnce != [UInt8](repeating: 0xA5, count: 32))
    }
}
