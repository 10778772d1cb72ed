internal import JOSE
internal import JOSEBytes
internal import JOSECrypto

/// What digests of disclosures are made with: `_sd_alg` (RFC 9901, 4.1.1).
public enum DisclosureHash: String, Sendable, CaseIterable {
    /// What is meant where there is no `_sd_alg` (RFC 9901, 4.1.1).
    case sha256 = "sha-256"
    /// With 48 bytes.
    case sha384 = "sha-384"
    /// With 64 bytes.
    case sha512 = "sha-512"

    private var hash: Hash {
        switch self {
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }

    /// The base64url text of the digest of a text that is itself base64url, or of an SD-JWT.
    func digest(_ text: [UInt8]) throws(TokenError) -> [UInt8] {
        let digest: [UInt8]
        do throws(CryptoError) {
            digest = try hash.digest(text.span)
        } catch {
            throw .jose(.backend, layer: .signature)
        }
        return Base64URL.encode(digest.span)
    }

    /// By `_sd_alg` of the payload; SHA-256 where there is none.
    static func read(_ claims: Claims) throws(TokenError) -> DisclosureHash {
        guard claims.contains("_sd_alg") else { return .sha256 }
        let name = claims.string("_sd_alg") ?? ""
        guard let known = allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else {
            throw .disclosure(.hash)
        }
        return known
    }
}
