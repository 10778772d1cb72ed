internal import JOSECrypto
internal import JOSESupport

extension SignatureAlgorithm {
    /// Returns the value of `at_hash` or `c_hash` for an ID token that is signed with this algorithm: the left half of
    /// a hash, in base64url (OpenID Connect Core, 3.1.3.6 and 3.3.2.11).
    ///
    /// - Parameter value: The access token (`at_hash`) or the authorization code (`c_hash`).
    /// - Throws: `algorithmNotAllowed(.signature)` for `Ed448` and ML-DSA, for which no hash is defined.
    public func tokenHash(of value: String) throws(JOSEError) -> String {
        guard let hash = core.traits.hash else { throw .algorithmNotAllowed(.signature) }
        let digest = try calling(hash.digest(value.utf8.span))
        return String(decoding: Base64URL.encode(digest.span.extracting(0..<digest.count / 2)), as: UTF8.self)
    }
}
