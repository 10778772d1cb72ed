import JOSECrypto
import TestSupport
import Testing

@testable import JOSE
@testable import JOSETokens

@Suite("Nested tokens whose content encryption keys are decrypted together") struct VectorizedKeyTests {
    private struct Fixture {
        let keys: [PrivateKey]
        let signer: PrivateKey
        let stranger: PrivateKey

        init() throws {
            keys = try [2048, 3072, 4096, 2048].enumerated().map { try .stored(bits: $1, keyID: "k\($0)") }
            signer = try .generate(.p256, keyID: "s")
            stranger = try .stored(keyID: "k0")
        }

        func verifier(_ operations: PrivateKeyOperations, _ limiter: DecryptionLimiter? = nil) throws -> TokenVerifier {
            var outer = EncryptionPolicy(
                keyManagement: [.rsaOAEP, .rsaOAEP256], contentEncryption: [.a128gcm, .a256cbcHS512])
            outer.privateKeyOperations = operations
            outer.limiter = limiter
            let policy = TokenPolicy.nested(
                outer: outer, inner: SignaturePolicy(algorithms: [.es256]), claims: BatchFixture.claims())
            return try TokenVerifier(
                policy, verificationKeys: KeySet(signer.publicKey),
                decryptionKeys: KeySet(keys.map { .privateKey($0) }))
        }

        func sealed(_ number: Int, to key: PrivateKey? = nil, expires: Int = 1_700_000_600) throws -> String {
            let inner = try JWSSigner(key: signer, algorithm: .es256).sign(
                BatchFixture.payload(number, expires: expires))
            let encrypter = try JWEEncrypter(
                key: (key ?? keys[number % keys.count]).publicKey,
                keyManagement: number % 3 == 0 ? .rsaOAEP256 : .rsaOAEP,
                contentEncryption: number % 5 == 0 ? .a256cbcHS512 : .a128gcm,
                header: HeaderParameters(contentType: "JWT"))
            return try encrypter.encrypt(inner)
        }

        /// Returns tokens that fail: in the encrypted key, its length, its range, the tag, the ciphertext, the key and the claims.
        func broken(_ number: Int) throws -> [String] {
            let parts = try sealed(number).split(separator: ".").map(String.init)
            func with(_ place: Int, _ text: String) -> String {
                var parts = parts
                parts[place] = text
                return parts.joined(separator: ".")
            }
            func flipped(_ place: Int) -> String {
                var bytes = Array(parts[place].utf8)
                bytes[9] = bytes[9] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                return with(place, String(decoding: bytes, as: UTF8.self))
            }
            let modulusBytes = try #require(bytes(base64URL: parts[1])).count
            return try [
                flipped(1), flipped(3), flipped(4), with(1, String(parts[1].dropLast(4))), with(1, ""),
                with(1, base64URL([UInt8](repeating: 0xFF, count: modulusBytes))),
                with(1, base64URL([UInt8](repeating: 0, count: modulusBytes))),
                with(0, base64URL(#"{"alg":"RSA-OAEP","enc":"A128GCM","kid":"none","cty":"JWT"}"#.utf8)),
                with(0, base64URL(#"{"alg":"RSA1_5","enc":"A128GCM","kid":"k0","cty":"JWT"}"#.utf8)),
                sealed(number, to: stranger), sealed(number, expires: 1_600_000_000), "", "a.b.c.d.e",
            ]
        }

        func tokens() throws -> (all: [[UInt8]], valid: Int) {
            let good = try (0..<37).map { try sealed($0) }
            return (BatchFixture.shuffled(good + (try (0..<4).flatMap(broken))), good.count)
        }
    }

    private static let fixture = Result { try Fixture() }

    @Test(
        "T21 keys that are decrypted together give the results of the plain path, with one error for every failed decryption (RFC 7516, 11.5)"
    )
    func sameResults() async throws {
        let fixture = try Self.fixture.get()
        let (tokens, valid) = try fixture.tokens()
        let plain = try fixture.verifier(.libcrypto)
        let vectorized = try fixture.verifier(.vectorized)
        try await expectSame(
            tokens, BatchVerifier(vectorized), { token throws(TokenError) in try plain.verify(token) }, "vectorized",
            valid: valid)
        for count in [1, 2, 3, 5] {
            let some = Array(tokens.prefix(count))
            let expected = some.map { token in Seen { () throws(TokenError) in try plain.verify(token) } }
            let seen = BatchVerifier(vectorized).verifySynchronously(some).map(Seen.init)
            #expect(seen == expected, "\(count) tokens")
        }
    }

    @Test("concurrent callers get the results of the plain path, each for its own token", arguments: [false, true])
    func coalesced(isMeasured: Bool) async throws {
        let fixture = try Self.fixture.get()
        let tokens = try fixture.tokens().all
        let plain = try fixture.verifier(.libcrypto)
        let expected = tokens.map { token in Seen { () throws(TokenError) in try plain.verify(token) } }
        let verifier = CoalescingVerifier(try fixture.verifier(.vectorized), isMeasured: isMeasured, processors: 1)
        let unequal = await withTaskGroup(of: Int.self) { group in
            for caller in 0..<8 {
                group.addTask {
                    var unequal = 0
                    for step in tokens.indices {
                        let place = (step * 7 + caller * 11) % tokens.count
                        let seen: Seen
                        do throws(TokenError) {
                            seen = Seen(.success(try await verifier.verify(tokens[place])))
                        } catch {
                            seen = Seen(.failure(error))
                        }
                        if seen != expected[place] { unequal += 1 }
                    }
                    return unequal
                }
            }
            return await group.reduce(0, +)
        }
        #expect(unequal == 0)
    }

    @Test("T71 a pass takes one slot of the limiter; without a free slot each of its tokens is rejected and counted")
    func limiter() throws {
        let fixture = try Self.fixture.get()
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 4)
        let batch = BatchVerifier(try fixture.verifier(.vectorized, limiter))
        let tokens = try (0..<9).map { Array(try fixture.sealed($0).utf8) }
        try limiter.enter()
        let rejected = batch.verifySynchronously(tokens).map { Seen($0).error }
        #expect(rejected.allSatisfy { $0 == .jose(.overloaded(.busy), layer: .encryption) })
        #expect(limiter.rejected == tokens.count)
        limiter.leave()
        let accepted = batch.verifySynchronously(tokens).map { Seen($0).error }
        #expect(accepted.allSatisfy { $0 == nil })
        #expect(limiter.running == 0)
    }

    @Test(
        "tokens that wait for the limiter are decrypted together in one slot, each with its own result",
        arguments: [false, true])
    func together(isCoalescing: Bool) async throws {
        let fixture = try Self.fixture.get()
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 100, timeout: .ample)
        let verifier = try fixture.verifier(.vectorized, limiter)
        let coalescing = CoalescingVerifier(verifier)
        let plain = try fixture.verifier(.libcrypto)
        let tokens = try fixture.tokens().all
        let expected = tokens.map { token in Seen { () throws(TokenError) in try plain.verify(token) } }
        try limiter.enter()
        // The others are rejected before a key is used.
        let costly = tokens.count { token in
            Seen { () throws(TokenError) in try verifier.verify(token) }.error
                == .jose(.overloaded(.busy), layer: .encryption)
        }
        #expect(costly > 40 && limiter.rejected == costly)
        let tasks = tokens.map { token in
            Task {
                do throws(TokenError) {
                    let verified =
                        isCoalescing
                        ? try await coalescing.verify(token, timeout: .ample)
                        : try await verifier.verify(token, timeout: .ample)
                    return Seen(.success(verified))
                } catch {
                    return Seen(.failure(error))
                }
            }
        }
        try await until { limiter.queued == costly }
        limiter.leave()
        for (number, task) in tasks.enumerated() { #expect(await task.value == expected[number]) }
        #expect(limiter.running == 0 && limiter.queued == 0 && limiter.rejected == costly)
    }

    @Test(
        "callers behind the first in the queue of a limiter share its slot, up to four with keys of one kind",
        .enabled(if: PrivateKeyOperations.vectorized.isAvailable))
    func slots() async throws {
        let fixture = try Self.fixture.get()
        guard case .nested(let decrypter, _) = try fixture.verifier(.vectorized).layers else { throw JOSEError.backend }
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 100, timeout: .ample)
        try limiter.enter()
        // The keys of these are of one kind, except for the sixth.
        var tasks: [Task<(isUnwrapped: Bool, hasSlot: Bool), any Error>] = []
        for number in [1, 37, 49, 61, 73, 2, 85] {
            let token = Array(try fixture.sealed(number, to: fixture.keys[number == 2 ? 1 : 0]).utf8)
            let job = try #require(try decrypter.job(token.span).unwrapping)
            tasks.append(
                Task {
                    let (outcome, hasSlot) = try await limiter.unwrap(job, timeout: nil, share: LimiterShare())
                    // Each that has a slot returns it, so that the next can have it.
                    if hasSlot { limiter.leave() }
                    return if case .unwrapped = outcome { (true, hasSlot) } else { (false, hasSlot) }
                })
            try await until { limiter.queued == tasks.count }
        }
        limiter.leave()
        var seen: [(isUnwrapped: Bool, hasSlot: Bool)] = []
        for task in tasks { seen.append(try await task.value) }
        // Four together; then one that is alone, because the next one's key is of another kind; then each of the others alone.
        #expect(seen.map(\.isUnwrapped) == [true, true, true, true, false, false, false])
        #expect(seen.map(\.hasSlot) == [true, false, false, false, true, true, true])
        #expect(limiter.running == 0 && limiter.queued == 0)
    }

    @Test(
        "two tokens or more take the kernels in groups of one size, and one token is left to libcrypto",
        .enabled(if: PrivateKeyOperations.vectorized.isAvailable))
    func passes() throws {
        let fixture = try Self.fixture.get()
        guard case .nested(let decrypter, _) = try fixture.verifier(.vectorized).layers else { throw JOSEError.backend }
        #expect(decrypter.isVectorized)
        // The numbers 1, 25, 37, 49 and 61 have one key and one algorithm; 2 has another key.
        let jobs = try [1, 25, 37, 49, 61, 2].map { number in
            let token = Array(try fixture.sealed(number, to: fixture.keys[number == 2 ? 1 : 0]).utf8)
            return try decrypter.job(token.span).unwrapping
        }
        #expect(jobs.allSatisfy { $0 != nil })
        let hasResult = KeyUnwrapping.run(jobs.compactMap { $0 }).map { outcome in
            if case .unwrapped = outcome { true } else { false }
        }
        // The number 25 has another content encryption, and so keys of another length.
        #expect(hasResult == [true, false, true, true, true, false])
        guard case .nested(let plain, _) = try fixture.verifier(.libcrypto).layers else { throw JOSEError.backend }
        #expect(!plain.isVectorized, "the default is libcrypto")
    }
}
