internal import CRaw
internal import JOSE

/// An external key that answers at once with a prepared signature.
private struct KeyAtHand: ExternalSigner {
    let publicKey: PublicKey
    let signature: [UInt8]

    func sign(_ request: SigningRequest) async throws -> [UInt8] { signature }
}

extension Fixtures {
    /// Returns the row of an external key: the cost besides its answer, which is verified; the raw call verifies only.
    func externalRows() throws -> [Row] {
        try [SignatureAlgorithm.es256, .rs256].map { algorithm in
            let signed = try SignedCase(self, algorithm)
            guard case .privateKey(let key) = signed.fixture.key else {
                throw JOSEError.keyInvalid(.privateKeyRequired)
            }
            let signer = try ExternalKeySigner(
                KeyAtHand(publicKey: key.publicKey, signature: signed.parts.decoded[2]), algorithm: algorithm,
                header: HeaderParameters(type: "JWT"))
            let payload = claims
            return Row(
                "external", "sign \(algorithm.name)",
                { count in
                    let made = Made()
                    // The signer never waits, so all work is done here.
                    Task.immediate {
                        for _ in 0..<count where (try? await signer.signBytes(payload)) != nil { made.count += 1 }
                    }
                    return made.count
                }, raw: { signed.rawVerify() })
        }
    }
}

/// A value that is written by a task that ends before it is read.
private final class Made: @unchecked Sendable {
    var count = 0
}
