internal import JOSEBytes
internal import JOSECrypto

extension SignatureAlgorithm {
    /// Returns the base64url text of the left half of a value's hash: the value of `at_hash` and `c_hash` in a token that is
    /// signed with this algorithm (OpenID Connect Core, 3.1.3.6 and 3.3.2.11).
    ///
    /// - Parameter value: The access token or the authorization code.
    /// - Throws: `algorithmNotAllowed(.signature)` for `Ed448` and ML-DSA, for which no hash is defined.
    public func tokenHash(of value: String) throws(JOSEError) -> String {
        guard let hash = core.traits.hash else { throw .algorithmNotAllowed(.signature) }
        let digest: [UInt8]
        do throws(CryptoError) {
            digest = try hash.digest(value.utf8.span)
        } catch {
            throw .backend
        }
        return String(decoding: Base64URL.encode(digest.span.extracting(0..<digest.count / 2)), as: UTF8.self)
    }
}
