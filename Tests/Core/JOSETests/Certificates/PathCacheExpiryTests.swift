import TestSupport
import Testing

@testable import JOSE

@Suite("The end of cached paths of x5c") struct PathCacheExpiryTests: PathCacheFixture {
    private typealias Words = CertificateMaker.Extensions
    let parts: PathCacheParts
    init() throws { parts = try PathCacheParts() }

    @Test("a cached path ends at the first notAfter of its certificates") func expiry() throws {
        let brief = try fixture.maker.issue("Brief", by: fixture.root, extensions: Words.authority, days: 2)
        let below = try fixture.maker.issue("below", by: brief, extensions: Words.leaf)
        for (leaf, chain) in [
            (fixture.leaf, try fixture.chain()), (below, try CertificateChain(pem: below.pem + brief.pem)),
        ] {
            let end = try #require(chain.certificates.map(\.notAfter).min())
            let verifier = try verifier()
            let token = try signer(leaf, chain: chain).sign("hello")
            clock.now = end - .seconds(100)
            #expect(refusal(verifier, token) == nil)
            clock.now = end - .seconds(1)
            #expect(refusal(verifier, token) == nil && verifier.verifiedPathCount == 1)
            clock.now = end + .seconds(1)
            #expect(refusal(verifier, token) == .certificateInvalid(.expired))
            #expect(verifier.verifiedPathCount == 2)
        }
        clock.now = NumericDate(secondsSince1970: .nan)
        #expect(refusal(try verifier(), try signer(fixture.leaf).sign("hello")) == .certificateInvalid(.expired))
    }

    @Test("a cached path ends after the lifetime that is set, and zero keeps none") func lifetime() throws {
        let token = try signer(fixture.leaf).sign("hello")
        for (lifetime, length) in [(nil, 3_600), (Duration.seconds(60), 60)] as [(Duration?, Double)] {
            clock.now = fixture.now
            let verifier = try verifier(lifetime: lifetime)
            for (seconds, count) in [(0, 1), (length - 1, 1), (length, 2), (length + 1, 2), (2 * length, 3)] {
                clock.now = fixture.now + .seconds(seconds)
                #expect(refusal(verifier, token) == nil)
                #expect(verifier.verifiedPathCount == count, "\(seconds) of \(length)")
            }
        }
        for lifetime in [Duration.zero, .seconds(-1)] {
            let verifier = try verifier(lifetime: lifetime)
            for count in 1...3 {
                #expect(refusal(verifier, token) == nil && verifier.verifiedPathCount == count)
            }
            #expect(verifier.keptPathCounts == (0, 0))
        }
    }

    @Test("a cached path is not used while the clock shows a time before it was verified") func setBack() throws {
        let verifier = try verifier()
        let token = try signer(fixture.leaf).sign("hello")
        let start = try fixture.chain().leaf.notBefore
        for (time, fault, count) in [
            (fixture.now, nil, 1), (fixture.now + .seconds(1), nil, 1), (fixture.now - .seconds(1), nil, 2),
            (start - .seconds(3_600), .certificateInvalid(.notYetValid), 3), (fixture.now, nil, 3),
        ] as [(NumericDate, JOSEError?, Int)] {
            clock.now = time
            #expect(refusal(verifier, token) == fault)
            #expect(verifier.verifiedPathCount == count, "\(time)")
        }
    }

    @Test("a cached path ends at nextUpdate of the CRL or OCSP response that was used") func nextUpdate() throws {
        let above = try fixture.list(by: fixture.root)
        let list = try fixture.maker.revocationList(
            by: fixture.intermediate, validity: ["-crldays", "2"])
        let response = try fixture.maker.status(
            of: fixture.leaf, .good, issuer: fixture.intermediate, by: fixture.intermediate, validity: ["-ndays", "2"])
        let token = try signer(fixture.leaf).sign("hello")
        for revocation in [
            try CertificateRevocation(lists: [above, list]),
            try CertificateRevocation(lists: [above], responses: [response]),
        ] {
            clock.now = .now
            let verifier = try verifier(revocation, lifetime: .seconds(86_400 * 20))
            clock.now += .seconds(60)
            #expect(refusal(verifier, token) == nil)
            clock.now += .seconds(86_400)
            #expect(refusal(verifier, token) == nil && verifier.verifiedPathCount == 1)
            clock.now += .seconds(86_400)
            #expect(refusal(verifier, token) == .certificateInvalid(.statusOutdated))
            #expect(verifier.verifiedPathCount == 2)
        }
    }
}
