internal import Foundation
internal import JOSE

/// Signed tokens under a policy with trusted roots.
extension MatrixCase {
    static let certified: [MatrixCase] = [
        .honest("ES256 under a certificate", .certified) { (signing($0.certifiedP256, .es256), nil) },
        .honest("RS256 under a certificate", .certified) { (signing($0.certifiedRSA, .rs256), nil) },
        .honest("RS256 without a certificate", .certified) { ($0.rs256, nil) },

        .fault(
            "an untrusted certificate", of: "RS256 under a certificate", .signatureKey, "certificate_invalid"
        ) { recipe, keys in
            recipe.signing = signing(keys.untrusted, .rs256)
        },
        .fault(
            "an untrusted certificate beside a known kid", of: "RS256 without a certificate", .signatureKey,
            "certificate_invalid"
        ) { recipe, keys in
            let certificate = Data(keys.untrusted.chain.leaf.der).base64EncodedString()
            recipe.signing?.json = #"{"alg":"RS256","kid":"r1","typ":"JWT","x5c":["\#(certificate)"]}"#
        },
        .fault("a certificate that is not base64", of: "RS256 without a certificate", .signatureKey, "malformed") {
            recipe, _ in
            recipe.signing?.json = #"{"alg":"RS256","kid":"r1","typ":"JWT","x5c":["!"]}"#
        },
        .fault("a certificate of a key of another kind", of: under, .signatureKey, "key_unsuitable") { recipe, keys in
            let certificate = Data(keys.certifiedP256.chain.leaf.der).base64EncodedString()
            recipe.signing = keys.rs256
            recipe.signing?.json = #"{"alg":"RS256","typ":"JWT","x5c":["\#(certificate)"]}"#
        },
        .fault("the key of a set under a certificate", of: under, .signature, "signature_invalid") { recipe, keys in
            let certificate = Data(keys.certifiedRSA.chain.leaf.der).base64EncodedString()
            recipe.signing = keys.rs256
            recipe.signing?.json = #"{"alg":"RS256","typ":"JWT","x5c":["\#(certificate)"]}"#
        },
        .edited("a changed signature under a certificate", of: under, .signature, "signature_invalid") { $0.change(2) },
        .edited("changed claims under a certificate", of: under, .signature, "signature_invalid") { text in
            text.replace(#""sub":"u""#, with: #""sub":"v""#, in: 1)
        },
        .fault("another audience under a certificate", of: under, .claims, "audience_mismatch") { recipe, _ in
            recipe.claims["aud"] = #""other""#
        },
        .fault("exp that has passed, under a certificate", of: under, .claims, "token_expired") { recipe, _ in
            recipe.claims["exp"] = "1700000001"
        },
        barred("a subject under a certificate that the profile rejects", of: under),
        used("a jti under a certificate that was used", of: under),
    ]

    private static let under = "ES256 under a certificate"

    private static func signing(_ certified: MatrixKeys.Certified, _ algorithm: SignatureAlgorithm) -> Signing {
        var signing = Signing(.privateKey(certified.key), algorithm)
        signing.header.set(certificates: certified.chain)
        return signing
    }
}
