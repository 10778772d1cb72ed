internal import JOSEBytes

/// A JWE that was read, and whose header the policy allows; it is not decrypted yet. The ciphertext is in the memory that the
/// plaintext will replace it in.
struct ParsedJWE: Sendable {
    let header: JOSEHeader
    /// The length in bytes of the encoded header at the start of a compact JWE.
    let headerCount: Int
    /// Whether the header is in the decrypter's cache.
    let isKnown: Bool
    let algorithm: KeyManagementAlgorithm
    let content: ContentEncryption
    /// The encrypted key, the IV and the tag.
    let bytes: [UInt8]
    private let keyCount: Int
    private let ivCount: Int

    /// The range of the encrypted key in `bytes`.
    var key: Range<Int> { 0..<keyCount }
    /// The range of the IV in `bytes`.
    var iv: Range<Int> { keyCount..<keyCount + ivCount }
    /// The range of the tag in `bytes`.
    var tag: Range<Int> { keyCount + ivCount..<bytes.count }

    /// Creates the value from the decoded parts of a compact JWE.
    init(
        _ header: JOSEHeader, headerCount: Int, isKnown: Bool, _ algorithm: KeyManagementAlgorithm,
        _ content: ContentEncryption, _ parts: (bytes: [UInt8], firstCount: Int, secondCount: Int)
    ) {
        self.header = header
        self.headerCount = headerCount
        self.isKnown = isKnown
        self.algorithm = algorithm
        self.content = content
        bytes = parts.bytes
        keyCount = parts.firstCount
        ivCount = parts.secondCount
    }

    /// Returns the policy's limiter if decryption is costly.
    func limiter(of policy: EncryptionPolicy) -> DecryptionLimiter? {
        algorithm.core.traits.isCostly ? policy.limiter : nil
    }
}

extension ParsedJWE {
    /// Decodes the parts of a compact JWE after its header: the encrypted key, IV and tag into one array, and the ciphertext into
    /// the memory that the plaintext will replace it in.
    static func decode(
        _ jwe: Span<UInt8>, _ parts: CompactParts, _ limits: ParsingLimits, _ plaintext: inout SecretBytes
    ) throws(JOSEError) -> (bytes: [UInt8], firstCount: Int, secondCount: Int) {
        let ciphertext = jwe.extracting(parts.range(3))
        let count = try ciphertextCount(ciphertext, limits)
        let key = jwe.extracting(parts.range(1))
        let iv = jwe.extracting(parts.range(2))
        let tag = jwe.extracting(parts.range(4))
        guard let decoded = Base64URL.decode(key, iv, tag) else {
            let part: ParseFailure.Part =
                Base64URL.decode(key) == nil
                ? .encryptedKey : Base64URL.decode(iv) == nil ? .initializationVector : .tag
            throw .malformed(ParseFailure(part, .base64URL))
        }
        try decode(ciphertext, count, into: &plaintext)
        return decoded
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
