import Foundation
import JOSE
import TestSupport
import Testing

@Suite("Trust in certificates") struct CertificateTrustTests {
    private typealias Words = CertificateFixture.Words
    private let fixture: CertificateFixture
    init() throws { fixture = try CertificateFixture.made.get() }

    private func refuses(
        _ fault: CertificateFault, _ trust: CertificateTrust, _ chain: CertificateChain,
        for use: CertificateTrust.Use = .signature, _ comment: Comment? = nil
    ) {
        #expect(throws: JOSEError.certificateInvalid(fault), comment) { try trust.verify(chain, for: use) }
    }

    @Test("a chain that leads to a given root is trusted, whether or not it contains the root (RFC 5280, 6)")
    func path() throws {
        for chain in [
            try fixture.chain(fixture.leaf, fixture.intermediate),
            try fixture.chain(fixture.leaf, fixture.intermediate, fixture.root),
        ] {
            #expect(try fixture.trust().verify(chain) == fixture.leaf.publicKey)
            #expect(try fixture.trust([fixture.foreignRoot, fixture.root]).verify(chain).certificates == chain)
            refuses(.untrusted, try fixture.trust([fixture.foreignRoot]), chain)
        }
        #expect(throws: JOSEError.certificateInvalid(.untrusted)) { try CertificateTrust(roots: []) }
    }

    @Test("an extended key usage is an object identifier in dotted form (RFC 5280, 4.2.1.12)") func usages() throws {
        #expect(throws: Never.self) { try fixture.trust(extended: "1.3.6.1.5.5.7.3.2") }
        for usage in ["", "1", "136", "clientAuth", "1.3.6.x", "1.3.6.1.5.5.7.3.2 "] {
            #expect(throws: JOSEError.certificateInvalid(.usage), "\(usage)") { try fixture.trust(extended: usage) }
        }
    }

    @Test("a chain without its intermediate is rejected, unless that intermediate is given as a root") func missing()
        throws
    {
        let alone = try fixture.chain(fixture.leaf)
        refuses(.untrusted, try fixture.trust(), alone)
        #expect(try fixture.trust([fixture.intermediate]).verify(alone) == fixture.leaf.publicKey)
        #expect(try fixture.trust().verify(fixture.chain(fixture.leaf, fixture.intermediate)) == fixture.leaf.publicKey)
    }

    @Test("a root with the same name and another key is not trusted") func namesake() throws {
        let namesake = try fixture.maker.issue("Namesake", extensions: Words.root, subject: "/O=Test/CN=Root")
        let chain = try fixture.chain(fixture.leaf, fixture.intermediate)
        #expect(throws: JOSEError.self) { try fixture.trust([namesake]).verify(chain) }
        #expect(throws: JOSEError.certificateInvalid(.order)) { try fixture.chain(fixture.leaf, namesake) }
        _ = try fixture.trust([namesake, fixture.root]).verify(chain)
    }

    @Test("a self-signed leaf is trusted only if it is itself given as a root") func selfSigned() throws {
        let own = try fixture.maker.issue("own", extensions: Words.leaf)
        refuses(.untrusted, try fixture.trust(), try fixture.chain(own))
        #expect(try fixture.trust([own]).verify(fixture.chain(own)) == own.publicKey)
        // As a root, its own validity and usage still apply.
        refuses(.expired, try fixture.trust([own], days: 31), try fixture.chain(own))
        refuses(.usage, try fixture.trust([own]), try fixture.chain(own), for: .encryption)
        // The certificates that follow it are not needed, and count nevertheless.
        let long = try fixture.chain(fixture.leaf, fixture.intermediate, fixture.root)
        var trust = try fixture.trust([fixture.leaf])
        trust.limits.certificates = 3
        #expect(try trust.verify(long) == fixture.leaf.publicKey)
        trust.limits.certificates = 2
        #expect(throws: JOSEError.limitExceeded(.certificates)) { try trust.verify(long) }
    }

    @Test("a path is rejected if any of its certificates is not valid at the given time") func validity() throws {
        let chain = try fixture.chain(fixture.leaf, fixture.intermediate)
        let leaf = chain.leaf
        for (time, fault) in [
            (leaf.notBefore - .seconds(1), .notYetValid), (leaf.notBefore, nil), (leaf.notAfter - .seconds(1), nil),
            (leaf.notAfter + .seconds(1), .expired), (0, .notYetValid), (-1e13, .expired),
            (-1e12, .expired), (1e12, .expired),
            (NumericDate(secondsSince1970: .infinity), .expired), (NumericDate(secondsSince1970: .nan), .expired),
        ] as [(NumericDate, CertificateFault?)] {
            var trust = try fixture.trust()
            trust.clock = .fixed(time)
            // The root and the intermediate were generated before the leaf.
            if let fault { refuses(fault, trust, chain, "\(time)") } else { _ = try trust.verify(chain) }
            trust.clock = .custom { time }
            if let fault { refuses(fault, trust, chain, "\(time)") } else { _ = try trust.verify(chain) }
        }
        var now = try fixture.trust()
        now.clock = .system
        _ = try now.verify(chain)
        // A leaf may be valid for longer than its issuer, or than its root.
        let brief = try fixture.maker.issue("Brief", by: fixture.root, extensions: Words.authority, days: 2)
        let outliving = try fixture.chain(fixture.leaf(Words.leaf, by: brief), brief)
        _ = try fixture.trust(days: 1).verify(outliving)
        refuses(.expired, try fixture.trust(days: 3), outliving)
        let briefRoot = try fixture.maker.issue("Brief Root", extensions: Words.root, days: 2)
        let rooted = try fixture.chain(fixture.leaf(Words.leaf, by: briefRoot))
        _ = try fixture.trust([briefRoot], days: 1).verify(rooted)
        refuses(.expired, try fixture.trust([briefRoot], days: 3), rooted)
    }

    @Test("a leaf whose keyUsage does not allow the use is rejected (RFC 5280, 4.2.1.3)") func keyUsage() throws {
        func chain(_ usage: String?, _ kind: CertificateMaker.Kind = .p256) throws -> CertificateChain {
            let usages = usage.map { ["keyUsage=critical,\($0)"] } ?? []
            return try fixture.chain(fixture.leaf(["basicConstraints=CA:FALSE"] + usages, kind), fixture.intermediate)
        }
        let trust = try fixture.trust()
        for (usage, kind, signs, encrypts) in [
            ("digitalSignature", .p256, true, false), ("keyAgreement", .p256, false, true),
            ("keyEncipherment", .p256, false, false), ("keyEncipherment", .rsa(2048), false, true),
            ("keyAgreement", .x25519, false, true), ("keyAgreement", .rsa(2048), false, false),
            ("digitalSignature,keyEncipherment", .rsa(2048), true, true), ("nonRepudiation", .p256, false, false),
            ("dataEncipherment", .rsa(2048), false, false), (nil, .p256, true, true), (nil, .rsa(2048), true, true),
        ] as [(String?, CertificateMaker.Kind, Bool, Bool)] {
            let chain = try chain(usage, kind)
            _ = try trust.verify(chain, for: .any)
            if signs { _ = try trust.verify(chain) } else { refuses(.usage, trust, chain, "\(usage ?? "")") }
            if encrypts {
                _ = try trust.verify(chain, for: .encryption)
            } else {
                refuses(.usage, trust, chain, for: .encryption, "\(usage ?? "") \(kind)")
            }
        }
    }

    @Test("a required extKeyUsage must be in the leaf, and in each issuer that has the extension")
    func extended()
        throws
    {
        let (client, server) = ("1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1")
        let own = "1.2.3.4.5"
        let plain = try fixture.chain(fixture.leaf, fixture.intermediate)
        _ = try fixture.trust().verify(plain)
        refuses(.usage, try fixture.trust(extended: client), plain)
        let leaf = try fixture.leaf(Words.leaf + ["extendedKeyUsage=clientAuth,\(own)"])
        let chain = try fixture.chain(leaf, fixture.intermediate)
        for wanted in [client, own] { _ = try fixture.trust(extended: wanted).verify(chain) }
        _ = try fixture.trust().verify(chain)
        refuses(.usage, try fixture.trust(extended: server), chain)
        let anything = try fixture.chain(
            fixture.leaf(Words.leaf + ["extendedKeyUsage=anyExtendedKeyUsage"]), fixture.intermediate)
        refuses(.usage, try fixture.trust(extended: client), anything)
        for (usage, isRefused) in [("serverAuth", true), ("clientAuth", false), ("anyExtendedKeyUsage", false)] {
            let issuer = try fixture.maker.issue(
                "For \(usage)", by: fixture.root, extensions: Words.authority + ["extendedKeyUsage=\(usage)"])
            let leaf = try fixture.leaf(Words.leaf + ["extendedKeyUsage=clientAuth"], by: issuer)
            let chain = try fixture.chain(leaf, issuer)
            let trust = try fixture.trust(extended: client)
            if isRefused { refuses(.usage, trust, chain) } else { _ = try trust.verify(chain) }
        }
        for bad in ["", "clientAuth", "1", "1.2.", "1.2.3\0", "9.9.9"] {
            #expect(throws: JOSEError.certificateInvalid(.usage), "\(bad)") {
                try fixture.trust(extended: bad).verify(chain)
            }
        }
    }

    @Test("an issuer without CA basic constraints or keyCertSign, or over its path length, is rejected")
    func authority() throws {
        let trust = try fixture.trust()
        func chain(_ extensions: [String]) throws -> CertificateChain {
            let issuer = try fixture.maker.issue(
                "I-\(UUID().uuidString.prefix(4))", by: fixture.root, extensions: extensions)
            return try fixture.chain(fixture.leaf(Words.plainLeaf, by: issuer), issuer)
        }
        _ = try trust.verify(chain(["basicConstraints=critical,CA:TRUE", "keyUsage=keyCertSign"]))
        for bad in [
            Words.leaf, [], ["keyUsage=keyCertSign"], ["basicConstraints=critical,CA:TRUE"],
            ["basicConstraints=CA:TRUE", "keyUsage=keyCertSign"],
            ["basicConstraints=critical,CA:TRUE", "keyUsage=digitalSignature"],
            ["basicConstraints=critical,CA:FALSE", "keyUsage=digitalSignature"],
        ] {
            refuses(.authority, trust, try chain(bad), "\(bad)")
        }
        // The intermediate may issue leaves only.
        let below = try fixture.maker.issue("Below", by: fixture.intermediate, extensions: Words.authority)
        let deep = try fixture.leaf(Words.leaf, by: below)
        refuses(.authority, trust, try fixture.chain(deep, below, fixture.intermediate))
        let free = try fixture.maker.issue("Free", by: fixture.root, extensions: Words.authority)
        let under = try fixture.maker.issue("Under", by: free, extensions: Words.authority)
        let control = try fixture.chain(fixture.leaf(Words.leaf, by: under), under, free)
        _ = try trust.verify(control)
        // The limit includes the root.
        var short = trust
        short.limits.certificates = 4
        _ = try short.verify(control)
        short.limits.certificates = 3
        #expect(throws: JOSEError.self) { try short.verify(control) }
        short.limits.certificates = 2
        #expect(throws: JOSEError.limitExceeded(.certificates)) { try short.verify(control) }
    }

    @Test("a root without keyUsage, as openssl creates by default, is accepted") func plainRoot() throws {
        let plain = try fixture.maker.issue("Plain Root", extensions: ["basicConstraints=CA:TRUE"])
        _ = try fixture.trust([plain]).verify(fixture.chain(fixture.leaf(Words.plainLeaf, by: plain)))
        let none = try fixture.maker.issue("No Root", extensions: ["basicConstraints=CA:FALSE"])
        refuses(.authority, try fixture.trust([none]), try fixture.chain(fixture.leaf(Words.plainLeaf, by: none)))
    }

    @Test("a name outside the name constraints of an issuer is rejected (RFC 5280, 4.2.1.10)")
    func nameConstraints() throws {
        let trust = try fixture.trust()
        for (names, isRefused) in [
            ("DNS:api.good.test", false), ("DNS:good.test", false), ("DNS:api.other.test", true),
            ("DNS:bad.good.test", true), ("DNS:x.bad.good.test", true), ("DNS:good.test.other", true),
            ("DNS:api.good.test,DNS:api.other.test", true), ("email:a@other.test", false),
        ] {
            let chain = try fixture.chain(fixture.leaf(Words.leaf + ["subjectAltName=\(names)"]), fixture.intermediate)
            if isRefused { refuses(.nameConstraint, trust, chain, "\(names)") } else { _ = try trust.verify(chain) }
        }
    }

    @Test("a leaf without the required name is rejected") func name() throws {
        let chain = try fixture.chain(fixture.leaf, fixture.intermediate)
        for (name, isRefused) in [
            (.any, false), (.dns("api.good.test"), false), (.dns("API.good.TEST"), false), (.dns("good.test"), true),
            (.dns("x.api.good.test"), true), (.dns(".good.test"), true), (.dns(""), true), (.dns("leaf"), true),
            (.dns("api.good.test\0"), true), (.dns("api.good.test\0.other"), true), (.subject("CN=leaf,O=Test"), false),
            (.subject("CN=leaf"), true), (.subject("CN=LEAF,O=Test"), true), (.subject(""), true),
        ] as [(CertificateTrust.Name, Bool)] {
            let trust = try fixture.trust(name: name)
            if isRefused { refuses(.name, trust, chain, "\(name)") } else { _ = try trust.verify(chain) }
        }
        let wild = try fixture.chain(
            fixture.leaf(Words.leaf + ["subjectAltName=DNS:*.good.test"]), fixture.intermediate)
        _ = try fixture.trust(name: .dns("a.good.test")).verify(wild)
        refuses(.name, try fixture.trust(name: .dns("a.b.good.test")), wild)
        // A common name is not a DNS name.
        let common = try fixture.maker.issue(
            "cn", by: fixture.root, extensions: Words.leaf, subject: "/CN=api.good.test")
        refuses(.name, try fixture.trust(name: .dns("api.good.test")), try fixture.chain(common))
        _ = try fixture.trust().verify(fixture.chain(common))
    }

    @Test("a path with a weak key or a SHA-1 signature above the leaf is rejected") func weak() throws {
        let trust = try fixture.trust()
        let small = try fixture.maker.issue("Small", by: fixture.root, .rsa(1024), extensions: Words.authority)
        refuses(.weak, trust, try fixture.chain(fixture.leaf(Words.leaf, by: small), small))
        let large = try fixture.maker.issue("Large", by: fixture.root, .rsa(2048), extensions: Words.authority)
        _ = try trust.verify(fixture.chain(fixture.leaf(Words.leaf, by: large), large))
        let old = try fixture.maker.issue("Old", by: fixture.root, extensions: Words.authority, hash: "sha1")
        refuses(.weak, trust, try fixture.chain(fixture.leaf(Words.leaf, by: old), old))
        let oldLeaf = try fixture.maker.issue("old-leaf", by: fixture.root, extensions: Words.leaf, hash: "sha1")
        refuses(.weak, trust, try fixture.chain(oldLeaf))
        // The signature of a root by itself is not checked.
        let oldRoot = try fixture.maker.issue("Old Root", extensions: Words.root, hash: "sha1")
        _ = try fixture.trust([oldRoot]).verify(fixture.chain(fixture.leaf(Words.leaf, by: oldRoot), oldRoot))
        let smallLeaf = try fixture.chain(fixture.leaf(Words.leaf, .rsa(1024)), fixture.intermediate)
        #expect(throws: JOSEError.keyUnsuitable(.tooSmall)) { try trust.verify(smallLeaf) }
    }

    @Test("an unknown extension is rejected if it is critical, and accepted otherwise") func critical() throws {
        let value = "ASN1:UTF8String:x"
        let trust = try fixture.trust()
        refuses(
            .criticalExtension, trust,
            try fixture.chain(fixture.leaf(Words.leaf + ["1.2.3.4.5=critical,\(value)"]), fixture.intermediate))
        _ = try trust.verify(fixture.chain(fixture.leaf(Words.leaf + ["1.2.3.4.5=\(value)"]), fixture.intermediate))
    }

    @Test("an invalid signature anywhere on the path is rejected") func signature() throws {
        let chain = try fixture.chain(fixture.leaf, fixture.intermediate)
        let trust = try fixture.trust()
        _ = try trust.verify(chain)
        for place in chain.certificates.indices {
            var certificates = chain.certificates
            var der = certificates[place].der
            der[der.count - 1] ^= 1
            certificates[place] = try Certificate(der: der)
            refuses(.signature, trust, try CertificateChain(certificates), "\(place)")
        }
        // One byte of the name is changed, so that the signature covers another text.
        var der = chain.leaf.der
        let place = try #require(der.indices.last { der[$0...].starts(with: Array("api.good.test".utf8)) })
        der[place] = UInt8(ascii: "b")
        refuses(.signature, trust, try CertificateChain([Certificate(der: der), chain.certificates[1]]))
    }
}
