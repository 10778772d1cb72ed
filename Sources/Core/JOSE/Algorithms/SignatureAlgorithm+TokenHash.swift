internal import JOSEBytes
internal import JOSECrypto

extension SignatureAlgorithm {
    /// The base64url text of the left half of a value's hash: what `at_hash` and `c_hash` hold in a token that was signed
    /// with this algorithm (OpenID Connect Core, 3.1.3.6 and 3.3.2.11). Throws for `Ed448` and ML-DSA, for which
    /// there is no hash.
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
