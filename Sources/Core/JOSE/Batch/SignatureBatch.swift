internal import JOSECrypto

/// Bytes and what is to be their signature.
public struct SignedBytes: Sendable {
    /// Of a JWS: its first two parts, with the dot between them (RFC 7515, 5.2, step 8).
    public var input: [UInt8]
    /// Decoded from base64url.
    public var signature: [UInt8]

    /// Nothing of it is looked at here.
    public init(input: [UInt8], signature: [UInt8]) {
        self.input = input
        self.signature = signature
    }
}

/// Verifies signatures of one key, many at once: for those who have bytes and signatures, and no tokens. Whoever has tokens
/// wants a `JWSVerifier`, or `BatchVerifier` of `JOSETokens`. Made once, shared freely.
public struct SignatureBatch: Sendable {
    let key: VerificationKey
    private let algorithm: SignatureAlgorithm

    /// Throws `keyUnsuitable` for a key that is not one for the algorithm.
    public init(key: JWK, algorithm: SignatureAlgorithm) throws(JOSEError) {
        if let reason = KeySelection.unsuitability(of: key, for: algorithm, .verify) { throw .keyUnsuitable(reason) }
        self.key = VerificationKey(key, for: [algorithm])
        self.algorithm = algorithm
    }

    /// Of each, in their order, whether the signature holds. False as well where the library failed, for want of memory for one.
    public func verify(_ signed: [SignedBytes]) -> [Bool] {
        var answers: [Bool] = []
        answers.reserveCapacity(signed.count)
        for start in stride(from: 0, to: signed.count, by: SignatureGathering.most) {
            verify(signed[start..<min(start + SignatureGathering.most, signed.count)], &answers)
        }
        return answers
    }

    private func verify(_ signed: ArraySlice<SignedBytes>, _ answers: inout [Bool]) {
        guard let scheme = algorithm.core.batchScheme, let hash = algorithm.core.traits.hash,
            signed.count > 1 || scheme == .es256, let lanes = key.lanes?.forBatch(uses: signed.count)
        else {
            for one in signed { answers.append(holds(one)) }
            return
        }
        let length = lanes.group.signatureBytes
        var digests: [UInt8] = []
        digests.reserveCapacity(signed.count * hash.byteCount)
        var signatures: [UInt8] = []
        signatures.reserveCapacity(signed.count * length)
        var isHashed = true
        var digest = InlineArray<64, UInt8>(repeating: 0)
        for one in signed {
            let input = one.input.span
            var place = digest.mutableSpan
            do throws(CryptoError) { try hash.digest(input, into: &place) } catch { isHashed = false }
            let made = digest.span.extracting(0..<hash.byteCount)
            unsafe made.withUnsafeBufferPointer { unsafe digests.append(contentsOf: $0) }
            // Of another length it holds under no key; its place is kept.
            signatures.append(
                contentsOf: one.signature.count == length ? one.signature : Array(repeating: 0, count: length))
        }
        guard isHashed else { return answers.append(contentsOf: signed.map { _ in false }) }
        let hashes = digests.span
        let proofs = signatures.span
        let results = KernelKey.verify(
            scheme, keys: Array(repeating: lanes, count: signed.count), digests: hashes, signatures: proofs)
        for (one, result) in zip(signed, results) {
            switch result {
            case .valid: answers.append(one.signature.count == length)
            case .invalid: answers.append(false)
            case .open: answers.append(holds(one))
            }
        }
    }

    private func holds(_ one: SignedBytes) -> Bool {
        let input = one.input.span
        let signature = one.signature.span
        do throws(JOSEError) {
            try key.verify(algorithm.core, input, signature: signature)
            return true
        } catch {
            return false
        }
    }
}
