public import JOSE

/// A token that held. Only a `TokenVerifier` makes one.
public struct VerifiedToken: Sendable {
    /// Of many tokens the same: they share it.
    enum Layers: Sendable {
        case signed(SignedHeader)
        case encrypted(OuterHeader)
        case nested(OuterHeader, SignedHeader)
    }
    /// All of them held what the policy asks.
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

    /// Returns the same token, whose claims take no more memory than they need.
    func trimmed() -> VerifiedToken { VerifiedToken(claims: claims.trimmed(), layers: layers) }

    /// Bytes of memory that the token takes beside its own fields. A header that many tokens share counts for each of them.
    var heapBytes: Int {
        let signed = signed.map { $0.header.heapBytes + 32 + MemoryLayout<JOSEHeader>.size + MemoryLayout<JWK>.size }
        let outer = encryptionHeader.map { $0.heapBytes + 32 + MemoryLayout<JOSEHeader>.size }
        return claims.heapBytes + (signed ?? 0) + (outer ?? 0)
    }

    /// Of the signature layer; of the encryption layer in a token that has no other.
    public var header: JOSEHeader {
        switch layers {
        case .signed(let signed), .nested(_, let signed): signed.header
        case .encrypted(let outer): outer.header
        }
    }
    /// Of the encryption layer, where there is one.
    public var encryptionHeader: JOSEHeader? {
        switch layers {
        case .signed: nil
        case .encrypted(let outer), .nested(let outer, _): outer.header
        }
    }
    /// What it was signed with.
    public var algorithm: SignatureAlgorithm? { signed?.algorithm }
    /// The key that verified the signature.
    public var key: JWK? { signed?.key }
}

/// The header of an encryption layer. A class, for a header is large beside all else that a token holds.
final class OuterHeader: Sendable {
    let header: JOSEHeader
    init(_ header: JOSEHeader) { self.header = header }
}
