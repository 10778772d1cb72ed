internal import JOSE
internal import JOSECrypto
internal import JOSESupport

extension HashAlgorithm {
    /// Returns the digest, in base64url, of a disclosure's base64url text or of an SD-JWT.
    func digest(_ text: Span<UInt8>) throws(TokenError) -> [UInt8] {
        // The digest is in no array of its own, because there is one for each disclosure.
        var digest = InlineArray<64, UInt8>(repeating: 0)
        var output = digest.mutableSpan
        do throws(CryptoError) {
            try hash.digest(text, into: &output)
        } catch {
            throw .jose(.backend, layer: .signature)
        }
        return Base64URL.encode(digest.span.extracting(0..<hash.byteCount))
    }

    /// Returns the algorithm that `_sd_alg` of the payload names; SHA-256 if it is absent.
    static func read(_ claims: Claims) throws(TokenError) -> HashAlgorithm {
        guard claims.contains("_sd_alg") else { return .sha256 }
        let name = claims.string("_sd_alg") ?? ""
        guard let known = allCases.first(where: { bytesEqual($0.rawValue, name) }) else {
            throw .disclosure(.hash)
        }
        return known
    }
}
