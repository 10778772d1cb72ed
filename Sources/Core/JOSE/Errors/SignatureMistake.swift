/// A frequent mistake by which a signature does not verify.
///
/// The errors of external signers name it, and so do the explanations of tokens. A verifier reports `signatureInvalid`
/// and no more, whatever the mistake is. The description is a clause about the signature, without its subject. It
/// contains nothing of the token except, of another key, the `kid`.
public struct SignatureMistake: Equatable, Sendable, CustomStringConvertible {
    /// All conditions. The static members of the same names describe them.
    package enum Condition: Equatable, Sendable {
        case der(required: Int), notDER, length(found: Int, required: Int, of: SignatureAlgorithm?)
        case pkcs1InPlaceOfPSS, pssInPlaceOfPKCS1, saltLength(found: Int, required: Int), otherKey(keyID: String?)
    }
    package let condition: Condition

    /// Creates the condition that an ECDSA signature is the DER structure `Ecdsa-Sig-Value` (RFC 3279, 2.2.3) in place
    /// of `r` and `s`, which have `required` bytes together (RFC 7518, 3.4).
    package static func der(required: Int) -> Self { Self(condition: .der(required: required)) }
    /// An ECDSA signature is not DER, although `ExternalSigner.ecdsaForm` is `der`.
    package static var notDER: Self { Self(condition: .notDER) }
    /// Creates the condition that the signature has `found` bytes, and those of the algorithm and the key have
    /// `required`. The last value is the algorithm of the same kind whose signatures have `found` bytes; nil if there
    /// is none.
    package static func length(found: Int, required: Int, of algorithm: SignatureAlgorithm?) -> Self {
        Self(condition: .length(found: found, required: required, of: algorithm))
    }
    /// The signature is one of RSASSA-PKCS1-v1_5, and `alg` names RSASSA-PSS (RFC 7518, 3.5).
    package static var pkcs1InPlaceOfPSS: Self { Self(condition: .pkcs1InPlaceOfPSS) }
    /// The signature is one of RSASSA-PSS, and `alg` names RSASSA-PKCS1-v1_5 (RFC 7518, 3.3).
    package static var pssInPlaceOfPKCS1: Self { Self(condition: .pssInPlaceOfPKCS1) }
    /// Creates the condition that the salt of a signature of RSASSA-PSS has `found` bytes, and not as many as the hash
    /// (RFC 7518, 3.5).
    package static func saltLength(found: Int, required: Int) -> Self {
        Self(condition: .saltLength(found: found, required: required))
    }
    /// Creates the condition that the signature is valid under another key of the set than those that the header
    /// selects. The value is the `kid` of that key, if it has one.
    package static func otherKey(keyID: String?) -> Self { Self(condition: .otherKey(keyID: keyID)) }
}

extension SignatureMistake: ErrorDetail {
    /// Returns what `row` selects. The remedy is what the issuer corrects.
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let joined = "have the issuer write r and s one after the other, each as long as the field of the curve"
        return switch condition {
        case .der(let required):
            row(
                "is DER in place of r and s, which have \(required) octets together (RFC 7518, 3.4)", remedy: joined)
        case .notDER: row("is not DER, although ecdsaForm of the signer is der", remedy: joined)
        case .length(let found, let required, let algorithm?):
            row(
                "has \(found) octets, \(required) are required: \(found) are those of \(algorithm)",
                remedy:
                    "have the issuer sign with the algorithm that alg names, or name \(algorithm), if the policy allows it"
            )
        case .length(let found, let required, nil):
            row(
                "has \(found) octets, \(required) are required",
                remedy:
                    "have the issuer write the whole signature, each number with its leading zeros, and sign with the key that kid names"
            )
        case .pkcs1InPlaceOfPSS:
            row(
                "is one of RSASSA-PKCS1-v1_5, and alg names RSASSA-PSS",
                remedy:
                    "have the issuer sign with RSASSA-PSS, or name the algorithm with RS in place of PS, if the policy allows it"
            )
        case .pssInPlaceOfPKCS1:
            row(
                "is one of RSASSA-PSS, and alg names RSASSA-PKCS1-v1_5",
                remedy:
                    "have the issuer sign with RSASSA-PKCS1-v1_5, or name the algorithm with PS in place of RS, if the policy allows it"
            )
        case .saltLength(let found, let required):
            row(
                "has a PSS salt of \(found) octets, \(required) are required (RFC 7518, 3.5)",
                remedy: "have the issuer set the length of the salt to that of the hash")
        case .otherKey(let keyID):
            row(
                "is valid under another key of the set"
                    + (keyID.map { ", that with kid '\(KeyDescription.escaped($0))'" } ?? ", which has no kid"),
                remedy: "have the issuer write the kid of the key that it signs with")
        }
    }

    /// A description of how to correct the mistake of a signer outside the process.
    var remedyOfSigner: String {
        switch condition {
        case .der: "set ecdsaForm of the signer to der, or return r and s one after the other"
        case .notDER: "set ecdsaForm of the signer to joined, or return one DER structure"
        case .pkcs1InPlaceOfPSS:
            "ask the service for RSASSA-PSS, or create the signer for the algorithm with RS in place of PS"
        case .pssInPlaceOfPKCS1:
            "ask the service for RSASSA-PKCS1-v1_5, or create the signer for the algorithm with PS in place of RS"
        case .saltLength: "ask the service for a salt as long as the hash"
        default: "compare the algorithm and the public key of the signer with those of the service"
        }
    }
}
