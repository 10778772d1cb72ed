import Foundation
import JOSE
import TestSupport

/// A root, an intermediate that may certify names of `good.test` only, a leaf of it, and further ones, generated once.
final class CertificateFixture: Sendable {
    typealias Issued = CertificateMaker.Issued
    typealias Words = CertificateMaker.Extensions

    static let made = Result { try CertificateFixture() }

    let maker: CertificateMaker
    let root, foreignRoot, intermediate, leaf: Issued
    let now = NumericDate.now

    private init() throws {
        maker = try CertificateMaker()
        root = try maker.issue("Root", extensions: Words.root, days: 3650)
        foreignRoot = try maker.issue("Foreign Root", extensions: Words.root, days: 3650)
        intermediate = try maker.issue(
            "Intermediate", by: root,
            extensions: [
                "basicConstraints=critical,CA:TRUE,pathlen:0", "keyUsage=critical,keyCertSign",
                "nameConstraints=critical,permitted;DNS:good.test,excluded;DNS:bad.good.test",
            ] + Words.identifiers, days: 365)
        leaf = try maker.issue("leaf", by: intermediate, extensions: Words.leaf + ["subjectAltName=DNS:api.good.test"])
    }

    /// Returns a leaf of the intermediate.
    func leaf(_ extensions: [String], _ kind: CertificateMaker.Kind = .p256, by issuer: Issued? = nil) throws -> Issued
    {
        try maker.issue("leaf-\(UUID().uuidString.prefix(8))", by: issuer ?? intermediate, kind, extensions: extensions)
    }

    func chain(_ issued: Issued...) throws -> CertificateChain { try CertificateChain(pem: issued.map(\.pem).joined()) }

    func trust(
        _ roots: [Issued]? = nil, days: Double = 1, name: CertificateTrust.Name = .any, extended: String? = nil
    ) throws -> CertificateTrust {
        try CertificateTrust(
            roots: try (roots ?? [root]).map { try Certificate(pem: $0.pem) },
            clock: .fixed(now + .seconds(days * 86400)), name: name, extendedKeyUsage: extended)
    }
}

extension CertificateMaker.Issued {
    var der: [UInt8] { get throws { try Certificate(pem: pem).der } }
    var privateKey: PrivateKey { get throws { try PrivateKey(pem: keyPEM) } }
    var publicKey: PublicKey { get throws { try privateKey.publicKey } }
}
