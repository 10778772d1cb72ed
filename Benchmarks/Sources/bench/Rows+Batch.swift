internal import Foundation
internal import JOSE
internal import JOSETokens

/// Different tokens of one key, in batches.
struct BatchCase {
    let name: String
    let first: SignedCase
    let tokens: [[UInt8]]

    /// The number of tokens of one call.
    static let lot = 128

    init(_ fixtures: Fixtures, _ algorithm: SignatureAlgorithm, _ key: PrivateKey, _ name: String) throws {
        try self.init(fixtures, algorithm, SigningFixture(key), name)
    }

    init(_ fixtures: Fixtures, _ algorithm: SignatureAlgorithm, _ fixture: SigningFixture, _ name: String) throws {
        self.name = name
        first = try SignedCase(fixtures, algorithm, fixture)
        let signer = try fixture.signer(algorithm)
        tokens = try (0..<Self.lot).map { number in
            // All tokens have the same length.
            var claims = fixtures.claims
            guard let place = claims.firstIndex(of: UInt8(ascii: "2")) else { return [] }
            claims.replaceSubrange(place..<place + 4, with: "2\(number + 100)".utf8)
            return Array(try signer.sign(claims).utf8)
        }
    }

    /// Returns the row of whole tokens, with claims and the system's clock.
    func tokensRow(_ goal: Double) -> Row {
        let batch = BatchVerifier(first.verifier)
        let tokens = tokens
        Self.warm { _ = batch.verifySynchronously(tokens) }
        return Self.row(name, Self.lots(tokens, batch), first.rawVerify, goal)
    }

    /// Returns the row of signatures over the same bytes that the raw call gets.
    func signaturesRow(_ goal: Double) throws -> Row {
        let batch = try SignatureBatch(key: first.fixture.verificationKeys.keys[0], algorithm: first.algorithm)
        let signed = tokens.map { token in
            let parts = TokenParts(token)
            return SignedBytes(input: parts.signingInput, signature: parts.decoded[2])
        }
        Self.warm { _ = batch.verify(signed) }
        return Self.row(
            "signatures \(name)",
            { count in
                var good = 0
                var left = count
                while left > 0 {
                    good += batch.verify(left < signed.count ? Array(signed[..<left]) : signed).count { $0 }
                    left -= signed.count
                }
                return good
            }, first.rawVerify, goal)
    }

    /// Returns the row that verifies tokens in one call, compared with a call for each token: an algorithm that gains nothing
    /// from a batch must lose nothing by it.
    func oneByOneRow() -> Row {
        let verifier = first.verifier
        let tokens = tokens
        let single: Work = { count in
            let tokens = tokens
            let verifier = verifier
            var good = 0
            var left = count
            while left > 0 {
                // The results are kept, as a batch keeps them: memory that is reused at once is in the cache.
                var results: [VerifiedToken] = []
                results.reserveCapacity(tokens.count)
                for number in 0..<min(left, tokens.count) {
                    if let held = try? verifier.verify(tokens[number]) { results.append(held) }
                }
                good += results.count
                left -= tokens.count
            }
            return good
        }
        // Two measurements of equal work differ by as much.
        var row = Self.row(name, Self.lots(tokens, BatchVerifier(verifier)), { Raw(single) }, 0.98)
        row.note = "raw: ours, one by one"
        return row
    }

    static func row(_ name: String, _ work: @escaping Work, _ raw: @escaping () -> Raw, _ goal: Double) -> Row {
        var row = Row("batch", name, work, raw: raw, goals: [.ratio(goal)])
        row.lot = lot
        return row
    }

    static func lots(_ tokens: [[UInt8]], _ batch: BatchVerifier) -> Work {
        { count in
            var good = 0
            var left = count
            while left > 0 {
                let results = batch.verifySynchronously(left < tokens.count ? Array(tokens[..<left]) : tokens)
                // An element that is taken out of a result is copied.
                good += results.count { if case .success = $0 { true } else { false } }
                left -= tokens.count
            }
            return good
        }
    }

    /// Runs the work until a key in such use has its table, if it gets one.
    static func warm(_ work: () -> Void) {
        for _ in 0..<4 { work() }
        Thread.sleep(forTimeInterval: 0.2)
    }
}

extension Fixtures {
    /// Returns rows of many tokens in one call, compared with the raw calls one by one, and of single tokens of a key in frequent
    /// use.
    func batchRows() throws -> [Row] {
        let cases: [(SignatureAlgorithm, PrivateKey, String, tokens: Double, signatures: Double)] = [
            (.rs256, rsa, "RS256 2048", 4, 4.5), (.ps256, rsa, "PS256 2048", 4, 4.5),
            (.rs256, largeRSA[0], "RS256 3072", 4, 4.5), (.ps256, largeRSA[0], "PS256 3072", 4, 4.5),
            (.rs256, largeRSA[1], "RS256 4096", 4, 4.5), (.ps256, largeRSA[1], "PS256 4096", 4, 4.5),
            (.es256, p256, "ES256", 8, 8),
        ]
        let ed25519 = try BatchCase(self, .ed25519, signing(.ed25519), "Ed25519")
        return try cases.flatMap { algorithm, key, name, tokens, signatures in
            let batch = try BatchCase(self, algorithm, key, name)
            return [batch.tokensRow(tokens), try batch.signaturesRow(signatures)]
        } + [ed25519.tokensRow(12), try ed25519.signaturesRow(12)] + [
            try manyKeysRow(), try nestedBatchRow(), try hotRow(),
        ] + (try oneByOneRows())
    }

    private func oneByOneRows() throws -> [Row] {
        try [SignatureAlgorithm.hs256, .es384].map { algorithm in
            try BatchCase(self, algorithm, signing(algorithm), "one by one \(algorithm.name)").oneByOneRow()
        }
    }

    /// Returns the row of Ed25519 tokens whose keys verify too few of them for a table: each key verifies 200 and is then parsed again.
    private func manyKeysRow() throws -> Row {
        let keys = try (0..<100).map { try PrivateKey.generate(.ed25519, keyID: "u\($0)") }
        let tokens = try keys.map { Array(try SigningFixture(raw: $0).signer(.ed25519).sign(claims).utf8) }
        let set = KeySet(keys.map { .publicKey($0.publicKey) }).jwks()
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.ed25519]), claims: claimPolicy)
        var uses = 200
        var batch: BatchVerifier?
        let work: Work = { count in
            var good = 0
            var left = count
            while left > 0 {
                if uses == 200 {
                    let parsed = try? KeySet(parsing: set)
                    batch = parsed.flatMap { try? BatchVerifier(TokenVerifier(policy, verificationKeys: $0)) }
                    uses = 0
                }
                let results = batch?.verifySynchronously(left < tokens.count ? Array(tokens[..<left]) : tokens) ?? []
                good += results.count { if case .success = $0 { true } else { false } }
                left -= tokens.count
                uses += 1
            }
            return good
        }
        var row = BatchCase.row(
            "Ed25519, unknown keys", work, try SignedCase(self, .ed25519, SigningFixture(raw: keys[0])).rawVerify, 4)
        row.lot = tokens.count
        return row
    }

    private func nestedBatchRow() throws -> Row {
        guard let nested = try nestedCases().first else { throw JOSEError.keyNotFound }
        let tokens = Array(repeating: nested.token, count: BatchCase.lot)
        var row = BatchCase.row(
            "nested \(nested.name)", BatchCase.lots(tokens, BatchVerifier(nested.verifier)), nested.rawPrivate, 0.97)
        row.note = "raw: the private call alone"
        return row
    }

    private func hotRow() throws -> Row {
        let signed = try SignedCase(self, .es256)
        let work = verifying(signed.verifier, signed.token)
        BatchCase.warm { _ = work(200) }
        return Row("hot", "verify ES256", work, raw: signed.rawVerify, goals: [.ratio(2.5), .allocations(6)])
    }
}
