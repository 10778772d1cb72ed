public import JOSE

/// A token whose layers and claims are valid. Only a verifier creates one.
public struct VerifiedToken: Sendable {
    /// The headers and keys of the layers. Tokens with the same header share them.
    enum Layers: Sendable {
        case signed(SignedHeader)
        case encrypted(OuterHeader)
        case nested(OuterHeader, SignedHeader)
    }
    /// The claims, which meet the policy.
    public let claims: Claims
    private let layers: Layers

    init(claims: Claims, layers: Layers) {
        self.claims = claims
        self.layers = layers
    }

    init(claims: Claims, _ signed: SignedHeader, within outer: OuterHeader?) {
        self.claims = claims
        layers = if let outer { .nested(outer, signed) } else { .signed(signed) }
    }

    private var signed: SignedHeader? {
        switch layers {
        case .signed(let signed), .nested(_, let signed): signed
        case .encrypted: nil
        }
    }

    /// Returns an equal token whose claims use no more memory than they need.
    func trimmed() -> VerifiedToken { VerifiedToken(claims: claims.trimmed(), layers: layers) }

    /// The number of bytes on the heap that the token uses. A header that several tokens share counts for each of them.
    var heapBytes: Int {
        let signed = signed.map { $0.header.heapBytes + 32 + MemoryLayout<JOSEHeader>.size + MemoryLayout<JWK>.size }
        let outer = encryptionHeader.map { $0.heapBytes + 32 + MemoryLayout<JOSEHeader>.size }
        return claims.heapBytes + (signed ?? 0) + (outer ?? 0)
    }

    /// The header of the signature layer, or of the encryption layer if the token has no signature.
    public var header: JOSEHeader {
        switch layers {
        case .signed(let signed), .nested(_, let signed): signed.header
        case .encrypted(let outer): outer.header
        }
    }
    /// The header of the encryption layer; nil if the token is not encrypted.
    public var encryptionHeader: JOSEHeader? {
        switch layers {
        case .signed: nil
        case .encrypted(let outer), .nested(let outer, _): outer.header
        }
    }
    /// The algorithm of the signature; nil if the token has none.
    public var algorithm: SignatureAlgorithm? { signed?.algorithm }
    /// The key that verified the signature; nil if the token has none.
    public var key: JWK? { signed?.key }
}

/// The header of an encryption layer. It is a class because a header is large compared with the rest of a token.
final class OuterHeader: Sendable {
    let header: JOSEHeader
    init(_ header: JOSEHeader) { self.header = header }
}
