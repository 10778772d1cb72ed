internal import JOSE
internal import JOSESupport

/// The issuer that a token names before it is verified. It serves to choose a verifier that requires this issuer, and
/// for nothing else.
enum ClaimedIssuer {
    /// The UTF-8 of `iss`; nil if the token has none, or one that is not a string.
    case named([UInt8]?)
    /// The token is encrypted, and its outer header names no issuer.
    case hidden

    /// Reads `iss` of a compact token: that of the claims, or of the header if the token is encrypted (RFC 7519, 5.3).
    init(_ token: Span<UInt8>, limits: ParsingLimits) throws(TokenError) {
        guard token.count <= limits.tokenBytes else { throw .jose(.limitExceeded(.tokenBytes), layer: .signature) }
        var dots = InlineArray<5, Int>(repeating: 0)
        switch findDots(in: token, &dots) {
        case 2: self = .named(try inLayer(.signature, Self.signed(token.extracting(dots[0] + 1..<dots[1]), limits)))
        case 4:
            let header = try inLayer(.encryption, JOSEHeader(segment: token.extracting(0..<dots[0]), limits: limits))
            self = header.repeated(.issuer).map { .named($0.stringBytes(in: header.bytes.span)) } ?? .hidden
        default: throw .jose(.malformed(ParseFailure(.token, .parts)), layer: .signature)
        }
    }

    /// Reads `iss` of a decrypted content: claims, or a signed token.
    static func within(_ plaintext: Span<UInt8>, limits: ParsingLimits) throws(TokenError) -> [UInt8]? {
        var dots = InlineArray<5, Int>(repeating: 0)
        if findDots(in: plaintext, &dots) == 2, !beginsObject(plaintext[0]) {
            return try inLayer(.signature, signed(plaintext.extracting(dots[0] + 1..<dots[1]), limits))
        }
        return try inLayer(.encryption, claims(plaintext, limits))
    }

    /// Returns whether the byte begins the text of a JSON object and not a compact token: a brace, or white space (RFC
    /// 8259, 2).
    private static func beginsObject(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte.isWhiteSpace
    }

    /// Reads `iss` of the payload of a signed token, in base64url.
    static func signed(_ payload: Span<UInt8>, _ limits: ParsingLimits) throws(JOSEError) -> [UInt8]? {
        try limits.check(encodedPayload: payload.count)
        guard let payload = Base64URL.decode(payload) else { throw .malformed(ParseFailure(.payload, .base64URL)) }
        return try claims(payload.span, limits)
    }

    private static func claims(_ text: Span<UInt8>, _ limits: ParsingLimits) throws(JOSEError) -> [UInt8]? {
        do throws(JSONFault) {
            return try JSONObject(parsing: text, limits: limits.json).first("iss", in: text)?.stringBytes(in: text)
        } catch {
            throw JOSEError(error, in: .claims)
        }
    }
}

extension ParsingLimits {
    /// Returns limits that allow what either of the two allows.
    func widened(by other: ParsingLimits) -> ParsingLimits {
        var limits = self
        limits.tokenBytes = max(tokenBytes, other.tokenBytes)
        limits.headerBytes = max(headerBytes, other.headerBytes)
        limits.plaintextBytes = max(plaintextBytes, other.plaintextBytes)
        limits.signatureBytes = max(signatureBytes, other.signatureBytes)
        limits.jsonDepth = max(jsonDepth, other.jsonDepth)
        limits.objectMembers = max(objectMembers, other.objectMembers)
        limits.candidateKeys = max(candidateKeys, other.candidateKeys)
        limits.iterationFloor = min(iterationFloor, other.iterationFloor)
        limits.maxPBKDF2Iterations = max(maxPBKDF2Iterations, other.maxPBKDF2Iterations)
        return limits
    }
}

extension EncryptionPolicy {
    /// Returns a policy that allows what either of the two allows.
    func widened(by other: EncryptionPolicy) -> EncryptionPolicy {
        var policy = self
        policy.keyManagement += other.keyManagement.filter { !keyManagement.contains($0) }
        policy.contentEncryption += other.contentEncryption.filter { !contentEncryption.contains($0) }
        policy.understoodCritical += other.understoodCritical
        policy.allowsCompression = allowsCompression || other.allowsCompression
        policy.type = .any
        policy.contentType = .any
        policy.limits = limits.widened(by: other.limits)
        policy.limiter = limiter ?? other.limiter
        if other.privateKeyOperations != .vectorized { policy.privateKeyOperations = .libcrypto }
        return policy
    }
}

extension TokenPolicy {
    /// The widest limits of the layers.
    var limits: ParsingLimits {
        switch form {
        case .signed(let signature): signature.limits
        case .encrypted(let encryption): encryption.limits
        case .nested(let outer, let inner): outer.limits.widened(by: inner.limits)
        }
    }

    /// The policy of the encryption layer, if there is one.
    package var encryption: EncryptionPolicy? {
        switch form {
        case .signed: nil
        case .encrypted(let encryption), .nested(let encryption, _): encryption
        }
    }

    /// The policy of the signature layer, if there is one.
    package var signature: SignaturePolicy? {
        switch form {
        case .encrypted: nil
        case .signed(let signature), .nested(_, let signature): signature
        }
    }
}
