import JOSE
import JOSECrypto
import TestSupport

extension VectorEvaluator {
    /// Verifies `sig` of `msg` with the key of the group as a JWK or, if it has none, as DER.
    static func signature(_ scheme: SignatureScheme) -> VectorEvaluator {
        VectorEvaluator(fits: { fits($0, scheme) }) { test in try verify(test, scheme, publicKey(of: test)) }
    }

    static let ed25519 = VectorEvaluator { test in
        guard case .ed25519(let key) = try publicKey(of: test).material else { throw Refused.unreadable }
        let message = try needed(test.bytes("msg"))
        let signature = try needed(test.bytes("sig"))
        try key.verify(message.span, signature: signature.span)
    }

    /// ML-DSA with an empty context (RFC 9964).
    static func mlDSA(_ scheme: SignatureScheme, _ name: String) -> VectorEvaluator {
        VectorEvaluator(fits: hasNoContext) { test in
            let raw = try needed(test.group["publicKey"]?.string.flatMap(octets(hex:)))
            try verify(test, scheme, algorithmKey(name, raw))
        }
    }

    /// ML-DSA from the seed, which yields the public key that verifies the signature.
    static func mlDSASeed(_ scheme: SignatureScheme, _ name: String) -> VectorEvaluator {
        // A case without `msg` has the hash to sign instead.
        VectorEvaluator(fits: { hasNoContext($0) && $0.fields["msg"] != nil }) { test in
            let seed = try needed(test.group["privateSeed"]?.string.flatMap(octets(hex:)))
            let raw = try needed(test.group["publicKey"]?.string.flatMap(octets(hex:)))
            let jwk = #"{"kty":"AKP","alg":"\#(name)","pub":"\#(base64URL(raw))","priv":"\#(base64URL(seed))"}"#
            try verify(test, scheme, PrivateKey(jwk: jwk).publicKey)
        }
    }

    static func mac(_ hash: Hash) -> VectorEvaluator {
        VectorEvaluator(fits: { $0.group["tagSize"] == .number(Double(hash.byteCount * 8)) }) { test in
            let key = try needed(test.bytes("key"))
            let message = try needed(test.bytes("msg"))
            let tag = try needed(test.bytes("tag"))
            try MACKey(hash, GuardedBytes(copying: key.span)).verify(message.span, tag: tag.span)
        }
    }

    private static func hasNoContext(_ test: Case) -> Bool { (test.fields["ctx"]?.string ?? "").isEmpty }

    private static func algorithmKey(_ name: String, _ raw: [UInt8]) throws -> PublicKey {
        try PublicKey(jwk: #"{"kty":"AKP","alg":"\#(name)","pub":"\#(base64URL(raw))"}"#)
    }

    private static func verify(_ test: Case, _ scheme: SignatureScheme, _ key: PublicKey) throws {
        guard case .asymmetric(let key) = key.material else { throw Refused.unreadable }
        try verify(test, scheme, key, needed(test.bytes("msg")), needed(test.bytes("sig")))
    }

    private static func publicKey(of test: Case) throws -> PublicKey {
        if let jwk = test.group["publicKeyJwk"] ?? test.group["keyJwk"] { return try PublicKey(jwk: jwk.text) }
        return try PublicKey(der: needed(test.group["publicKeyDer"]?.string.flatMap(octets(hex:))))
    }

    /// RSASSA-PSS with MGF1 of the same hash and a salt of its length (RFC 7518, 3.5), and a key of at least 2048 bits (RFC 7518,
    /// 3.3).
    private static func fits(_ test: Case, _ scheme: SignatureScheme) -> Bool {
        let hash: (String, Double)? =
            switch scheme {
            case .rs256, .ps256: ("SHA-256", 32)
            case .rs384, .ps384: ("SHA-384", 48)
            case .rs512, .ps512: ("SHA-512", 64)
            default: nil
            }
        guard let hash else { return true }
        guard test.group["sha"]?.string == hash.0, case .number(2048...)? = test.group["keySize"] else { return false }
        guard let salt = test.group["sLen"] else { return true }
        return salt == .number(hash.1) && test.group["mgf"]?.string == "MGF1"
            && test.group["mgfSha"]?.string == hash.0
    }
}
