internal import JOSESupport

extension JWSVerifier {
    /// Verifies a compact JWS with a key that is for this JWS alone, such as the one in its own header (`jwk`; RFC
    /// 7515, 4.1.3). Nothing is kept of the key, and the verifier's own keys are not used.
    ///
    /// - Parameters:
    ///   - jws: The compact serialization, in ASCII.
    ///   - choose: Returns the key. It is called once, for a header that the policy allows. The `kid` of the key is not
    ///     compared with the header's.
    /// - Throws: The errors of `verify(_:)` except those of the choice of a key, those of `choose`, and
    ///   `headerInvalid` for an unencoded payload.
    package func verify(
        _ jws: Span<UInt8>, key choose: (JOSEHeader) throws(JOSEError) -> PublicKey
    ) throws(JOSEError) -> VerifiedJWS {
        let parts = try CompactParts(jws, count: 3, limits: shared.policy.limits)
        let (header, algorithm) = try readHeader(jws.extracting(parts.range(0)))
        guard !header.payloadIsUnencoded else { throw .headerInvalid(.b64) }
        var compact = try read(jws, parts)
        let jwk = JWK.publicKey(try choose(header))
        if let reason = KeySelection.unsuitability(of: jwk, for: algorithm, .verify) { throw .keyUnsuitable(reason) }
        let key = VerificationKey(jwk, for: [algorithm], isLasting: false)
        let (x5t, x5tS256) = (header.value(.x5t), header.value(.x5tS256))
        if key.certificates?.agrees(x5t: x5t, x5tS256: x5tS256, in: header.bytes.span) == false {
            throw .keyUnsuitable(.certificate)
        }
        try key.verify(
            algorithm.core, jws.extracting(compact.input),
            signature: compact.bytes.span.extracting(compact.signature))
        compact.cutSignature()
        return VerifiedJWS(SignedHeader(header, algorithm, jwk), compact.bytes)
    }
}
