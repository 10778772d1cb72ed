import Foundation
import JOSE
import TestSupport
import Testing

@Suite("PKCS #12") struct PKCS12Tests {
    private typealias Words = CertificateFixture.Words
    private let fixture: CertificateFixture
    private let word = Array("open sesame".utf8)
    init() throws { fixture = try CertificateFixture.made.get() }

    private func file(
        _ leaf: CertificateFixture.Issued? = nil, _ chain: [CertificateFixture.Issued]? = nil,
        password: String = "open sesame",
        _ more: String...
    ) throws -> [UInt8] {
        try fixture.maker.pkcs12(
            leaf ?? fixture.leaf, chain: chain ?? [fixture.root, fixture.intermediate], password: password, more)
    }

    private func fault(_ file: [UInt8], _ passphrase: [UInt8]? = nil) -> JOSEError? {
        do throws(JOSEError) {
            _ = try PrivateKey(pkcs12: file, passphrase: passphrase ?? word)
            return nil
        } catch { return error }
    }

    @Test("reads a key and its chain, in order, from a file under every supported cipher (RFC 7292)")
    func ciphers() throws {
        let whole = try fixture.chain(fixture.leaf, fixture.intermediate, fixture.root)
        for more in [
            [], ["-certpbe", "AES-128-CBC", "-keypbe", "AES-256-CBC", "-macalg", "sha512"],
            ["-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES", "-macalg", "sha1"], ["-certpbe", "NONE"],
            ["-keypbe", "NONE"], ["-iter", "1", "-nomaciter"], ["-iter", "100000"],
        ] {
            let bytes = try fixture.maker.pkcs12(
                fixture.leaf, chain: [fixture.root, fixture.foreignRoot, fixture.intermediate], password: "open sesame",
                more)
            let key = try PrivateKey(pkcs12: bytes, passphrase: word)
            #expect(try key == fixture.leaf.privateKey, "\(more)")
            #expect(key.certificates == whole, "\(more)")
            _ = try fixture.trust().verify(#require(key.certificates))
        }
        let written = try JSON(PrivateKey(pkcs12: file(), passphrase: word).publicKey.jwk().utf8)
        #expect(written["x5c"] == .array(whole.certificates.map { .string($0.base64) }))
        #expect(written["x5t#S256"]?.string == base64URL(whole.leaf.sha256Thumbprint) && written["x5t"] == nil)
        let single = try PrivateKey(pkcs12: file(nil, []), passphrase: word)
        #expect(try single.certificates == fixture.chain(fixture.leaf))
    }

    @Test("reads each kind of key from a PKCS #12 file") func kinds() throws {
        for kind in [.p384, .ed25519, .rsa(2048)] as [CertificateMaker.Kind] {
            let issued = try fixture.leaf(Words.leaf, kind)
            #expect(try PrivateKey(pkcs12: file(issued), passphrase: word) == issued.privateKey, "\(kind)")
        }
        #expect(fault(try file(fixture.leaf(Words.leaf, .rsa(1024)))) == .keyUnsuitable(.tooSmall))
    }

    @Test("a wrong passphrase is reported as such, and an empty passphrase can be the right one")
    func passphrases() throws {
        let bytes = try file()
        #expect(fault(bytes) == nil)
        for wrong in ["", "open sesam", "open sesame ", "Open sesame", "open sesame\0"] {
            #expect(fault(bytes, Array(wrong.utf8)) == .keyInvalid(.passphrase), "\(wrong)")
        }
        let open = try file(password: "")
        #expect(fault(open, []) == nil && fault(open) == .keyInvalid(.passphrase))
        let accented = try file(password: "Schlüssel € 𝄞")
        #expect(fault(accented, Array("Schlüssel € 𝄞".utf8)) == nil)
    }

    @Test("weak ciphers and a file without a MAC are rejected with keyInvalid(.encryption)") func weak() throws {
        let legacy = try fixture.maker.openssl(["version", "-m"])
        let folder = legacy.split(separator: "\"").dropFirst().first.map(String.init) ?? ""
        let isThere = FileManager.default.contents(atPath: folder + "/legacy.so") != nil
        for cipher in ["PBE-SHA1-RC2-40", "PBE-SHA1-RC2-128", "PBE-SHA1-RC4-128"] where isThere {
            #expect(fault(try file(nil, nil, "-legacy", "-certpbe", cipher)) == .keyInvalid(.encryption), "\(cipher)")
            #expect(fault(try file(nil, nil, "-legacy", "-keypbe", cipher)) == .keyInvalid(.encryption), "\(cipher)")
        }
        #expect(fault(try file(nil, nil, "-nomac")) == .keyInvalid(.encryption))
        #expect(fault(try file(nil, nil, "-macalg", "md5")) == .keyInvalid(.encryption))
        #expect(fault(try file(nil, nil, "-macalg", "sha256")) == nil)
    }

    /// Returns the file with another number of iterations for the MAC, which is at its end.
    private func file(_ bytes: [UInt8], macRounds: [UInt8]) -> [UInt8] {
        let old: [UInt8] = [0x02, 0x02, 0x08, 0x00]
        let tail = Array(bytes.suffix(4))
        precondition(tail == old && bytes[0] == 0x30 && bytes[1] == 0x82)
        // This is the last sequence that ends with the file.
        var mac = bytes.count - 3
        while bytes[mac] != 0x30 || mac + 2 + Int(bytes[mac + 1]) != bytes.count { mac -= 1 }
        var file: [UInt8] = Array(bytes.dropLast(4))
        file.append(0x02)
        file.append(UInt8(macRounds.count))
        file.append(contentsOf: macRounds)
        let growth: Int = file.count - bytes.count
        file[mac + 1] = UInt8(Int(file[mac + 1]) + growth)
        let length: Int = file.count - 4
        file[2] = UInt8(length >> 8)
        file[3] = UInt8(length & 255)
        return file
    }

    @Test("T29 PBKDF2 iterations are checked before they are run") func rounds() throws {
        let bytes = try file()
        #expect(fault(file(bytes, macRounds: [0x08, 0x00])) == nil)
        // With another number than was used, the MAC is invalid.
        #expect(fault(file(bytes, macRounds: [0x08, 0x01])) == .keyInvalid(.passphrase))
        let many: [[UInt8]] = [
            [0x3D, 0x09, 0x01], [0x7F, 0xFF, 0xFF, 0xFF], [0xFF], [0], [UInt8](repeating: 0x7F, count: 20),
        ]
        for rounds in many {
            let seconds = cpuSeconds {
                #expect(fault(file(bytes, macRounds: rounds)) == .limitExceeded(.iterations), "\(rounds)")
            }
            #expect(seconds < 1)
        }
        // The MAC, the certificates and the key take 2 048 iterations each.
        var limits = ParsingLimits.standard
        limits.maxPBKDF2Iterations = 2048 * 3 / 4
        _ = try PrivateKey(pkcs12: bytes, passphrase: word, limits: limits)
        for cap in [2048 * 3 / 4 - 1, 2048 / 2, 2048 / 2 - 1, 2048 / 4 - 1, 0] {
            limits.maxPBKDF2Iterations = cap
            #expect(throws: JOSEError.limitExceeded(.iterations)) {
                try PrivateKey(pkcs12: bytes, passphrase: word, limits: limits)
            }
        }
    }

    @Test("a file that is truncated, has trailing bytes or is not PKCS #12 is rejected")
    func malformed() throws {
        let bytes = try file()
        let fault = JOSEError.malformed(ParseFailure(.key, .der))
        for bad in [
            [], [0x30], bytes + [0], Array(bytes.dropLast()), try fixture.leaf.der, Array(fixture.leaf.pem.utf8),
        ] {
            #expect(self.fault(bad) == fault)
        }
        #expect(self.fault(bytes) == nil)
        // A byte that the MAC covers is changed.
        var changed = bytes
        changed[bytes.count / 2] ^= 1
        #expect(self.fault(changed) != nil)
    }

    @Test("a file without a key or with certificates over the limits is rejected; certificates are optional")
    func contents() throws {
        let certificates = try file(nil, nil, "-nokeys")
        #expect(fault(certificates) == .keyInvalid(.absent))
        let keyAlone = try file(nil, [], "-nocerts")
        #expect(fault(keyAlone) == nil)
        #expect(try PrivateKey(pkcs12: keyAlone, passphrase: word).certificates == nil)
        var limits = ParsingLimits.standard
        limits.certificates = 2
        let bytes = try file()
        #expect(throws: JOSEError.limitExceeded(.certificates)) {
            try PrivateKey(pkcs12: bytes, passphrase: word, limits: limits)
        }
        limits.certificates = 3
        _ = try PrivateKey(pkcs12: bytes, passphrase: word, limits: limits)
        limits.certificateBytes = 200
        #expect(throws: JOSEError.limitExceeded(.certificateBytes)) {
            try PrivateKey(pkcs12: bytes, passphrase: word, limits: limits)
        }
    }
}
