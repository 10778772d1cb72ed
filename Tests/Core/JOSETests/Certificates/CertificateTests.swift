import Foundation
import JOSE
import TestSupport
import Testing

@Suite("Certificates") struct CertificateTests {
    private let fixture: CertificateFixture
    init() throws { fixture = try CertificateFixture.made.get() }

    @Test("a certificate is the same from PEM, DER and base64, and has the values that openssl prints")
    func forms() throws {
        let certificate = try Certificate(pem: fixture.leaf.pem)
        #expect(try Certificate(der: certificate.der) == certificate)
        #expect(try Certificate(base64: certificate.base64) == certificate)
        #expect(try Certificate(pem: certificate.pem()) == certificate)
        #expect(
            try certificate.pem().trimmingCharacters(in: .newlines)
                == fixture.leaf.pem.trimmingCharacters(in: .newlines))
        #expect(Data(base64Encoded: certificate.base64) == Data(certificate.der))
        let said = try fixture.maker.openssl([
            "x509", "-in", fixture.leaf.certificate.path, "-noout", "-fingerprint", "-sha256", "-dates", "-subject",
            "-issuer",
            "-nameopt", "RFC2253",
        ])
        #expect(said.contains("=" + hex(certificate.sha256Thumbprint).uppercased().pairs))
        #expect(said.contains("subject=\(certificate.subject)") && certificate.subject == "CN=leaf,O=Test")
        #expect(said.contains("issuer=\(certificate.issuer)") && certificate.issuer == "CN=Intermediate,O=Test")
        let sha1 = try fixture.maker.openssl([
            "x509", "-in", fixture.leaf.certificate.path, "-noout", "-fingerprint", "-sha1",
        ])
        #expect(sha1.contains("=" + hex(certificate.sha1Thumbprint).uppercased().pairs))
        #expect(certificate.notAfter - certificate.notBefore == .seconds(30 * 86400))
        #expect(abs(certificate.notBefore.secondsSince1970 - fixture.now.secondsSince1970) < 600)
        #expect(certificate.description == #"Certificate("CN=leaf,O=Test")"#)
    }

    @Test("DER must be exactly one certificate; anything else is rejected") func notDER() throws {
        let der = try fixture.leaf.der
        _ = try Certificate(der: der)
        var indefinite = der
        indefinite[1] = 0x80
        // The length has three bytes where two suffice, which would give one certificate two thumbprints.
        let long = [0x30, 0x83, 0] + der[2...3] + der[4...]
        for bad in [[], [0x30], Array(der.dropLast()), der + [0], indefinite, long, Array(der.dropFirst(4))] {
            #expect(throws: JOSEError.malformed(ParseFailure(.certificate, .der))) { try Certificate(der: bad) }
        }
        let spki = try fixture.leaf.publicKey.der()
        #expect(throws: JOSEError.malformed(ParseFailure(.certificate, .der))) { try Certificate(der: spki) }
    }

    @Test("x5c values must be canonical, padded base64 without white space (RFC 7515, 4.1.6)") func base64() throws {
        // The length is one that needs padding, whatever the length of the signature is.
        var issued = fixture.leaf
        while try issued.der.count % 3 == 0 { issued = try fixture.leaf(CertificateFixture.Words.leaf) }
        let text = try Certificate(pem: issued.pem).base64
        _ = try Certificate(base64: text)
        let url = text.replacing("+", with: "-").replacing("/", with: "_")
        let wrapped = text.prefix(64) + "\n" + text.dropFirst(64)
        let unpadded = text.replacing("=", with: "")
        for bad in [
            url + (url == text ? "-" : ""), String(wrapped), unpadded, text + "=", " " + text, text + "AAA", "%",
        ] {
            #expect(throws: JOSEError.malformed(ParseFailure(.certificate, .base64)), "\(bad.suffix(9))") {
                try Certificate(base64: bad)
            }
        }
        // There are bits behind the last byte.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let last = try #require(unpadded.last)
        let place = try #require(alphabet.firstIndex(of: last))
        let spoilt = unpadded.dropLast() + String(alphabet[place + 1]) + text.suffix(text.count - unpadded.count)
        #expect(throws: JOSEError.malformed(ParseFailure(.certificate, .base64))) {
            try Certificate(base64: String(spoilt))
        }
    }

    @Test("PEM text between blocks is ignored, and blocks other than certificates are rejected (RFC 7468)") func pem()
        throws
    {
        let (one, two) = (fixture.leaf.pem, fixture.intermediate.pem)
        let chain = try CertificateChain(pem: "the leaf\n" + one + "\nits issuer:\n\n" + two + "end\n")
        #expect(chain.certificates.map(\.subject) == ["CN=leaf,O=Test", "CN=Intermediate,O=Test"])
        #expect(try CertificateChain(pem: (one + two).replacing("\n", with: "\r\n")) == chain)
        let fault = JOSEError.malformed(ParseFailure(.certificate, .pem))
        let half = one.prefix(one.count / 2)
        for bad in [
            "", "no certificate", one + fixture.leaf.keyPEM, fixture.leaf.keyPEM + one, one + half, half + two,
            one + two.replacing("-----BEGIN CERTIFICATE-----", with: "-----BEGIN CERTIFICATE----"),
            one + two.replacing("CERTIFICATE", with: "X509 CERTIFICATE"),
            one + two.replacing("CERTIFICATE", with: "TRUSTED CERTIFICATE"),
            one.replacing("CERTIFICATE-----\nM", with: "CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\n\nM"),
        ] {
            #expect(throws: fault, "\(bad.prefix(200))") { try CertificateChain(pem: bad) }
        }
        // libcrypto decodes some texts that are not base64, and the result is no certificate.
        let error = #expect(throws: JOSEError.self) {
            try CertificateChain(pem: one.replacing("\nM", with: "\n%"))
        }
        #expect(error == fault || error == .malformed(ParseFailure(.certificate, .der)))
        #expect(throws: JOSEError.limitExceeded(.certificates)) { try Certificate(pem: one + two) }
        _ = try Certificate(pem: one)
    }

    @Test("a chain that is out of order, empty or over the limit is rejected (RFC 7515, 4.1.6)") func order() throws {
        let (leaf, intermediate, root) = (fixture.leaf.pem, fixture.intermediate.pem, fixture.root.pem)
        _ = try CertificateChain(pem: leaf + intermediate + root)
        for bad in [leaf + root + intermediate, intermediate + leaf, leaf + root, leaf + leaf, root + intermediate] {
            #expect(throws: JOSEError.certificateInvalid(.order)) { try CertificateChain(pem: bad) }
        }
        #expect(throws: JOSEError.certificateInvalid(.order)) { try CertificateChain([]) }
        // A root names itself as its issuer.
        let many = String(repeating: root, count: 10)
        #expect(try CertificateChain(pem: many).certificates.count == 10)
        #expect(throws: JOSEError.limitExceeded(.certificates)) { try CertificateChain(pem: many + root) }
        #expect(throws: JOSEError.limitExceeded(.certificates)) {
            try CertificateChain(pem: String(repeating: root, count: 1_000))
        }
        #expect(try Certificate.parseAll(pem: String(repeating: root, count: 1_000)).count == 1_000)
        #expect(throws: JOSEError.limitExceeded(.certificates)) {
            try Certificate.parseAll(pem: String(repeating: root, count: 1_001))
        }
    }

    @Test("a certificate over the size limit is rejected before it is parsed") func size() throws {
        var limits = ParsingLimits.standard
        let der = try fixture.leaf.der
        limits.certificateBytes = der.count
        let text = try Certificate(der: der, limits: limits).base64
        _ = try Certificate(base64: text, limits: limits)
        _ = try Certificate(pem: fixture.leaf.pem, limits: limits)
        limits.certificateBytes -= 1
        #expect(throws: JOSEError.limitExceeded(.certificateBytes)) { try Certificate(der: der, limits: limits) }
        #expect(throws: JOSEError.limitExceeded(.certificateBytes)) { try Certificate(base64: text, limits: limits) }
        #expect(throws: JOSEError.limitExceeded(.certificateBytes)) {
            try Certificate(pem: fixture.leaf.pem, limits: limits)
        }
        let names = (0..<1_200).map { "DNS:host-\($0).good.test" }.joined(separator: ",")
        let large = try fixture.leaf(CertificateFixture.Words.leaf + ["subjectAltName=" + names])
        #expect(throws: JOSEError.limitExceeded(.certificateBytes)) { try Certificate(pem: large.pem) }
        limits.certificateBytes = 64 * 1024
        _ = try Certificate(pem: large.pem, limits: limits)
    }

    @Test("the public key of a certificate is read unchanged, for each kind of key") func keys() throws {
        for kind in [.p256, .p384, .ed25519, .x25519, .rsa(2048)] as [CertificateMaker.Kind] {
            let issued = try fixture.leaf(CertificateFixture.Words.leaf, kind)
            let certificate = try Certificate(pem: issued.pem)
            let key = try certificate.publicKey()
            #expect(try key == issued.publicKey, "\(kind)")
            #expect(key.certificates?.leaf == certificate)
            #expect(try JSON(key.jwk().utf8)["x5c"] == nil)
            let written = try JSON(certificate.publicKey(members: [.x5c, .x5t, .x5tS256]).jwk().utf8)
            #expect(written["x5c"] == .array([.string(certificate.base64)]))
            #expect(written["x5t"]?.string == base64URL(certificate.sha1Thumbprint))
            #expect(written["x5t#S256"]?.string == base64URL(certificate.sha256Thumbprint))
            #expect(try PublicKey(jwk: written.text).certificates?.leaf == certificate)
        }
    }

    @Test("a certificate whose key is too small is rejected (T34)") func smallKey() throws {
        let small = try Certificate(pem: fixture.leaf(CertificateFixture.Words.leaf, .rsa(1024)).pem)
        #expect(throws: JOSEError.keyUnsuitable(.tooSmall)) { try small.publicKey() }
        _ = try Certificate(pem: fixture.leaf(CertificateFixture.Words.leaf, .rsa(2048)).pem).publicKey()
    }

    @Test("names in certificates are escaped and printed on one line, whatever they contain") func names() throws {
        let odd = try fixture.maker.issue(
            "odd", by: fixture.intermediate, extensions: CertificateFixture.Words.leaf,
            subject: "/O=Bäcker\n,\"x\"/CN=\u{202E}a")
        let certificate = try Certificate(pem: odd.pem)
        #expect(!certificate.subject.contains("\n") && certificate.subject.contains("\\0A"), "\(certificate.subject)")
        #expect(certificate.description.utf8.allSatisfy { 0x20..<0x7F ~= $0 })
        #expect(certificate.subject.contains("Bäcker"))
    }

    @Test("the published chain and its key are read, and its SHA-1 signature is not trusted (RFC 7515, appendix B)")
    func appendixB() throws {
        let vectors = try VectorFile("rfc7515/x5c").vectors
        let x5c = try #require(vectors.first?.x5c)
        let certificates = try x5c.map { try Certificate(base64: $0) }
        #expect(certificates.map(\.base64) == x5c)
        let chain = try CertificateChain(certificates)
        #expect(certificates.map { $0.subject.contains("Go Daddy") } == [true, true, false])
        #expect(try chain.publicKey().kind == .rsa(bits: 2048))
        #expect(certificates[0].notBefore == 1_163_642_077 && certificates[0].notAfter == 1_794_794_077)
        #expect(
            hex(certificates[0].sha256Thumbprint)
                == "09ed6e991fc3273d8fea317d339c020418619735 49cfa6e1558f411f11211aa3"
                .replacing(" ", with: ""))
        let set = #"{"keys":[\#(try chain.publicKey(members: .x5c).jwk())]}"#
        #expect(try KeySet(parsing: set).keys.first?.certificates == chain)
        // Each certificate is tried as the root.
        for (root, reason) in zip(certificates, [nil, .weak, .authority] as [CertificateFault?]) {
            let trust = try CertificateTrust(roots: [root], clock: .fixed(1_200_000_000))
            if let reason {
                #expect(throws: JOSEError.certificateInvalid(reason)) { try trust.verify(chain, for: .any) }
            } else {
                #expect(try trust.verify(chain, for: .any).kind == .rsa(bits: 2048))
            }
        }
    }
}

extension String {
    /// The text with a colon between each two characters: `AABB` as `AA:BB`.
    fileprivate var pairs: String {
        stride(from: 0, to: count, by: 2).map { String(dropFirst($0).prefix(2)) }.joined(separator: ":")
    }
}
