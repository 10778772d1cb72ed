public import JOSE
internal import JOSECrypto
internal import JOSESupport

/// The key that the presenter of a token must have, from the claim `cnf` (RFC 7800, 3).
public struct KeyConfirmation: Sendable, Equatable {
    /// The SHA-256 thumbprint of a DPoP key, `jkt` (RFC 9449, 6).
    public let keyThumbprint: [UInt8]?
    /// The SHA-256 hash of a client certificate in DER, `x5t#S256` (RFC 8705, 3.1).
    public let certificateThumbprint: [UInt8]?
    /// The key itself, `jwk` (RFC 7800, 3.2).
    public let key: PublicKey?
    /// The identifier of a key, `kid` (RFC 7800, 3.4), which confirms no key by itself.
    public let keyID: String?

    /// Creates a confirmation from values that are not in a verified token, such as those of an introspection response.
    ///
    /// - Parameters:
    ///   - keyThumbprint: The SHA-256 thumbprint of a DPoP key.
    ///   - certificateThumbprint: The SHA-256 hash of a client certificate in DER.
    ///   - key: The key itself.
    public init(keyThumbprint: [UInt8]? = nil, certificateThumbprint: [UInt8]? = nil, key: PublicKey? = nil) {
        self.init(
            keyThumbprint: keyThumbprint, certificateThumbprint: certificateThumbprint, key: key, keyID: nil)
    }

    private init(keyThumbprint: [UInt8]?, certificateThumbprint: [UInt8]?, key: PublicKey?, keyID: String?) {
        self.keyThumbprint = keyThumbprint
        self.certificateThumbprint = certificateThumbprint
        self.key = key
        self.keyID = keyID
    }

    static func read(_ claims: Claims) throws(TokenError) -> KeyConfirmation? {
        guard let cnf = claims.value("cnf") else { return nil }
        let payload = claims.payload
        guard let members = cnf.object(in: payload.span), !members.isEmpty else { throw .claim(.invalid("cnf")) }
        // A confirmation contains at most one key (RFC 7800, 3.1).
        let jwk = members.first("jwk", in: payload.span)
        let jwe = members.first("jwe", in: payload.span)
        let jku = members.first("jku", in: payload.span)
        guard [jwk, jwe, jku].count(where: { $0 != nil }) <= 1 else { throw .claim(.invalid("cnf")) }
        let jkt = members.first("jkt", in: payload.span)
        let x5t = members.first("x5t#S256", in: payload.span)
        let kid = members.first("kid", in: payload.span)
        let keyThumbprint = try thumbprint(jkt, in: payload)
        let certificateThumbprint = try thumbprint(x5t, in: payload)
        let key = try key(jwk, in: payload)
        let keyID = try text(kid, in: payload)
        return KeyConfirmation(
            keyThumbprint: keyThumbprint, certificateThumbprint: certificateThumbprint, key: key, keyID: keyID)
    }

    private static func key(_ value: JSONValue?, in payload: [UInt8]) throws(TokenError) -> PublicKey? {
        guard let value else { return nil }
        let jwk = payload.span.extracting(Int(value.start)..<Int(value.end))
        guard let key = try? PublicKey(jwk: jwk) else { throw .claim(.invalid("cnf")) }
        return key
    }

    private static func text(_ value: JSONValue?, in payload: [UInt8]) throws(TokenError) -> String? {
        guard let value else { return nil }
        guard let text = value.string(in: payload.span) else { throw .claim(.invalid("cnf")) }
        return text
    }

    private static func thumbprint(_ value: JSONValue?, in payload: [UInt8]) throws(TokenError) -> [UInt8]? {
        guard let value else { return nil }
        guard let text = value.stringBytes(in: payload.span), let bytes = Base64URL.decode(text.span),
            bytes.count == Hash.sha256.byteCount
        else { throw .claim(.invalid("cnf")) }
        return bytes
    }

    /// Checks that the presented key is the one that `cnf` confirms.
    ///
    /// - Parameter presented: The key that the presenter has proven to have.
    /// - Throws: `claim(.invalid("cnf"))` if it is another key, and if `cnf` contains neither a thumbprint of a key nor
    ///   a key.
    public func check(key presented: PublicKey) throws(TokenError) {
        try check(key: presented, thumbprint: try? presented.thumbprint())
    }

    /// Checks a key whose SHA-256 thumbprint is known; nil if it could not be computed.
    func check(key presented: PublicKey, thumbprint: [UInt8]?) throws(TokenError) {
        guard keyThumbprint != nil || key != nil, keyThumbprint == nil || keyThumbprint == thumbprint,
            key == nil || key == presented
        else { throw .claim(.invalid("cnf")) }
    }

    /// Checks that the presented certificate is the one that `cnf` confirms (RFC 8705, 3).
    ///
    /// - Parameter presented: The client certificate in DER.
    /// - Throws: `claim(.invalid("cnf"))` if it is another certificate, and if `cnf` contains no thumbprint of one.
    public func check(certificate presented: [UInt8]) throws(TokenError) {
        let other = try? sha256(presented.span)
        guard let other, certificateThumbprint == other else { throw .claim(.invalid("cnf")) }
    }
}

extension Claims {
    /// Returns the key confirmation of the token, `cnf`.
    ///
    /// - Returns: The confirmation; nil if there is no `cnf`.
    /// - Throws: `claim(.invalid("cnf"))` if `cnf` is malformed: a token that is bound to a key is never treated as one
    ///   that is not.
    public func confirmation() throws(TokenError) -> KeyConfirmation? { try KeyConfirmation.read(self) }
}

extension ClaimValue {
    /// Creates a `cnf` claim with `jkt`, for a token that can be used only with DPoP proofs of this key (RFC 9449,
    /// 6.1).
    ///
    /// - Parameter key: The client's key.
    public static func confirmation(thumbprintOf key: PublicKey) throws(JOSEError) -> ClaimValue {
        .object([("jkt", .base64URL(try key.thumbprint()))])
    }

    /// Creates a `cnf` claim with `x5t#S256`, for a token that can be used only on connections with this client
    /// certificate (RFC 8705, 3.1).
    ///
    /// - Parameter der: The certificate in DER.
    public static func confirmation(certificate der: [UInt8]) throws(JOSEError) -> ClaimValue {
        .object([("x5t#S256", .base64URL(try sha256(der.span)))])
    }

    /// Creates a `cnf` claim with the key itself (RFC 7800, 3.2).
    ///
    /// - Parameter key: The holder's key.
    public static func confirmation(key: PublicKey) -> ClaimValue { .object([("jwk", .json(key.bare.jwkBytes))]) }

    static func base64URL(_ bytes: [UInt8]) -> ClaimValue {
        .string(String(decoding: Base64URL.encode(bytes.span), as: UTF8.self))
    }
}

extension PublicKey {
    /// The key without its name and other parameters, which are of no concern to the recipients of a token.
    var bare: PublicKey { PublicKey(KeyRecord(record.material, KeyBinding())) }

    var jwkBytes: [UInt8] { Array(jwk().utf8) }
}

func sha256(_ bytes: Span<UInt8>) throws(JOSEError) -> [UInt8] { try calling(Hash.sha256.digest(bytes)) }

/// Returns 128 random bits as base64url.
func freshIdentifier() throws(JOSEError) -> String {
    let bytes = try calling(Random.bytes(16))
    return String(decoding: Base64URL.encode(bytes.span), as: UTF8.self)
}
