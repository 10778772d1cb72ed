internal import JOSECrypto
internal import JOSESupport

/// The ephemeral public key `epk` (RFC 7518, 4.6.1.1), read as the point that the agreement takes. The agreement checks
/// that it is on the curve.
package enum EphemeralKey {
    /// Returns 0x04 || x || y for an EC key, 32 bytes for X25519, 56 for X448. Rejects another kind or curve than the
    /// recipient's, coordinates of another length, and a private member.
    static func point(_ header: JOSEHeader, on kind: KeyKind) throws(JOSEError) -> [UInt8] {
        let bytes = header.bytes.span
        guard let epk = header.value(.epk), let members = epk.object(in: bytes).map(JWKMembers.init(members:)) else {
            throw .headerInvalid(.ephemeralKey)
        }
        func member(_ name: StaticString) -> JSONValue? { members.value(name, in: bytes) }
        guard let (kty, crv, size, isEC) = shape(kind), member("kty")?.equals(kty, in: bytes) == true,
            member("crv")?.equals(crv, in: bytes) == true, !members.havePrivatePart(in: bytes), let x = member("x"),
            case let y = isEC ? member("y") : nil, isEC == (y != nil)
        else { throw .headerInvalid(.ephemeralKey) }
        let count = isEC ? 1 + 2 * size : size
        var isValid = false
        let point = unsafe [UInt8](filling: count) { out, written in
            let coordinates = unsafe UnsafeMutableRawBufferPointer(out).dropFirst(isEC ? 1 : 0)
            unsafe isValid = decode(x, in: bytes, into: .init(rebasing: coordinates.prefix(size)))
            if let y {
                unsafe out[0] = 4
                isValid = unsafe decode(y, in: bytes, into: .init(rebasing: coordinates.dropFirst(size))) && isValid
            }
            written = isValid ? count : 0
        }
        guard isValid else { throw .headerInvalid(.ephemeralKey) }
        return point
    }

    /// Returns the ephemeral key as a key on the curve. A point of EC or X448 that is not on the curve is the header's
    /// fault too (T19).
    static func publicKey(_ header: JOSEHeader, on kind: KeyKind) throws(JOSEError) -> PublicKey {
        let point = try point(header, on: kind)
        let half = (point.count + 1) / 2
        let material: PublicMaterial
        do throws(CryptoError) {
            switch kind {
            case .p256: material = .asymmetric(try .ec(.p256, x: Array(point[1..<half]), y: Array(point[half...])))
            case .p384: material = .asymmetric(try .ec(.p384, x: Array(point[1..<half]), y: Array(point[half...])))
            case .p521: material = .asymmetric(try .ec(.p521, x: Array(point[1..<half]), y: Array(point[half...])))
            case .x25519: material = .x25519(try .init(point.span))
            case .x448: material = .asymmetric(try .raw(.x448, point.span, isPrivate: false))
            default: throw .keyInvalid
            }
        } catch {
            throw error == .backend ? .backend : .headerInvalid(.ephemeralKey)
        }
        return try PublicKey(material)
    }

    /// Decodes a base64url string that must fill `out`.
    private static func decode(
        _ value: JSONValue, in bytes: Span<UInt8>, into out: UnsafeMutableRawBufferPointer
    ) -> Bool {
        if let plain = value.plainText { return unsafe Base64URL.decode(bytes.extracting(plain), filling: out) }
        guard let text = value.stringBytes(in: bytes) else { return false }
        return unsafe Base64URL.decode(text.span, filling: out)
    }

    /// Returns the type, the curve and the length of a coordinate of a key that agrees; nil for any other kind.
    package static func shape(_ kind: KeyKind) -> (kty: StaticString, crv: StaticString, size: Int, isEC: Bool)? {
        switch kind {
        case .p256: ("EC", "P-256", 32, true)
        case .p384: ("EC", "P-384", 48, true)
        case .p521: ("EC", "P-521", 66, true)
        case .x25519: ("OKP", "X25519", 32, false)
        case .x448: ("OKP", "X448", 56, false)
        case .rsa, .secp256k1, .ed25519, .ed448, .mlDSA44, .mlDSA65, .mlDSA87, .octets: nil
        }
    }

    /// Writes the member of a header.
    static func write(_ point: [UInt8], on kind: KeyKind, _ writer: inout JSONWriter) {
        guard let (kty, crv, size, isEC) = shape(kind) else { return }
        writer.name("epk")
        writer.beginObject()
        writer.member("kty", kty.description)
        writer.member("crv", crv.description)
        if isEC {
            writer.member("x", base64URL: point.span.extracting(1..<1 + size))
            writer.member("y", base64URL: point.span.extracting(1 + size..<1 + 2 * size))
        } else {
            writer.member("x", base64URL: point.span)
        }
        writer.endObject()
    }
}
