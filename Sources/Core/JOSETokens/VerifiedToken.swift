public import JOSE

/// A token whose layers and claims are valid. Only a verifier creates one.
public struct VerifiedToken: Sendable {
    /// The claims, which meet the policy.
    public let claims: Claims
    /// The header and the key of the signature; nil if the token has none. Tokens with the same header share them.
    let signed: SignedHeader?
    /// The header of the encryption layer; nil if the token is not encrypted.
    var outer: OuterHeader?

    init(claims: Claims, _ signed: SignedHeader? = nil, within outer: OuterHeader? = nil) {
        self.claims = claims
        self.signed = signed
        self.outer = outer
    }

    /// Creates a token from a JWS whose signature is valid, by parsing its claims.
    init(_ jws: VerifiedJWS, _ limits: ParsingLimits, within outer: OuterHeader? = nil) throws(TokenError) {
        self.init(
            claims: try Claims(payload: jws.payload, limits: limits, layer: .signature), jws.signed, within: outer)
    }

    /// Creates a token from a JWS once its signature was verified.
    init(_ job: inout SignatureJob, within outer: OuterHeader?) throws(TokenError) {
        let limits = job.limits
        let jws = try inLayer(.signature, job.finish())
        try self.init(jws, limits, within: outer)
    }

    /// Returns an equal token whose claims use no more memory than they need.
    func trimmed() -> VerifiedToken { VerifiedToken(claims: claims.trimmed(), signed, within: outer) }

    /// The number of bytes on the heap that the token uses. A header that several tokens share counts for each of them.
    var heapBytes: Int {
        let signed = signed.map { $0.header.heapBytes + 32 + MemoryLayout<JOSEHeader>.size + MemoryLayout<JWK>.size }
        let outer = outer.map { $0.header.heapBytes + 32 + MemoryLayout<JOSEHeader>.size }
        return claims.heapBytes + (signed ?? 0) + (outer ?? 0)
    }

    /// The header of the signature layer, or of the encryption layer if the token has no signature.
    public var header: JOSEHeader {
        guard let header = signed?.header ?? outer?.header else { preconditionFailure("A token has a layer.") }
        return header
    }
    /// The header of the encryption layer; nil if the token is not encrypted.
    public var encryptionHeader: JOSEHeader? { outer?.header }
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
