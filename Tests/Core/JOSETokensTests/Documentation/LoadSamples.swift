import Foundation
import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Samples: serving under load") struct LoadSamples {
    private let claims = ClaimPolicy(issuer: "https://idp.example.com", audience: "shop")
    private let inner = SignaturePolicy(algorithms: [.es256])

    @Test("the limiter bounds private-key operations") func gated() async throws {
        let signing = try PrivateKey.generate(.p256)
        let recipient = try PrivateKey.generate(.rsa(bits: 2048))
        let (keys, ours) = (KeySet(signing.publicKey), KeySet(recipient))
        // Sample: limiter
        let limiter = DecryptionLimiter(maxConcurrent: 3, maxQueued: 64)
        var outer = EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])
        outer.limiter = limiter
        let policy = TokenPolicy.nested(outer: outer, inner: inner, claims: claims)
        let verifier = try TokenVerifier(policy, verificationKeys: keys, decryptionKeys: ours)
        // Sample: end
        func answer(_ idToken: String) async -> String {
            // Sample: wait in turn
            do throws(TokenError) {
                let token = try await verifier.verify(idToken, timeout: .milliseconds(200))
                return "200 \(token.claims.subject ?? "")"
            } catch .jose(.overloaded, layer: .encryption) {
                return "503 Retry-After: 1"
            } catch {
                return "401"
            }
            // Sample: end
        }
        let token = try TokenIssuer(
            policy, signingKey: .privateKey(signing), encryptionKey: .publicKey(recipient.publicKey)
        ).issue(["sub": "u"])
        #expect(await answer(token) == "200 u")
        #expect(await answer("x") == "401")
        for _ in 0..<3 { try limiter.enter() }
        #expect(await answer(token) == "503 Retry-After: 1")
        for _ in 0..<3 { limiter.leave() }
        #expect(await answer(token) == "200 u")
    }

    @Test("verified tokens are cached") func cached() throws {
        let signing = try PrivateKey.generate(.p256)
        let keys = KeySet(signing.publicKey)
        let policy = TokenPolicy.signed(inner, claims: claims)
        // Sample: cache
        let cache = TokenCache(entries: 50_000, bytes: 64 << 20)
        let verifier = try TokenVerifier(policy, verificationKeys: keys, cache: cache)
        // Sample: end
        let token = try TokenIssuer(policy, signingKey: .privateKey(signing)).issue(["sub": "u"])
        for _ in 0..<2 { #expect(try verifier.verify(token).claims.subject == "u") }
        #expect(cache.lookups.hits == 1)
    }

    @Test("many tokens are issued, each with its result") func issued() async throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048))
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.rs256]), claims: claims)
        let subjects = ["a", "b", "c"]
        var tokens: [String] = []
        // Sample: issue many
        let issuer = try TokenIssuer(policy, signingKey: .privateKey(key))
        let batch = BatchIssuer(issuer, privateKeyOperations: .vectorized)
        for result in try await batch.issue(subjects.map { ["sub": .string($0)] }) {
            tokens.append(try result.get())
        }
        // Sample: end
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey))
        #expect(try tokens.map { try verifier.verify($0).claims.subject } == subjects)
        let claims = AsyncStream { continuation in
            for subject in subjects { continuation.yield(["sub": .string(subject)] as ClaimsBuilder) }
            continuation.finish()
        }
        tokens = []
        // Sample: issue a sequence
        for try await result in batch.results(of: claims) {
            if case .success(let token) = result { tokens.append(token) }
        }
        // Sample: end
        #expect(try tokens.map { try verifier.verify($0).claims.subject } == subjects)
    }

    @Test("nested tokens are decrypted together") func nested() async throws {
        let signing = try PrivateKey.generate(.p256)
        let recipient = try PrivateKey.generate(.rsa(bits: 2048))
        let (keys, ours) = (KeySet(signing.publicKey), KeySet(recipient))
        let sealing = EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [.a256gcm])
        let issuer = try TokenIssuer(
            .nested(outer: sealing, inner: inner, claims: claims), signingKey: .privateKey(signing),
            encryptionKey: .publicKey(recipient.publicKey))
        let tokens = try ["a", "b", "c"].map { try issuer.issue(["sub": .string($0)]) }
        // Sample: nested batch
        var outer = EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [.a256gcm])
        outer.privateKeyOperations = .vectorized
        let policy = TokenPolicy.nested(outer: outer, inner: inner, claims: claims)
        let batch = BatchVerifier(try TokenVerifier(policy, verificationKeys: keys, decryptionKeys: ours))
        let results = try await batch.verify(tokens)
        // Sample: end
        #expect(try results.map { try $0.get().claims.subject } == ["a", "b", "c"])
    }

    @Test("a batch of tokens is verified") func many() async throws {
        let signing = try PrivateKey.generate(.p256)
        let keys = KeySet(signing.publicKey)
        let policy = TokenPolicy.signed(inner, claims: claims)
        let idToken = try TokenIssuer(policy, signingKey: .privateKey(signing)).issue(["sub": "u"])
        let tokens = [idToken, "x"]
        var (accepted, refused, count) = ([String?](), [String](), 0)
        // Sample: batch
        let batch = BatchVerifier(try TokenVerifier(policy, verificationKeys: keys))
        for result in try await batch.verify(tokens) {
            switch result {
            case .success(let token): accepted.append(token.claims.subject)
            case .failure(let error): refused.append("\(error)")
            }
        }
        // Sample: end
        #expect(accepted == ["u"] && refused.count == 1)
        let lines = AsyncStream { continuation in
            for token in tokens { continuation.yield(Array(token.utf8)) }
            continuation.finish()
        }
        // Sample: batch of a sequence
        for try await result in batch.results(of: lines) {
            if case .success = result { count += 1 }
        }
        // Sample: end
        #expect(count == 1)
        let verifier = try TokenVerifier(policy, verificationKeys: keys)
        // Sample: coalescing
        let coalescing = CoalescingVerifier(verifier)
        let token = try await coalescing.verify(idToken)
        // Sample: end
        #expect(token.claims.subject == "u")
    }

    @Test("the tokens of a file are verified") func file() async throws {
        let signing = try PrivateKey.generate(.p256)
        let policy = TokenPolicy.signed(inner, claims: claims)
        let token = try TokenIssuer(policy, signingKey: signing).issue(["sub": "u"])
        let batch = BatchVerifier(try TokenVerifier(policy, verificationKeys: signing))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("\(token)\r\nx\n".utf8).write(to: file)
        // Sample: tokens of a file
        let tokens = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline).map(String.init)
        let results = try await batch.verify(tokens)
        // Sample: end
        let first = try results[0].get()
        #expect(results.count == 2 && first.claims.subject == "u")
    }

    @Test("lines of the standard input are a sequence of tokens") func standardInput() throws {
        let key = try PrivateKey.generate(.p256)
        let batch = BatchVerifier(try TokenVerifier(.signed(inner, claims: claims), verificationKeys: key))
        // Nothing is read before there is an iterator, so that the test does not wait for input.
        // Sample: lines of the standard input
        let lines = AsyncStream(unfolding: { readLine() })
        let results = batch.results(of: lines)
        // Sample: end
        #expect(type(of: results) == BatchResults<VerifiedToken>.self)
    }
}
