import JOSECrypto
import Synchronization
import TestSupport
import Testing

@testable import JOSE
@testable import JOSETokens

@Suite("Batches under keys with tables", .enabled(if: KernelKey.isAvailable)) struct BatchHotKeyTests {
    private let keys: [PrivateKey]
    private let set: KeySet
    private let policy: TokenPolicy

    init() throws {
        var keys = try ["h1", "h2"].map { try PrivateKey.generate(.p256, keyID: $0) }
        // The portable kernels do not include Ed25519.
        if KernelKey.form == .vectorized {
            keys += try ["h3", "h4"].map { try PrivateKey.generate(.ed25519, keyID: $0) }
        }
        self.keys = keys
        set = KeySet(keys.map { .publicKey($0.publicKey) })
        policy = .signed(SignaturePolicy(algorithms: [.es256, .ed25519]), claims: BatchFixture.claims())
    }

    /// One whose keys have verified enough for their tables, and have them.
    private func hotVerifier() async throws -> TokenVerifier {
        let verifier = try TokenVerifier(policy, verificationKeys: set)
        guard case .signed(let signatures) = verifier.layers else { throw JOSEError.backend }
        for (place, key) in keys.enumerated() {
            let token = try sign(0, key)
            let hot = try #require(signatures.keys.fixed?.keys[place].batchKey?.hot)
            for _ in 0..<hot.slot.threshold { _ = try verifier.verify(token) }
            try await until { hot.slot.isReady.load(ordering: .relaxed) }
            #expect(hot.table() != nil)
        }
        return verifier
    }

    private func sign(_ number: Int, _ key: PrivateKey) throws -> String {
        try JWSSigner(key: key, algorithm: key.kind == .p256 ? .es256 : .ed25519).sign(BatchFixture.payload(number))
    }

    @Test(
        "tables give the results of libcrypto and libsodium for valid tokens and faults at every step (RFC 7518, 3.4)")
    func answers() async throws {
        let good = try (0..<70).map { try sign($0, keys[$0 % keys.count]) }
        // Sound under the other key, whose name is not the token's.
        let crossed = (0..<9).map { number in
            let parts = good[number].split(separator: ".").map(String.init)
            let other = good[number + 1].split(separator: ".").map(String.init)
            return "\(other[0]).\(parts[1]).\(parts[2])"
        }
        let tokens = BatchFixture.shuffled(good + good.prefix(20).flatMap(BatchFixture.broken) + crossed)
        let cold = try TokenVerifier(policy, verificationKeys: set)
        let hot = try await hotVerifier()
        try await expectSame(
            tokens, BatchVerifier(hot), { token throws(TokenError) in try cold.verify(token) }, "hot keys",
            valid: good.count)
    }

    @Test(
        "an invalid signature is rejected at each index of a batch, and no valid one is",
        arguments: [1, 2, 3, 5, 8, 9, 64, 65])
    func places(count: Int) async throws {
        let batch = BatchVerifier(try await hotVerifier())
        let good = try (0..<count).map { Array(try sign($0, keys[$0 % keys.count]).utf8) }
        #expect(batch.verifySynchronously(good).allSatisfy { Seen($0).error == nil })
        for place in stride(from: 0, to: count, by: count > 9 ? 7 : 1) {
            var tokens = good
            let last = tokens[place].count - 30
            tokens[place][last] = tokens[place][last] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let errors = batch.verifySynchronously(tokens).map { Seen($0).error }
            var expected = [TokenError?](repeating: nil, count: count)
            expected[place] = .jose(.signatureInvalid, layer: .signature)
            #expect(errors == expected, "\(place) of \(count)")
        }
    }
}
