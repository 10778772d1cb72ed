internal import JOSEBytes

/// A JWE whose header the policy allows, and which is not decrypted yet.
struct SealedJWE: Sendable {
    let header: JOSEHeader
    /// The length in bytes of the encoded header at the start of a compact JWE.
    let headerCount: Int
    /// Whether the header is in the decrypter's cache.
    var isKnown = false
    let algorithm: KeyManagementAlgorithm
    let content: ContentEncryption
    let pieces: JWEPieces

    /// Returns the policy's limiter if decryption is costly.
    func limiter(of policy: EncryptionPolicy) -> DecryptionLimiter? {
        algorithm.core.traits.isCostly ? policy.limiter : nil
    }
}

/// The decoded parts of a JWE after its header: the encrypted key, IV and tag in one array, the ciphertext in the
/// memory that the plaintext will replace it in.
struct JWEPieces {
    let bytes: [UInt8]
    let key: Range<Int>
    let iv: Range<Int>
    var tag: Range<Int> { iv.upperBound..<bytes.count }

    init(
        _ jwe: Span<UInt8>, _ parts: CompactParts, _ limits: ParsingLimits, _ plaintext: inout SecretBytes
    ) throws(JOSEError) {
        let ciphertext = jwe.extracting(parts.range(3))
        let count = try Self.ciphertextCount(ciphertext, limits)
        let key = jwe.extracting(parts.range(1))
        let iv = jwe.extracting(parts.range(2))
        let tag = jwe.extracting(parts.range(4))
        guard let (bytes, keyCount, ivCount) = Base64URL.decode(key, iv, tag) else {
            let part: ParseFailure.Part =
                Base64URL.decode(key) == nil
                ? .encryptedKey : Base64URL.decode(iv) == nil ? .initializationVector : .tag
            throw .malformed(ParseFailure(part, .base64URL))
        }
        try Self.decode(ciphertext, count, into: &plaintext)
        self.bytes = bytes
        self.key = 0..<keyCount
        self.iv = keyCount..<keyCount + ivCount
    }
}

extension JWEPieces {
    /// Creates the pieces from parts that were decoded one by one.
    init(key: [UInt8], iv: [UInt8], tag: [UInt8]) {
        bytes = key + iv + tag
        self.key = 0..<key.count
        self.iv = key.count..<key.count + iv.count
    }

    static func ciphertextCount(_ text: Span<UInt8>, _ limits: ParsingLimits) throws(JOSEError) -> Int {
        guard let count = Base64URL.decodedCount(text.count) else {
            throw .malformed(ParseFailure(.ciphertext, .base64URL))
        }
        // Up to one block of the ciphertext is padding.
        guard count - 16 <= limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        return count
    }

    /// Decodes the ciphertext into the memory that the plaintext will replace it in.
    static func decode(_ text: Span<UInt8>, _ count: Int, into bytes: inout SecretBytes) throws(JOSEError) {
        bytes.reset(capacity: count)
        guard Base64URL.decode(text, into: &bytes) else { throw .malformed(ParseFailure(.ciphertext, .base64URL)) }
    }
}
