internal import JOSECrypto
package import JOSESupport

/// A JWE that the policy allows, with its keys; its content encryption key is still to be decrypted. It is used by one
/// thread at a time: by the one that prepares it, and then by the one that decrypts it.
@safe package final class DecryptionJob: @unchecked Sendable {  // the first hands it over
    package let token: [UInt8]
    /// The decryption of the key together with others; nil where libcrypto does it.
    package let unwrapping: UnwrappingJob?
    fileprivate let parsed: ParsedJWE
    fileprivate var attempts: DecryptionAttempts<DecryptionKey>
    /// The ciphertext, which the plaintext replaces. It is wiped with this value.
    package fileprivate(set) var plaintext: SecretBytes

    fileprivate init(
        _ token: [UInt8], _ unwrapping: UnwrappingJob?, _ parsed: ParsedJWE,
        _ attempts: DecryptionAttempts<DecryptionKey>, _ plaintext: consuming SecretBytes
    ) {
        self.token = token
        self.unwrapping = unwrapping
        self.parsed = parsed
        self.attempts = attempts
        self.plaintext = plaintext
    }

    /// Wipes the plaintext, when the next steps have copied what they need of it.
    package func wipe() { plaintext = SecretBytes(capacity: 0) }
}

extension JWEDecrypter {
    /// Whether keys of several tokens are decrypted together, if they come together.
    package var isVectorized: Bool {
        shared.policy.privateKeyOperations == .vectorized && PrivateKernelKey.isAvailable
            && shared.policy.keyManagement.contains { $0.core.traits.oaepHash != nil }
    }

    /// Takes the steps of a decryption up to that of the content encryption key. `taken` are the keys, if they were
    /// taken from their source already.
    package func job(_ jwe: Span<UInt8>, with taken: TakenDecryptionKeys? = nil) throws(JOSEError) -> DecryptionJob {
        try checkNoAwait()
        var plaintext = SecretBytes(capacity: 0)
        let parsed = try read(jwe, into: &plaintext)
        var rounds = shared.policy.limits.maxPBKDF2Iterations
        var token = taken?.token ?? TokenKeys(keys)
        let attempts = try selectKeys(parsed, from: keys, keepsCiphertext: false, &token, &rounds)
        return DecryptionJob(jwe.copy(), unwrapping(parsed, attempts), parsed, attempts, plaintext)
    }

    private func unwrapping(_ parsed: ParsedJWE, _ attempts: DecryptionAttempts<DecryptionKey>) -> UnwrappingJob? {
        guard let hash = parsed.algorithm.core.traits.oaepHash, let key = attempts.onlyKey?.kernelKey,
            parsed.key.count == key.byteCount
        else { return nil }
        return UnwrappingJob(
            key: key, hash: hash, encryptedKey: Array(parsed.bytes[parsed.key]),
            count: parsed.content.core.keyBytes, limiter: parsed.limiter(of: shared.policy))
    }

    /// Decrypts a token after the attempt to decrypt its content encryption key together with others. `entered` is the
    /// limiter in which the caller has a slot already.
    package func decrypt(
        _ job: DecryptionJob, _ outcome: UnwrappingOutcome, within entered: DecryptionLimiter? = nil
    ) throws(JOSEError) -> (header: JOSEHeader, key: JWK) {
        let parsed = job.parsed
        var unwrapped: UnwrappedKey?
        switch outcome {
        case .unwrapped(let key): unwrapped = key
        case .failed(let error): throw job.attempts.snapshot.missed(parsed.header, error)
        case .notCovered: break
        }
        let token = job.token
        let aad = token.span.extracting(0..<parsed.headerCount)
        let key = try decrypt(parsed, aad: aad, within: entered, unwrapped, &job.attempts, &job.plaintext)
        remember(aad, parsed)
        return (parsed.header, key)
    }
}

extension KeyManagementTraits {
    /// The hash of RSA-OAEP; nil for other algorithms.
    fileprivate var oaepHash: Hash? {
        if case .oaep(let hash) = engine { hash } else { nil }
    }
}
