internal import JOSECrypto

/// A message and its signature.
public struct SignedBytes: Sendable {
    /// The message that was signed. For a compact JWS it is the first two parts, with the dot between them (RFC 7515,
    /// 5.2, step 8).
    package var input: [UInt8]
    /// The signature, decoded from base64url.
    package var signature: [UInt8]

    /// Creates a pair of a message and its signature. The initializer checks neither of them.
    public init(input: [UInt8], signature: [UInt8]) {
        self.input = input
        self.signature = signature
    }
}

/// A verifier of many signatures of one key at once, for messages that are not tokens.
///
/// To verify tokens, use `JWSVerifier`, or `BatchVerifier` of `JOSETokens`. Create one instance and share it between
/// tasks.
public struct SignatureBatch: Sendable {
    let key: VerificationKey
    private let algorithm: SignatureAlgorithm

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - key: The key that verifies the signatures; of a private key, its public key.
    ///   - algorithm: The algorithm of all signatures.
    /// - Throws: `keyUnsuitable` if the key does not fit the algorithm.
    public init(key: some JWKConvertible, algorithm: SignatureAlgorithm) throws(JOSEError) {
        let key = key.asJWK
        if let reason = KeySelection.unsuitability(of: key, for: algorithm, .verify) { throw .keyUnsuitable(reason) }
        self.key = VerificationKey(key, for: [algorithm])
        self.algorithm = algorithm
    }

    /// Verifies the signatures and returns, in their order, whether each is valid.
    ///
    /// A result is also false if the library failed, for instance because memory ran out.
    public func verify(_ signed: [SignedBytes]) -> [Bool] {
        var answers: [Bool] = []
        answers.reserveCapacity(signed.count)
        for start in stride(from: 0, to: signed.count, by: BatchSizes.signaturesInCall) {
            verify(signed[start..<min(start + BatchSizes.signaturesInCall, signed.count)], &answers)
        }
        return answers
    }

    private func verify(_ signed: ArraySlice<SignedBytes>, _ answers: inout [Bool]) {
        guard let scheme = algorithm.core.batchScheme, let hash = algorithm.core.traits.hash,
            signed.count > 1 || scheme == .digest(.es256), let kernelKey = key.batchKey?.forBatch(uses: signed.count)
        else {
            for one in signed { answers.append(isValid(one)) }
            return
        }
        guard case .digest(let scheme) = scheme else { return verify(signed, kernelKey, &answers) }
        let length = kernelKey.group.signatureBytes
        var digests: [UInt8] = []
        digests.reserveCapacity(signed.count * hash.byteCount)
        var signatures: [UInt8] = []
        signatures.reserveCapacity(signed.count * length)
        var isHashed = true
        var digest = InlineArray<64, UInt8>(repeating: 0)
        for one in signed {
            let input = one.input.span
            var output = digest.mutableSpan
            do throws(CryptoError) { try hash.digest(input, into: &output) } catch { isHashed = false }
            let made = digest.span.extracting(0..<hash.byteCount)
            unsafe made.withUnsafeBufferPointer { unsafe digests.append(contentsOf: $0) }
            // A signature of another length is invalid under every key. Zeros take its place in the batch.
            signatures.append(
                contentsOf: one.signature.count == length ? one.signature : Array(repeating: 0, count: length))
        }
        guard isHashed else { return answers.append(contentsOf: signed.map { _ in false }) }
        let results = KernelKey.verify(
            scheme, keys: Array(repeating: kernelKey, count: signed.count), digests: digests, signatures: signatures)
        append(results, of: signed, length, &answers)
    }

    /// Verifies Ed25519 signatures, which cover the message itself.
    private func verify(_ signed: ArraySlice<SignedBytes>, _ kernelKey: KernelKey, _ answers: inout [Bool]) {
        var remaining = signed
        while let first = remaining.first {
            var count = 0
            var bytes = 0
            while count < remaining.count,
                bytes + remaining[remaining.startIndex + count].input.count <= Self.maximumTextBytes
            {
                bytes += remaining[remaining.startIndex + count].input.count
                count += 1
            }
            if count > 1 {
                verifyTogether(remaining.prefix(count), kernelKey, &answers)
            } else {
                answers.append(isValid(first))
            }
            remaining = remaining.dropFirst(max(count, 1))
        }
    }

    /// The messages whose bytes are copied for one call of the kernel have at most this many bytes together.
    private static var maximumTextBytes: Int { 1 << 20 }

    private func verifyTogether(
        _ signed: ArraySlice<SignedBytes>, _ kernelKey: KernelKey, _ answers: inout [Bool]
    ) {
        let length = kernelKey.group.signatureBytes
        var texts: [UInt8] = []
        var ends: [Int] = []
        var signatures: [UInt8] = []
        for one in signed {
            texts += one.input
            ends.append(texts.count)
            // A signature of another length is invalid. Zeros take its place in the batch.
            signatures += one.signature.count == length ? one.signature : Array(repeating: 0, count: length)
        }
        let results = KernelKey.verify(
            keys: Array(repeating: kernelKey, count: signed.count), texts: texts, ends: ends,
            signatures: signatures
        ).map(\.confirmedByLibsodium)
        append(results, of: signed, length, &answers)
    }

    private func append(
        _ results: [KernelResult], of signed: ArraySlice<SignedBytes>, _ length: Int, _ answers: inout [Bool]
    ) {
        for (one, result) in zip(signed, results) {
            switch result {
            case .valid: answers.append(one.signature.count == length)
            case .invalid: answers.append(false)
            case .notCovered: answers.append(isValid(one))
            }
        }
    }

    private func isValid(_ one: SignedBytes) -> Bool {
        (try? key.verify(algorithm.core, one.input.span, signature: one.signature.span)) != nil
    }
}
