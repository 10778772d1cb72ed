public import JOSE
internal import JOSEBytes
internal import JOSECrypto

/// The key that whoever brings a token must hold: its claim `cnf` (RFC 7800, 3).
public struct KeyConfirmation: Sendable, Equatable {
    /// `jkt`: the SHA-256 thumbprint of a DPoP key (RFC 9449, 6).
    public let keyThumbprint: [UInt8]?
    /// `x5t#S256`: the SHA-256 of a client certificate in DER (RFC 8705, 3.1).
    public let certificateThumbprint: [UInt8]?
    /// `jwk` (RFC 7800, 3.2).
    public let key: PublicKey?
    /// `kid` (RFC 7800, 3.4): a name, which proves nothing by itself.
    public let keyID: String?

    /// For what said so in another way, such as the answer of an introspection.
    public init(keyThumbprint: [UInt8]? = nil, certificateThumbprint: [UInt8]? = nil, key: PublicKey? = nil) {
        self.keyThumbprint = keyThumbprint
        self.certificateThumbprint = certificateThumbprint
        self.key = key
        keyID = nil
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
        // RFC 7800, 3.1: one key alone.
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
        guard value.kind == .object else { throw .claim(.invalid("cnf")) }
        let jwk = value.slice(in: payload.span)
        guard let key = try? PublicKey(jwk: jwk.span) else { throw .claim(.invalid("cnf")) }
        return key
    }

    private static func text(_ value: JSONValue?, in payload: [UInt8]) throws(TokenError) -> String? {
        guard let value else { return nil }
        guard let text = value.string(in: payload.span) else { throw .claim(.invalid("cnf")) }
        return text
    }

    private static func thumbprint(_ value: JSONValue?, in payload: [UInt8]) throws(TokenError) -> [UInt8]? {
        guard let value else { return nil }
        guard let text = value.stringBytes(in: payload.span) else { throw .claim(.invalid("cnf")) }
        guard let bytes = Base64URL.decode(text.span), bytes.count == Hash.sha256.byteCount else {
            throw .claim(.invalid("cnf"))
        }
        return bytes
    }

    /// Throws where the key is another, and where `cnf` names no key in a way that can be compared.
    public func check(key presented: PublicKey) throws(TokenError) {
        guard keyThumbprint != nil || key != nil else { throw .claim(.invalid("cnf")) }
        if let keyThumbprint {
            guard let other = try? presented.thumbprint(), keyThumbprint == other else {
                throw .claim(.invalid("cnf"))
            }
        }
        if let key, key != presented { throw .claim(.invalid("cnf")) }
    }

    /// Throws where the certificate, as DER, is another, and where `cnf` names none (RFC 8705, 3).
    public func check(certificate presented: [UInt8]) throws(TokenError) {
        let other = try? sha256(presented.span)
        guard let other, certificateThumbprint == other else { throw .claim(.invalid("cnf")) }
    }
}

extension Claims {
    /// `cnf`; nil where there is none. One that is there but is not what the RFCs say is refused: a token bound to
    /// something is never taken for one bound to nothing.
    public func confirmation() throws(TokenError) -> KeyConfirmation? { try KeyConfirmation.read(self) }
}

extension ClaimValue {
    /// `cnf` with `jkt`, for a token that only DPoP proofs of this key may use (RFC 9449, 6.1).
    public static func confirmation(thumbprintOf key: PublicKey) throws(JOSEError) -> ClaimValue {
        let thumbprint = ClaimValue.base64URL(try key.thumbprint())
        return .object([("jkt", thumbprint)])
    }

    /// `cnf` with `x5t#S256`, for a token that only connections with this certificate, given as DER, may use
    /// (RFC 8705, 3.1).
    public static func confirmation(certificate der: [UInt8]) throws(JOSEError) -> ClaimValue {
        let thumbprint = ClaimValue.base64URL(try sha256(der.span))
        return .object([("x5t#S256", thumbprint)])
    }

    /// `cnf` with the key itself (RFC 7800, 3.2).
    public static func confirmation(key: PublicKey) -> ClaimValue { .object([("jwk", .json(key.bare.jwkBytes))]) }

    static func base64URL(_ bytes: [UInt8]) -> ClaimValue {
        .string(String(decoding: Base64URL.encode(bytes.span), as: UTF8.self))
    }
}

extension PublicKey {
    /// The numbers alone: what a key is bound to here is nobody's matter elsewhere.
    var bare: PublicKey { PublicKey(KeyRecord(record.material, KeyBinding())) }

    var jwkBytes: [UInt8] { Array(jwk().utf8) }
}

func sha256(_ bytes: Span<UInt8>) throws(JOSEError) -> [UInt8] {
    do throws(CryptoError) { return try Hash.sha256.digest(bytes) } catch { throw .backend }
}

/// 128 bits of chance, as text.
func freshIdentifier() throws(JOSEError) -> String {
    do throws(CryptoError) {
        let bytes = try Random.bytes(16)
        return String(decoding: Base64URL.encode(bytes.span), as: UTF8.self)
    } catch {
        throw .backend
    }
}
