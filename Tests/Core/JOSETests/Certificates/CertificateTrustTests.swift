import Foundation
import JOSE
import TestSupport
import Testing

@Suite("Trust in certificates") struct CertificateTrustTests {
    private typealias Words = CertificateDesk.Words
    private let desk: CertificateDesk
    init() throws { desk = try CertificateDesk.made.get() }

    private func refuses(
        _ fault: CertificateFault, _ trust: CertificateTrust, _ chain: CertificateChain,
        for use: CertificateTrust.Use = .signature, _ comment: Comment? = nil
    ) {
        #expect(throws: JOSEError.certificateInvalid(fault), comment) { try trust.verify(chain, for: use) }
    }

    @Test("a path to a given root is believed, with the root in the chain or without, RFC 5280, 6") func path() throws {
        for chain in [
            try desk.chain(desk.leaf, desk.intermediate), try desk.chain(desk.leaf, desk.intermediate, desk.root),
        ] {
            #expect(try desk.trust().verify(chain) == desk.leaf.publicKey)
            #expect(try desk.trust([desk.foreignRoot, desk.root]).verify(chain).certificates == chain)
            refuses(.untrusted, try desk.trust([desk.foreignRoot]), chain)
        }
        #expect(throws: JOSEError.certificateInvalid(.untrusted)) { try CertificateTrust(roots: []) }
    }

    @Test("a chain without its intermediate has no path; an intermediate given as a root ends one") func missing()
        throws
    {
        let alone = try desk.chain(desk.leaf)
        refuses(.untrusted, try desk.trust(), alone)
        #expect(try desk.trust([desk.intermediate]).verify(alone) == desk.leaf.publicKey)
        #expect(try desk.trust().verify(desk.chain(desk.leaf, desk.intermediate)) == desk.leaf.publicKey)
    }

    @Test("a root of the same name with another key is another root") func namesake() throws {
        let namesake = try desk.maker.issue("Namesake", extensions: Words.root, subject: "/O=Test/CN=Root")
        let chain = try desk.chain(desk.leaf, desk.intermediate)
        #expect(throws: JOSEError.self) { try desk.trust([namesake]).verify(chain) }
        #expect(throws: JOSEError.certificateInvalid(.order)) { try desk.chain(desk.leaf, namesake) }
        _ = try desk.trust([namesake, desk.root]).verify(chain)
    }

    @Test("a leaf that signed itself is believed only as a root itself") func selfSigned() throws {
        let own = try desk.maker.issue("own", extensions: Words.leaf)
        refuses(.untrusted, try desk.trust(), try desk.chain(own))
        #expect(try desk.trust([own]).verify(desk.chain(own)) == own.publicKey)
        // As a root it keeps its own bounds.
        refuses(.expired, try desk.trust([own], days: 31), try desk.chain(own))
        refuses(.usage, try desk.trust([own]), try desk.chain(own), for: .encryption)
    }

    @Test("validity is that of the whole path at the given time") func validity() throws {
        let chain = try desk.chain(desk.leaf, desk.intermediate)
        let leaf = chain.leaf
        for (time, fault) in [
            (Double(leaf.notBefore) - 1, .notYetValid), (Double(leaf.notBefore), nil), (Double(leaf.notAfter) - 1, nil),
            (Double(leaf.notAfter) + 1, .expired), (0, .notYetValid), (-1e13, .expired), (.infinity, .expired),
            (.nan, .expired),
        ] as [(Double, CertificateFault?)] {
            var trust = try desk.trust()
            trust.time = .at(time)
            // Root and intermediate were made some moments before the leaf.
            if let fault { refuses(fault, trust, chain, "\(time)") } else { _ = try trust.verify(chain) }
            trust.time = .custom { time }
            if let fault { refuses(fault, trust, chain, "\(time)") } else { _ = try trust.verify(chain) }
        }
        var now = try desk.trust()
        now.time = .now
        _ = try now.verify(chain)
        // A leaf that outlives its issuer, and one whose root ends first.
        let brief = try desk.maker.issue("Brief", by: desk.root, extensions: Words.authority, days: 2)
        let outliving = try desk.chain(desk.leaf(Words.leaf, by: brief), brief)
        _ = try desk.trust(days: 1).verify(outliving)
        refuses(.expired, try desk.trust(days: 3), outliving)
        let briefRoot = try desk.maker.issue("Brief Root", extensions: Words.root, days: 2)
        let rooted = try desk.chain(desk.leaf(Words.leaf, by: briefRoot))
        _ = try desk.trust([briefRoot], days: 1).verify(rooted)
        refuses(.expired, try desk.trust([briefRoot], days: 3), rooted)
    }

    @Test("the leaf's keyUsage must be for what its key does, RFC 5280, 4.2.1.3") func keyUsage() throws {
        func chain(_ usage: String?, _ kind: CertificateMaker.Kind = .p256) throws -> CertificateChain {
            let usages = usage.map { ["keyUsage=critical,\($0)"] } ?? []
            return try desk.chain(desk.leaf(["basicConstraints=CA:FALSE"] + usages, kind), desk.intermediate)
        }
        let trust = try desk.trust()
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

    @Test("extKeyUsage, where one is asked for, must be there, and in the issuers' too where they have any")
    func extended()
        throws
    {
        let (client, server) = ("1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1")
        let own = "1.2.3.4.5"
        let plain = try desk.chain(desk.leaf, desk.intermediate)
        _ = try desk.trust().verify(plain)
        refuses(.usage, try desk.trust(extended: client), plain)
        let leaf = try desk.leaf(Words.leaf + ["extendedKeyUsage=clientAuth,\(own)"])
        let chain = try desk.chain(leaf, desk.intermediate)
        for wanted in [client, own] { _ = try desk.trust(extended: wanted).verify(chain) }
        _ = try desk.trust().verify(chain)
        refuses(.usage, try desk.trust(extended: server), chain)
        let anything = try desk.chain(
            desk.leaf(Words.leaf + ["extendedKeyUsage=anyExtendedKeyUsage"]), desk.intermediate)
        refuses(.usage, try desk.trust(extended: client), anything)
        for (usage, isRefused) in [("serverAuth", true), ("clientAuth", false), ("anyExtendedKeyUsage", false)] {
            let issuer = try desk.maker.issue(
                "For \(usage)", by: desk.root, extensions: Words.authority + ["extendedKeyUsage=\(usage)"])
            let leaf = try desk.leaf(Words.leaf + ["extendedKeyUsage=clientAuth"], by: issuer)
            let chain = try desk.chain(leaf, issuer)
            let trust = try desk.trust(extended: client)
            if isRefused { refuses(.usage, trust, chain) } else { _ = try trust.verify(chain) }
        }
        for bad in ["", "clientAuth", "1", "1.2.", "1.2.3\0", "9.9.9"] {
            #expect(throws: JOSEError.certificateInvalid(.usage), "\(bad)") {
                try desk.trust(extended: bad).verify(chain)
            }
        }
    }

    @Test("an issuer must be one: basic constraints, keyCertSign, path length") func authority() throws {
        let trust = try desk.trust()
        func chain(_ extensions: [String]) throws -> CertificateChain {
            let issuer = try desk.maker.issue("I-\(UUID().uuidString.prefix(4))", by: desk.root, extensions: extensions)
            return try desk.chain(desk.leaf(Words.plainLeaf, by: issuer), issuer)
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
        // The intermediate may issue leaves alone.
        let below = try desk.maker.issue("Below", by: desk.intermediate, extensions: Words.authority)
        let deep = try desk.leaf(Words.leaf, by: below)
        refuses(.authority, trust, try desk.chain(deep, below, desk.intermediate))
        let free = try desk.maker.issue("Free", by: desk.root, extensions: Words.authority)
        let under = try desk.maker.issue("Under", by: free, extensions: Words.authority)
        let twin = try desk.chain(desk.leaf(Words.leaf, by: under), under, free)
        _ = try trust.verify(twin)
        // And no more than the limit, the root counted.
        var short = trust
        short.limits.certificates = 4
        _ = try short.verify(twin)
        short.limits.certificates = 3
        #expect(throws: JOSEError.self) { try short.verify(twin) }
        short.limits.certificates = 2
        #expect(throws: JOSEError.limitExceeded(.certificates)) { try short.verify(twin) }
    }

    @Test("a root as openssl makes one by itself, without key usage, is a root") func plainRoot() throws {
        let plain = try desk.maker.issue("Plain Root", extensions: ["basicConstraints=CA:TRUE"])
        _ = try desk.trust([plain]).verify(desk.chain(desk.leaf(Words.plainLeaf, by: plain)))
        let none = try desk.maker.issue("No Root", extensions: ["basicConstraints=CA:FALSE"])
        refuses(.authority, try desk.trust([none]), try desk.chain(desk.leaf(Words.plainLeaf, by: none)))
    }

    @Test("names that an issuer may not certify are refused, RFC 5280, 4.2.1.10") func nameConstraints() throws {
        let trust = try desk.trust()
        for (names, isRefused) in [
            ("DNS:api.good.test", false), ("DNS:good.test", false), ("DNS:api.other.test", true),
            ("DNS:bad.good.test", true), ("DNS:x.bad.good.test", true), ("DNS:good.test.other", true),
            ("DNS:api.good.test,DNS:api.other.test", true), ("email:a@other.test", false),
        ] {
            let chain = try desk.chain(desk.leaf(Words.leaf + ["subjectAltName=\(names)"]), desk.intermediate)
            if isRefused { refuses(.nameConstraint, trust, chain, "\(names)") } else { _ = try trust.verify(chain) }
        }
    }

    @Test("the leaf must be of the name that is asked for") func name() throws {
        let chain = try desk.chain(desk.leaf, desk.intermediate)
        for (name, isRefused) in [
            (.any, false), (.dns("api.good.test"), false), (.dns("API.good.TEST"), false), (.dns("good.test"), true),
            (.dns("x.api.good.test"), true), (.dns(".good.test"), true), (.dns(""), true), (.dns("leaf"), true),
            (.dns("api.good.test\0"), true), (.dns("api.good.test\0.other"), true), (.subject("CN=leaf,O=Test"), false),
            (.subject("CN=leaf"), true), (.subject("CN=LEAF,O=Test"), true), (.subject(""), true),
        ] as [(CertificateTrust.Name, Bool)] {
            let trust = try desk.trust(name: name)
            if isRefused { refuses(.name, trust, chain, "\(name)") } else { _ = try trust.verify(chain) }
        }
        let wild = try desk.chain(desk.leaf(Words.leaf + ["subjectAltName=DNS:*.good.test"]), desk.intermediate)
        _ = try desk.trust(name: .dns("a.good.test")).verify(wild)
        refuses(.name, try desk.trust(name: .dns("a.b.good.test")), wild)
        // A CN is no DNS name.
        let common = try desk.maker.issue(
            "cn", by: desk.root, extensions: Words.leaf, subject: "/CN=api.good.test")
        refuses(.name, try desk.trust(name: .dns("api.good.test")), try desk.chain(common))
        _ = try desk.trust().verify(desk.chain(common))
    }

    @Test("weak keys and SHA-1 above the leaf are refused") func weak() throws {
        let trust = try desk.trust()
        let small = try desk.maker.issue("Small", by: desk.root, .rsa(1024), extensions: Words.authority)
        refuses(.weak, trust, try desk.chain(desk.leaf(Words.leaf, by: small), small))
        let large = try desk.maker.issue("Large", by: desk.root, .rsa(2048), extensions: Words.authority)
        _ = try trust.verify(desk.chain(desk.leaf(Words.leaf, by: large), large))
        let old = try desk.maker.issue("Old", by: desk.root, extensions: Words.authority, hash: "sha1")
        refuses(.weak, trust, try desk.chain(desk.leaf(Words.leaf, by: old), old))
        let oldLeaf = try desk.maker.issue("old-leaf", by: desk.root, extensions: Words.leaf, hash: "sha1")
        refuses(.weak, trust, try desk.chain(oldLeaf))
        // A root's signature by itself says nothing.
        let oldRoot = try desk.maker.issue("Old Root", extensions: Words.root, hash: "sha1")
        _ = try desk.trust([oldRoot]).verify(desk.chain(desk.leaf(Words.leaf, by: oldRoot), oldRoot))
        let smallLeaf = try desk.chain(desk.leaf(Words.leaf, .rsa(1024)), desk.intermediate)
        #expect(throws: JOSEError.keyUnsuitable(.tooSmall)) { try trust.verify(smallLeaf) }
    }

    @Test("a critical extension that nobody knows is refused; the same uncritical is not") func critical() throws {
        let value = "ASN1:UTF8String:x"
        let trust = try desk.trust()
        refuses(
            .criticalExtension, trust,
            try desk.chain(desk.leaf(Words.leaf + ["1.2.3.4.5=critical,\(value)"]), desk.intermediate))
        _ = try trust.verify(desk.chain(desk.leaf(Words.leaf + ["1.2.3.4.5=\(value)"]), desk.intermediate))
    }

    @Test("a spoilt signature anywhere on the path is refused") func signature() throws {
        let chain = try desk.chain(desk.leaf, desk.intermediate)
        let trust = try desk.trust()
        _ = try trust.verify(chain)
        for place in chain.certificates.indices {
            var certificates = chain.certificates
            var der = certificates[place].der
            der[der.count - 1] ^= 1
            certificates[place] = try Certificate(der: der)
            refuses(.signature, trust, try CertificateChain(certificates), "\(place)")
        }
        // One byte of the name: what was signed is another text.
        var der = chain.leaf.der
        let place = try #require(der.indices.last { der[$0...].starts(with: Array("api.good.test".utf8)) })
        der[place] = UInt8(ascii: "b")
        refuses(.signature, trust, try CertificateChain([Certificate(der: der), chain.certificates[1]]))
    }
}
