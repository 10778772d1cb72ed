internal import JOSESupport

/// The header members of a key management algorithm. Those of a token are read before a key is chosen, except `epk`,
/// which is read on the curve of a key.
enum WrapMembers: Sendable {
    case none
    /// `iv` and `tag` (RFC 7518, 4.7.1). A tag of another length than 16 bytes fails in the comparison.
    case gcm(iv: [UInt8], tag: [UInt8])
    /// `p2s` and `p2c` (RFC 7518, 4.8.1).
    case password(salt: [UInt8], iterations: Int)
    /// `epk` of a token that is being encrypted (RFC 7518, 4.6.1.1).
    case agreement(point: [UInt8], KeyKind)

    init(_ header: JOSEHeader, _ traits: KeyManagementTraits, _ limits: ParsingLimits) throws(JOSEError) {
        switch traits.engine {
        case .oaep, .rsa15, .agreement, .wrap, .direct: self = .none
        case .gcmWrap:
            guard let iv = header.octets(.iv), iv.count == 12, let tag = header.octets(.tag) else {
                throw .headerInvalid(.keyWrap)
            }
            self = .gcm(iv: iv, tag: tag)
        case .password:
            guard let salt = header.octets(.p2s), salt.count >= 8,
                let iterations = header.value(.p2c)?.integer(in: header.bytes.span),
                iterations >= max(1, limits.iterationFloor)
            else { throw .headerInvalid(.password) }
            guard iterations <= limits.maxPBKDF2Iterations else { throw .limitExceeded(.iterations) }
            self = .password(salt: salt, iterations: Int(iterations))
        }
    }

    /// Subtracts the iterations that this many keys cost from those that are left. The result does not depend on which
    /// of the keys decrypts the token.
    func spend(_ rounds: inout Int, keys: Int) throws(JOSEError) {
        guard case .password(_, let iterations) = self, keys > 0 else { return }
        guard iterations <= rounds / keys else { throw .limitExceeded(.iterations) }
        rounds -= iterations * keys
    }

    /// Returns the salt input of PBKDF2: `alg`, a zero byte and `p2s` (RFC 7518, 4.8.1.1).
    static func saltInput(_ traits: KeyManagementTraits, _ salt: [UInt8]) -> [UInt8] {
        Array(traits.name.description.utf8) + [0] + salt
    }

    /// Creates members of the form and length that those of the algorithm's tokens have.
    init(sampleOf traits: KeyManagementTraits, _ kind: KeyKind, iterations: Int) {
        switch traits.engine {
        case .oaep, .rsa15, .wrap, .direct: self = .none
        case .agreement: self = .agreement(point: [UInt8](repeating: 0, count: 133), kind)
        case .gcmWrap: self = .gcm(iv: [UInt8](repeating: 0, count: 12), tag: [UInt8](repeating: 0, count: 16))
        case .password: self = .password(salt: [UInt8](repeating: 0, count: 16), iterations: iterations)
        }
    }

    func write(_ writer: inout JSONWriter) {
        switch self {
        case .none: break
        case .gcm(let iv, let tag):
            writer.member("iv", base64URL: iv.span)
            writer.member("tag", base64URL: tag.span)
        case .password(let salt, let iterations):
            writer.member("p2s", base64URL: salt.span)
            writer.member("p2c", Int64(iterations))
        case .agreement(let point, let kind): EphemeralKey.write(point, on: kind, &writer)
        }
    }
}

extension JOSEHeader {
    /// Returns the decoded value of a base64url member, or nil where it is absent or not base64url.
    fileprivate func octets(_ name: HeaderName) -> [UInt8]? {
        guard let value = value(name) else { return nil }
        if let plain = value.plainText { return Base64URL.decode(bytes.span.extracting(plain)) }
        return value.stringBytes(in: bytes.span).flatMap { Base64URL.decode($0.span) }
    }
}
