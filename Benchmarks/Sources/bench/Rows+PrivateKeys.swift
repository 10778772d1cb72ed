internal import JOSE
internal import JOSETokens

/// Batches whose private-key operations are computed by libcrypto, and by this package's vectorized code.
struct PrivateKeyCases {
    let fixtures: Fixtures
    let bits: Int
    private let key: PrivateKey

    init(_ fixtures: Fixtures, bits: Int) throws {
        self.fixtures = fixtures
        self.bits = bits
        key = bits == 2048 ? fixtures.rsaForEncryption : try .generate(.rsa(bits: bits), keyID: "private-\(bits)")
    }

    static var operations: [PrivateKeyOperations] {
        [PrivateKeyOperations.libcrypto, .vectorized].filter(\.isAvailable)
    }

    func nested(_ operations: PrivateKeyOperations) throws -> NestedCase {
        let recipient = try Recipient(
            name: "RSA-OAEP \(bits)", algorithm: .rsaOAEP, key: .privateKey(key), secretField: key.exportPrivateDER(),
            publicField: key.publicKey.der())
        return try NestedCase(fixtures, recipient, .a256gcm, .rs256, operations: operations)
    }

    /// Returns the row of whole nested tokens, compared with the private and the public operation.
    func nestedRow(_ operations: PrivateKeyOperations) throws -> Row {
        let nested = try nested(operations)
        var row = BatchCase.row(
            "nested \(nested.name) \(operations)",
            BatchCase.lots(Array(repeating: nested.token, count: BatchCase.lot), BatchVerifier(nested.verifier)),
            { nested.rawVerify(keysAlone: true) }, operations == .libcrypto ? 0.94 : bits == 2048 ? 2.7 : 4.5)
        row.note = "raw: the private and the public call alone"
        return row
    }

    /// Returns the row of tokens that are issued in one call, compared with the signature.
    func issueRow(_ operations: PrivateKeyOperations) throws -> Row {
        let signed = try SignedCase(fixtures, .rs256, SigningFixture(key))
        let issuer = try TokenIssuer(
            .signed(SignaturePolicy(algorithms: [.rs256]), claims: fixtures.claimPolicy),
            signingKey: signed.fixture.key)
        let batch = BatchIssuer(issuer, privateKeyOperations: operations)
        let claims = Array(repeating: fixtures.claims, count: BatchCase.lot)
        let work: Work = { count in
            var good = 0
            var left = count
            while left > 0 {
                let results = batch.issueSynchronously(json: left < claims.count ? Array(claims[..<left]) : claims)
                good += results.count { if case .success = $0 { true } else { false } }
                left -= claims.count
            }
            return good
        }
        return BatchCase.row(
            "issue RS256 \(bits) \(operations)", work, { signed.rawSign(then: []) },
            operations == .libcrypto ? 0.9 : 2.7)
    }
}

extension Fixtures {
    func privateKeyRows() throws -> [Row] {
        try [2048, 3072, 4096].flatMap { bits in
            let cases = try PrivateKeyCases(self, bits: bits)
            return try PrivateKeyCases.operations.flatMap { [try cases.nestedRow($0), try cases.issueRow($0)] }
        }
    }
}
