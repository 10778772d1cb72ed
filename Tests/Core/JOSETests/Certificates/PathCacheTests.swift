import Foundation
import JOSECrypto
import JOSESupport
import TestSupport
import Testing

@testable import JOSE

@Suite("Cached paths of x5c") struct PathCacheTests: PathCacheFixture {
    let parts: PathCacheParts
    init() throws { parts = try PathCacheParts() }

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
        // The first token of another verifier is a stream, whose path is kept once its signature is verified.
        let other = try self.verifier()
        var first = try other.stream(detached)
        #expect(other.keptPathCounts == (1, 0))
        try first.update(payload)
        #expect(try first.finish().algorithm == .es256 && other.keptPathCounts == (1, 1))
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
                var waiting: SignatureJob?
                guard try batch.begin(bytes.span, &waiting) == nil else { continue }
                let job = try #require(waiting)
                keys.insert(ObjectIdentifier(try #require(job.key)))
                gathering.add(job)
                pending += 1
            }
            #expect(pending == tokens.count && keys.count == 2)
            gathering.finish()
            var found = [Bool](repeating: false, count: tokens.count)
            while let ticket = gathering.next() {
                var job = gathering.take(ticket)
                found[ticket] = (try? job.finish()) != nil
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
