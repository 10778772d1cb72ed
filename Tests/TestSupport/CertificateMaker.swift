package import Foundation
internal import JOSE

/// Generates certificates with the command `openssl`, in a folder that is removed with the value.
package final class CertificateMaker: Sendable {
    package struct Issued: Sendable {
        package let name: String
        package let pem: String
        /// The private key in PEM, PKCS #8, unencrypted.
        package let keyPEM: String
        package let certificate: URL
        package let key: URL
    }
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// The kind of a new key, or a key that exists, in PEM.
    package enum Kind: Sendable { case p256, p384, ed25519, x25519, rsa(Int), given(pem: [UInt8]) }

    /// Extensions in the syntax of `openssl`.
    package enum Extensions {
        package static let root =
            ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"] + identifiers
        package static let authority = root
        package static let leaf = plainLeaf + identifiers
        /// The extensions of a leaf whose issuer has no key identifier.
        package static let plainLeaf = ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature"]
        package static let identifiers = ["subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid"]
    }

    private let folder: TemporaryFolder

    package init() throws { folder = try TemporaryFolder() }

    /// Issues a certificate.
    ///
    /// - Parameters:
    ///   - name: The name of its files and its `CN`.
    ///   - issuer: The issuer; nil for a self-signed certificate.
    ///   - key: A certificate whose key is used again; nil for a new key.
    ///   - options: Options of the signature, in the syntax of `openssl`.
    package func issue(
        _ name: String, by issuer: Issued? = nil, _ kind: Kind = .p256, key given: Issued? = nil,
        extensions: [String], days: Int = 30, hash: String = "sha256", subject: String? = nil,
        signing options: [String] = []
    ) throws -> Issued {
        let place = folder.url.appending(path: name)
        let key = given?.key ?? place.appendingPathExtension("key")
        let certificate = place.appendingPathExtension("pem")
        let request = place.appendingPathExtension("csr")
        let settings = place.appendingPathExtension("cnf")
        try Data(extensions.joined(separator: "\n").utf8).write(to: settings)
        if given == nil { try Data(Self.fresh(kind)).write(to: key) }
        // A key that only agrees cannot sign its own request.
        let isForAgreement = if case .x25519 = kind { true } else { false }
        let signing = isForAgreement ? place.appendingPathExtension("other") : key
        if isForAgreement { try Data(PrivateKey.generate(.p256).exportPrivatePEM()).write(to: signing) }
        try openssl(
            [
                "req", "-new", "-batch", "-utf8", "-key", signing.path, "-subj", subject ?? "/O=Test/CN=\(name)",
                "-out",
                request.path,
            ])
        var arguments = [
            "x509", "-req", "-in", request.path, "-out", certificate.path, "-days", "\(days)", "-\(hash)",
            "-extfile", settings.path, "-set_serial", "\(UInt32.random(in: 1..<UInt32.max))",
        ]
        for option in options { arguments += ["-sigopt", option] }
        if isForAgreement {
            let half = place.appendingPathExtension("pub")
            try Data(PrivateKey(pem: String(contentsOf: key, encoding: .utf8)).publicKey.pem().utf8).write(to: half)
            arguments += ["-force_pubkey", half.path]
        }
        if let issuer {
            arguments += ["-CA", issuer.certificate.path, "-CAkey", issuer.key.path]
        } else {
            arguments += ["-signkey", key.path]
        }
        try openssl(arguments)
        return Issued(
            name: name, pem: try String(contentsOf: certificate, encoding: .utf8),
            keyPEM: try String(contentsOf: key, encoding: .utf8), certificate: certificate, key: key)
    }

    /// Generates a key. The library is faster than `openssl`, which generates the kinds that the library rejects.
    private static func fresh(_ kind: Kind) throws -> [UInt8] {
        switch kind {
        case .p256: return try PrivateKey.generate(.p256).exportPrivatePEM()
        case .p384: return try PrivateKey.generate(.p384).exportPrivatePEM()
        case .ed25519: return try PrivateKey.generate(.ed25519).exportPrivatePEM()
        case .x25519: return try PrivateKey.generate(.x25519).exportPrivatePEM()
        case .given(let pem): return pem
        case .rsa(let bits) where bits >= 2048: return try PrivateKey.stored(bits: bits).exportPrivatePEM()
        case .rsa(let bits):
            let made = try run("openssl", ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(bits)"])
            guard made.status == 0 else { throw Failure(description: made.stderr) }
            return Array(made.stdout.utf8)
        }
    }

    /// Returns a PKCS #12 file.
    package func pkcs12(_ leaf: Issued, chain: [Issued] = [], password: String, _ more: [String] = []) throws -> [UInt8]
    {
        let out = folder.url.appending(path: "\(UUID().uuidString).p12")
        let others = folder.url.appending(path: "\(UUID().uuidString).pem")
        try Data(chain.map(\.pem).joined().utf8).write(to: others)
        var arguments = [
            "pkcs12", "-export", "-inkey", leaf.key.path, "-in", leaf.certificate.path, "-out", out.path, "-passout",
            "pass:\(password)",
        ]
        if !chain.isEmpty { arguments += ["-certfile", others.path] }
        try openssl(arguments + more)
        return Array(try Data(contentsOf: out))
    }

    /// The status of a certificate in an OCSP response.
    package enum Status: Sendable { case good, revoked, unknown }

    private func serial(_ issued: Issued) throws -> String {
        let printed = try openssl(["x509", "-in", issued.certificate.path, "-noout", "-serial"])
        return String(printed.trimmingCharacters(in: .whitespacesAndNewlines).dropFirst("serial=".count))
    }

    /// Returns an OCSP response in DER that is produced now.
    ///
    /// - Parameter validity: The options for the time until `nextUpdate`; without any there is none.
    package func status(
        of subject: Issued, _ status: Status, issuer: Issued, by responder: Issued, _ more: [String] = [],
        validity: [String] = ["-ndays", "7"]
    ) throws -> [UInt8] {
        let place = folder.url.appending(path: UUID().uuidString)
        let (index, request, response) = (
            place.appendingPathExtension("index"), place.appendingPathExtension("req"),
            place.appendingPathExtension("der")
        )
        let serial = try serial(subject)
        let row =
            switch status {
            case .good: "V\t401231000000Z\t\t\(serial)\tunknown\t/CN=x\n"
            case .revoked: "R\t401231000000Z\t200101000000Z\t\(serial)\tunknown\t/CN=x\n"
            case .unknown: ""
            }
        try Data(row.utf8).write(to: index)
        try openssl(
            ["ocsp", "-issuer", issuer.certificate.path, "-cert", subject.certificate.path]
                + ["-reqout", request.path, "-no_nonce"])
        try openssl(
            ["ocsp", "-index", index.path, "-CA", issuer.certificate.path, "-rsigner", responder.certificate.path]
                + ["-rkey", responder.key.path, "-reqin", request.path, "-respout", response.path] + validity + more)
        return Array(try Data(contentsOf: response))
    }

    /// Returns a certificate revocation list in PEM.
    ///
    /// - Parameters:
    ///   - revoked: The certificates that it lists.
    ///   - validity: The options for its times, in the syntax of `openssl ca`.
    ///   - extensions: Further extensions, in the syntax of `openssl`.
    package func revocationList(
        by issuer: Issued, revoked: [Issued] = [], validity: [String] = ["-crldays", "7"], extensions: [String] = [],
        hash: String = "sha256"
    ) throws -> [UInt8] {
        let place = folder.url.appending(path: UUID().uuidString)
        let (index, settings, list) = (
            place.appendingPathExtension("index"), place.appendingPathExtension("cnf"),
            place.appendingPathExtension("crl")
        )
        let rows = try revoked.map { "R\t401231000000Z\t200101000000Z\t\(try serial($0))\tunknown\t/CN=x\n" }
        try Data(rows.joined().utf8).write(to: index)
        let lines =
            ["[ca]", "default_ca=d", "[d]", "database=\(index.path)", "default_md=\(hash)", "crl_extensions=e", "[e]"]
            + ["authorityKeyIdentifier=keyid"] + extensions
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: settings)
        try openssl(
            ["ca", "-gencrl", "-config", settings.path, "-cert", issuer.certificate.path, "-keyfile", issuer.key.path]
                + ["-out", list.path] + validity)
        return Array(try Data(contentsOf: list))
    }

    @discardableResult package func openssl(_ arguments: [String]) throws -> String {
        let result = try run("openssl", arguments)
        guard result.status == 0 else {
            throw Failure(description: "openssl \(arguments.joined(separator: " ")): \(result.stderr)")
        }
        return result.stdout
    }
}
