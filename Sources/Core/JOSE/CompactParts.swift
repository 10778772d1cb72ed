internal import JOSESupport

/// The positions of the parts of a compact token. Only dots are searched, so that an input that is not a token costs
/// next to nothing.
struct CompactParts {
    private let dots: InlineArray<5, Int>
    private let total: Int
    let count: Int

    /// Rejects a text over the limit, then one with white space around it, which no part may contain, then one without
    /// exactly `count` parts (RFC 7515, 3.1; RFC 7516, 3.1).
    init(_ token: Span<UInt8>, count: Int, limits: ParsingLimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else { throw .limitExceeded(.tokenBytes) }
        if token.count > 0, token[0] <= 0x20 || token[token.count - 1] <= 0x20 {
            throw .malformed(ParseFailure(.token, .whiteSpace))
        }
        var found = InlineArray<5, Int>(repeating: 0)
        guard findDots(in: token, &found) == count - 1 else { throw .malformed(ParseFailure(.token, .parts)) }
        dots = found
        total = token.count
        self.count = count
    }

    func range(_ index: Int) -> Range<Int> {
        let start = index == 0 ? 0 : dots[index - 1] + 1
        let end = index == count - 1 ? total : dots[index]
        return start..<end
    }
}

/// A compact JWS that was read: its payload and its signature are decoded, and nothing else of it was checked.
struct CompactJWS {
    let parts: CompactParts
    /// The payload, followed by the signature: both share one allocation.
    private(set) var bytes: [UInt8]
    let payloadCount: Int

    /// Returns nil where the payload or the signature is not base64url.
    @inline(__always)
    init?(_ jws: Span<UInt8>, _ parts: CompactParts, _ limits: ParsingLimits) throws(JOSEError) {
        self.parts = parts
        let payload = jws.extracting(parts.range(1))
        let signature = jws.extracting(parts.range(2))
        try limits.check(encodedPayload: payload.count)
        try limits.check(encodedSignature: signature.count)
        guard let decoded = Base64URL.decode(payload, signature) else { return nil }
        bytes = decoded.bytes
        payloadCount = decoded.firstCount
    }

    /// Reads a JWS with `b64: false`, whose second part is the payload itself (RFC 7797, 5.2).
    init(unencoded jws: Span<UInt8>, _ parts: CompactParts, _ limits: ParsingLimits) throws(JOSEError) {
        let payload = jws.extracting(parts.range(1))
        guard payload.count <= limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        guard let signature = Base64URL.decode(jws.extracting(parts.range(2))) else {
            throw .malformed(ParseFailure(.signature, .base64URL))
        }
        self.parts = parts
        bytes = payload.copy() + signature
        payloadCount = payload.count
    }

    /// The range of the encoded header in the token.
    var header: Range<Int> { parts.range(0) }
    /// The range of the signed bytes in the token.
    var input: Range<Int> { 0..<parts.range(1).upperBound }
    /// The range of the signature in `bytes`.
    var signature: Range<Int> { payloadCount..<bytes.count }

    /// Cuts the signature off, once it was verified, so that `bytes` is the payload.
    @inline(__always)
    mutating func cutSignature() { bytes.removeLast(bytes.count - payloadCount) }
}

/// A JWE that was read, and whose header the policy allows; it is not decrypted yet. The ciphertext is in the memory
/// that the plaintext will replace it in.
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
    /// Decodes the parts of a compact JWE after its header: the encrypted key, IV and tag into one array, and the
    /// ciphertext into the memory that the plaintext will replace it in.
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
