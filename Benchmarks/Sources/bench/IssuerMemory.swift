internal import CRaw
internal import Foundation
internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// Measures the memory of a thousand issuers: a source, its set of two RSA keys and one of P-256, and a verifier that has
/// prepared one of them; and the time of their tokens in turn with fewer and more tables than keys.
struct IssuerMemory {
    let fixtures: Fixtures
    static let count = 1000

    func run() throws -> Bool {
        let (each, bytes) = try measure()
        print("\(Self.count) issuers, a set of \(bytes) bytes with 3 keys each: \(each) bytes an issuer")
        for limit in [256, 1024] {
            let (microseconds, tables, bytes) = try turns(limit)
            print(
                "ES256 tokens of \(Self.count) issuers in turn, at most \(limit) tables: "
                    + "\(microseconds.formatted(places: 1)) µs each, \(tables) tables of \(bytes >> 20) MiB"
            )
        }
        return true
    }

    /// Returns the time of a token of the next issuer in microseconds, once the keys have their tables, and the tables with their bytes.
    private func turns(_ limit: Int) throws -> (microseconds: Double, tables: Int, bytes: Int) {
        let former = KeyTables.limit
        KeyTables.limit = limit
        defer { KeyTables.limit = former }
        let cases = try (0..<Self.count).map { number in
            try SignedCase(fixtures, .es256, SigningFixture(PrivateKey.generate(.p256, keyID: "issuer-\(number)")))
        }
        func pass() throws { for each in cases { _ = try each.verifier.verify(each.token) } }
        // A key gets its table after 300 tokens, in the background.
        for _ in 0..<400 { try pass() }
        Thread.sleep(forTimeInterval: 1)
        for _ in 0..<10 { try pass() }
        let begun = craw_wall_time()
        for _ in 0..<10 { try pass() }
        let microseconds = Double(craw_wall_time() - begun) / 1000 / Double(10 * cases.count)
        return (microseconds, KeyTables.count, KeyTables.byteCount)
    }

    /// Returns the bytes that an issuer takes, and those of the text of its key set.
    func measure() throws -> (each: Int, set: Int) {
        let set = KeySet([
            .privateKey(fixtures.p256), .privateKey(fixtures.rsa), .privateKey(fixtures.rsaForEncryption),
        ]).jwks()
        let signed = try SignedCase(fixtures, .es256)
        var kept: [(source: RemoteKeySet, verifier: TokenVerifier)] = []
        func add(_ number: Int) throws {
            let source = try RemoteKeySet.warm(set, url: "https://issuer-\(number).example.com/jwks")
            let verifier = try TokenVerifier(signed.verifier.policies[0], verificationKeys: source)
            _ = try verifier.verify(signed.token.span)
            kept.append((source, verifier))
        }
        // Memory that is allocated once is not counted.
        for number in 0..<20 { try add(number) }
        let before = try Self.resident()
        for number in 0..<Self.count { try add(number + 20) }
        let each = (try Self.resident() - before) / Self.count
        withExtendedLifetime(kept) {}
        return (each, set.utf8.count)
    }

    /// Returns the resident memory of this process in bytes.
    private static func resident() throws -> Int {
        let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else {
            throw Options.Fault(description: "no /proc/self/statm")
        }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
