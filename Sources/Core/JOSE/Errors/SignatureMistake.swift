/// A frequent mistake by which a signature does not verify.
///
/// The errors of external signers name it, and so do the explanations of tokens. A verifier reports `signatureInvalid`
/// and no more, whatever the mistake is.
@nonexhaustive public enum SignatureMistake: Equatable, Sendable {
    /// An ECDSA signature is the DER structure `Ecdsa-Sig-Value` (RFC 3279, 2.2.3) in place of `r` and `s`, which have
    /// `required` bytes together (RFC 7518, 3.4).
    case der(required: Int)
    /// An ECDSA signature is not DER, although `ExternalSigner.ecdsaForm` is `der`.
    case notDER
    /// The signature has `found` bytes, and those of the algorithm and the key have `required`. The last value is the
    /// algorithm of the same kind whose signatures have `found` bytes; nil if there is none.
    case length(found: Int, required: Int, of: SignatureAlgorithm?)
    /// The signature is one of RSASSA-PKCS1-v1_5, and `alg` names RSASSA-PSS (RFC 7518, 3.5).
    case pkcs1InPlaceOfPSS
    /// The signature is one of RSASSA-PSS, and `alg` names RSASSA-PKCS1-v1_5 (RFC 7518, 3.3).
    case pssInPlaceOfPKCS1
    /// The salt of a signature of RSASSA-PSS has `found` bytes, and not as many as the hash (RFC 7518, 3.5).
    case saltLength(found: Int, required: Int)
    /// The signature is valid under another key of the set than those that the header selects. The value is the `kid`
    /// of that key, if it has one.
    case otherKey(keyID: String?)
}

extension SignatureMistake: CustomStringConvertible {
    /// A clause about the signature, without its subject. It contains nothing of the token except, of another key, the
    /// `kid`.
    public var description: String {
        switch self {
        case .der(let required):
            "is DER in place of r and s, which have \(required) octets together (RFC 7518, 3.4)"
        case .notDER: "is not DER, although ecdsaForm of the signer is der"
        case .length(let found, let required, let algorithm):
            "has \(found) octets, \(required) are required"
                + (algorithm.map { ": \(found) are those of \($0)" } ?? "")
        case .pkcs1InPlaceOfPSS: "is one of RSASSA-PKCS1-v1_5, and alg names RSASSA-PSS"
        case .pssInPlaceOfPKCS1: "is one of RSASSA-PSS, and alg names RSASSA-PKCS1-v1_5"
        case .saltLength(let found, let required):
            "has a PSS salt of \(found) octets, \(required) are required (RFC 7518, 3.5)"
        case .otherKey(let keyID):
            "is valid under another key of the set"
                + (keyID.map { ", that with kid '\(KeyDescription.escaped($0))'" } ?? ", which has no kid")
        }
    }
}
