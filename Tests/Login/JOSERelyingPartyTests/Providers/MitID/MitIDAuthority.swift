import Foundation
import JOSE
import TestSupport

/// The authority that certifies the broker's transaction key, created once. It signs certificates with RSASSA-PSS, like OCES,
/// and its responder has a key on P-256.
final class MitIDAuthority: Sendable {
    typealias Issued = CertificateMaker.Issued
    private typealias Words = CertificateMaker.Extensions

    static let made = Result { try MitIDAuthority() }

    let maker: CertificateMaker
    let root, key, otherKey, responder, plain, foreignRoot, foreignResponder: Issued
    /// A time at which all certificates are valid.
    let now: NumericDate
    static let pss = ["rsa_padding_mode:pss", "rsa_pss_saltlen:32"]
    private static let responding = Words.leaf + ["extendedKeyUsage=OCSPSigning"]

    private init() throws {
        maker = try CertificateMaker()
        root = try maker.issue("OCES CA", .rsa(2048), extensions: Words.root, days: 3650, signing: Self.pss)
        foreignRoot = try maker.issue("Foreign CA", .rsa(2048), extensions: Words.root, days: 3650)
        key = try maker.issue(
            "Transaction key", by: root, .rsa(3072), extensions: Words.leaf, days: 1000, signing: Self.pss)
        otherKey = try maker.issue("Other", by: root, extensions: Words.leaf, signing: Self.pss)
        responder = try maker.issue("Responder", by: root, extensions: Self.responding, signing: Self.pss)
        plain = try maker.issue("No responder", by: root, extensions: Words.leaf, signing: Self.pss)
        foreignResponder = try maker.issue("Foreign responder", by: foreignRoot, extensions: Self.responding)
        now = NumericDate.now + .seconds(1)
    }

    /// Returns a key as the broker publishes it: without `alg`, and with its certificate's name as `kid`.
    func jwk(of issued: Issued? = nil, keyID: String? = nil) throws -> JWK {
        let certificate = try Certificate(pem: (issued ?? key).pem)
        var key = try certificate.publicKey(members: [.x5c, .x5t])
        key.keyID = keyID ?? certificate.sha1Thumbprint.map { String(format: "%02X", $0) }.joined()
        key.use = .signature
        return .publicKey(key)
    }

    func status(
        _ status: CertificateMaker.Status = .good, of subject: Issued? = nil, by signer: Issued? = nil,
        with more: [String] = []
    ) throws -> String {
        let der = try maker.status(of: subject ?? key, status, issuer: root, by: signer ?? responder, more)
        return Data(der).base64EncodedString()
    }
}
