import Foundation
import JOSEBytes
import JOSECrypto
import TestSupport
import Testing

@testable import JOSE

@Suite("Cached paths of x5c") struct PathCacheTests {
    private typealias Words = CertificateMaker.Extensions
    private typealias Issued = CertificateMaker.Issued
    private let fixture: RevocationFixture
    private let clock: MovableClock
    private let policy = SignaturePolicy(algorithms: [.es256, .rs256, .ps256])
    init() throws {
        fixture = try RevocationFixture.made.get()
        clock = MovableClock(fixture.now)
    }

    private func signer(
        _ leaf: Issued, _ algorithm: SignatureAlgorithm = .es256, chain: CertificateChain? = nil, keyID: String? = nil
    ) throws -> JWSSigner {
        var header = HeaderParameters(keyID: keyID)
        header.set(certificates: try chain ?? fixture.chain(leaf), members: .x5c)
        return try JWSSigner(key: leaf.privateKey, algorithm: algorithm, header: header)
    }

    private func verifier(
        _ revocation: CertificateRevocation? = nil, lifetime: Duration? = nil, roots: [Issued]? = nil
    ) throws -> JWSVerifier {
        var trust = try CertificateTrust(
            roots: (roots ?? [fixture.root]).map { try Certificate(pem: $0.pem) }, clock: clock.wallClock,
            revocation: revocation)
        if let lifetime { trust.pathCacheLifetime = lifetime }
        return JWSVerifier(keys: KeySet.empty, policy: policy, trust: trust)
    }

    private func refusal(_ verifier: JWSVerifier, _ token: String) -> JOSEError? {
        do throws(JOSEError) {
            _ = try verifier.verify(token)
            return nil
        } catch { return error }
    }

    /// Returns a token with the given header, signed by the key or with a signature of zeros.
    private func token(_ header: String, by key: PrivateKey? = nil) throws -> String {
        let input = base64URL(header.utf8) + "." + base64URL("hello".utf8)
        guard let key, case .asymmetric(let material) = key.material else {
            return input + "." + base64URL([UInt8](repeating: 0, count: 64))
        }
        return input + "." + base64URL(try material.sign(.es256, input.utf8.span))
    }

    @Test("a path is verified for the first token only, and each chain, verifier and trust has paths of its own")
    func hit() throws {
        let verifier = try verifier()
        for (count, (leaf, algorithm)) in [
            (fixture.leaf, SignatureAlgorithm.es256), (fixture.rsaLeaf, .rs256), (fixture.other, .es256),
        ].enumerated() {
            let signer = try signer(leaf, algorithm)
            #expect(verifier.verifiedPathCount == count)
            for number in 0..<5 {
                let verified = try verifier.verify(signer.sign("payload \(number)"))
                #expect(verified.payload == Array("payload \(number)".utf8) && verified.algorithm == algorithm)
                #expect(try verified.key.certificates == fixture.chain(leaf))
                #expect(try verified.key == .publicKey(leaf.publicKey))
                #expect(verified.header.algorithmName == algorithm.name)
                #expect(verifier.verifiedPathCount == count + 1)
            }
        }
        // Another header with the same chain needs no other path, and another algorithm of the same key neither.
        for algorithm in [SignatureAlgorithm.rs256, .ps256] {
            let signer = try signer(fixture.rsaLeaf, algorithm, keyID: "k")
            for _ in 0..<4 { _ = try verifier.verify(signer.sign("hello")) }
        }
        #expect(verifier.verifiedPathCount == 3 && verifier.keptPathCounts == (3, 3))
        let token = try signer(fixture.leaf).sign("hello")
        #expect(refusal(try self.verifier(roots: [fixture.stranger]), token) == .certificateInvalid(.untrusted))
        let second = try self.verifier()
        _ = try second.verify(token)
        #expect(second.verifiedPathCount == 1)
    }

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

    @Test("a revoked certificate is rejected each time, and new revocation data means a new verifier without paths")
    func revoked() throws {
        let above = try fixture.list(by: fixture.root)
        let token = try signer(fixture.leaf).sign("hello")
        let before = try verifier(CertificateRevocation(lists: [above, fixture.list(by: fixture.intermediate)]))
        #expect(refusal(before, token) == nil && refusal(before, token) == nil)
        let after = try verifier(
            CertificateRevocation(lists: [above, fixture.list(by: fixture.intermediate, fixture.leaf)]))
        for count in 1...3 {
            #expect(refusal(after, token) == .certificateInvalid(.revoked))
            #expect(after.verifiedPathCount == count && after.keptPathCounts == (0, 0))
        }
        #expect(refusal(after, try signer(fixture.other).sign("hello")) == nil)
    }

    @Test("a cached path gives no other token its key: other bytes, thumbprints, algorithms and signatures are checked")
    func others() throws {
        let verifier = try verifier()
        let key = try fixture.leaf.privateKey
        let list = try fixture.chain().certificates.map { #""\#($0.base64)""# }.joined(separator: ",")
        let good = #"{"alg":"ES256","x5c":[\#(list)]}"#
        for _ in 0..<4 { #expect(refusal(verifier, try token(good, by: key)) == nil) }
        #expect(verifier.verifiedPathCount == 1)
        #expect(refusal(verifier, try token(good, by: fixture.other.privateKey)) == .signatureInvalid)
        #expect(refusal(verifier, try token(good)) == .signatureInvalid)
        #expect(verifier.verifiedPathCount == 1)
        // A chain that is written in another way is another value.
        #expect(refusal(verifier, try token(#"{"alg":"ES256","x5c":[ \#(list)]}"#, by: key)) == nil)
        #expect(verifier.verifiedPathCount == 2)
        let otherThumbprint = base64URL(try fixture.chain(fixture.other).leaf.sha256Thumbprint)
        let thumbprint = base64URL(try fixture.chain().leaf.sha256Thumbprint)
        let named = #"{"alg":"ES256","x5t#S256":"\#(thumbprint)","x5c":[\#(list)]}"#
        #expect(refusal(verifier, try token(named, by: key)) == nil)
        let misnamed = #"{"alg":"ES256","x5t#S256":"\#(otherThumbprint)","x5c":[\#(list)]}"#
        #expect(refusal(verifier, try token(misnamed, by: key)) == .certificateInvalid(.thumbprint))
        #expect(refusal(verifier, try token(#"{"alg":"RS256","x5c":[\#(list)]}"#, by: key)) == .keyUnsuitable(.kind))
        #expect(verifier.verifiedPathCount == 2)
        // A damaged certificate has no path.
        let damaged = list.replacingOccurrences(of: "MI", with: "MJ")
        #expect(refusal(verifier, try token(#"{"alg":"ES256","x5c":[\#(damaged)]}"#, by: key)) != nil)
        #expect(refusal(verifier, try token(good, by: key)) == nil && verifier.verifiedPathCount == 2)
    }

    @Test("chains without a valid signature take no place of those with one") func unsigned() throws {
        let verifier = try verifier()
        let key = try fixture.leaf.privateKey
        let list = try fixture.chain().certificates.map { #""\#($0.base64)""# }.joined(separator: ",")
        let good = try token(#"{"alg":"ES256","x5c":[\#(list)]}"#, by: key)
        #expect(refusal(verifier, good) == nil)
        let most = VerifiedPaths.Bounds().unconfirmed
        for spaces in 1...3 * most {
            let text = String(repeating: " ", count: spaces) + list
            #expect(refusal(verifier, try token(#"{"alg":"ES256","x5c":[\#(text)]}"#)) == .signatureInvalid)
        }
        #expect(verifier.keptPathCounts == (1 + most, 1))
        let before = verifier.verifiedPathCount
        #expect(refusal(verifier, good) == nil && verifier.verifiedPathCount == before)
        // With a valid signature, such a chain is kept as well.
        let other = try token(#"{"alg":"ES256","x5c":[ \#(list)]}"#, by: key)
        #expect(refusal(verifier, other) == nil && verifier.keptPathCounts.confirmed == 2)
    }

    @Test("all forms use the cached path, and one that was verified in another form") func forms() throws {
        let verifier = try verifier()
        let signer = try signer(fixture.leaf)
        let payload = Array("hello".utf8)
        let detached = try signer.sign(detached: payload)
        _ = try verifier.verify(detached, detachedPayload: payload)
        #expect(verifier.keptPathCounts == (1, 1))
        var stream = try verifier.stream(detached)
        try stream.update(payload)
        #expect(try stream.finish().key.certificates == fixture.chain())
        _ = try verifier.verify(json: JSONSigner(signer).sign(payload))
        for _ in 0..<3 { _ = try verifier.verify(signer.sign(payload)) }
        #expect(verifier.verifiedPathCount == 1)
    }

    @Test("tokens under one cached chain are gathered under one key, with the results of single verification")
    func batches() throws {
        let verifier = try verifier()
        let (rsa, p256) = (try signer(fixture.rsaLeaf, .rs256), try signer(fixture.leaf))
        var tokens: [String] = []
        for number in 0..<40 {
            tokens.append(try (number % 2 == 0 ? rsa : p256).sign("\(number)"))
            if number % 10 == 9 { tokens.append(String(tokens[number].dropLast(6)) + "AAAAAA") }
        }
        let plain = tokens.map { refusal(verifier, $0) }
        #expect(plain.contains(nil) && plain.contains(.signatureInvalid))
        for batch in [verifier, try self.verifier()] {
            var keys: Set<ObjectIdentifier> = []
            var gathering = SignatureGathering()
            var pending = 0
            for token in tokens {
                let bytes = Array(token.utf8)
                guard case .pending(let jws) = try batch.read(bytes.span) else { continue }
                keys.insert(ObjectIdentifier(try #require(jws.key)))
                gathering.add(jws)
                pending += 1
            }
            #expect(pending == tokens.count && keys.count == 2)
            gathering.finish()
            var found = [Bool](repeating: false, count: tokens.count)
            while let finished = gathering.next() {
                found[finished.ticket] = finished.holds
                var jws = gathering.take(finished.ticket)
                _ = try? jws.open(holds: finished.holds)
            }
            #expect(found == plain.map { $0 == nil })
            #expect(batch.verifiedPathCount == 2 && batch.keptPathCounts == (2, 2))
        }
    }

    @Test("tasks that verify at the same time, while paths end and are removed, all get the right results")
    func concurrency() async throws {
        let verifier = try verifier(lifetime: .seconds(2))
        let list = try fixture.chain().certificates.map { #""\#($0.base64)""# }.joined(separator: ",")
        var good: [String] = []
        for spaces in 0..<24 {
            let text = String(repeating: " ", count: spaces) + list
            good.append(try token(#"{"alg":"ES256","x5c":[\#(text)]}"#, by: fixture.leaf.privateKey))
        }
        good.append(try signer(fixture.rsaLeaf, .rs256).sign("hello"))
        for token in good { #expect(refusal(verifier, String(token.dropLast(6)) + "AAAAAA") == .signatureInvalid) }
        let (tokens, clock) = (good, clock)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<6 {
                group.addTask {
                    var wrong = 0
                    for round in 0..<60 {
                        let text = tokens[(round * (task + 1)) % tokens.count]
                        if (try? verifier.verify(text)) == nil { wrong += 1 }
                        if (try? verifier.verify(String(text.dropLast(6)) + "AAAAAA")) != nil { wrong += 1 }
                        if task == 0, round % 7 == 0 { clock.now += .seconds(1) }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
        #expect(verifier.keptPathCounts.paths <= tokens.count)
    }
}
