package import JOSEBytes
internal import JOSECrypto

/// A JWE that the policy allows, with its keys; its content encryption key is still to be decrypted. It is used by one thread at a
/// time: by the one that prepares it, and then by the one that finishes it.
@safe package final class PendingJWE: @unchecked Sendable {  // the first hands it over
    package let token: [UInt8]
    /// The decryption of the key together with others; nil where libcrypto does it.
    package let job: UnwrappingJob?
    fileprivate let sealed: SealedJWE
    fileprivate let snapshot: KeySnapshot<DecryptionKey>
    fileprivate var attempts: DecryptionAttempts<DecryptionKey>
    /// The ciphertext, which the plaintext replaces. It is wiped with this value.
    package fileprivate(set) var plaintext: SecretBytes

    fileprivate init(
        _ token: [UInt8], _ job: UnwrappingJob?, _ sealed: SealedJWE, _ snapshot: KeySnapshot<DecryptionKey>,
        _ attempts: DecryptionAttempts<DecryptionKey>, _ plaintext: consuming SecretBytes
    ) {
        self.token = token
        self.job = job
        self.sealed = sealed
        self.snapshot = snapshot
        self.attempts = attempts
        self.plaintext = plaintext
    }

    /// Wipes the plaintext, when the next steps have copied what they need of it.
    package func wipe() { plaintext = SecretBytes(capacity: 0) }
}

extension JWEDecrypter {
    /// Whether keys of several tokens are decrypted together, if they come together.
    package var isVectorized: Bool {
        policy.privateKeyOperations == .vectorized && PrivateKernelKey.isAvailable
            && policy.keyManagement.contains { $0.core.traits.oaepHash != nil }
    }

    /// Takes the steps of `open` in the same order up to the decryption of the content encryption key.
    package func begin(_ jwe: Span<UInt8>, with taken: TakenDecryptionKeys? = nil) throws(JOSEError) -> PendingJWE {
        var plaintext = SecretBytes(capacity: 0)
        let sealed = try read(jwe, into: &plaintext)
        var rounds = policy.limits.maxPBKDF2Iterations
        var token = taken?.token ?? TokenKeys(keys)
        let snapshot = try token.take(from: keys)
        let attempts: DecryptionAttempts<DecryptionKey>
        do throws(JOSEError) {
            attempts = try selectKeys(sealed, from: snapshot.keys, keepsCiphertext: false, &rounds)
        } catch {
            throw snapshot.missed(sealed.header, error)
        }
        let job = job(sealed, snapshot, attempts)
        return PendingJWE(jwe.copy(), job, sealed, snapshot, attempts, plaintext)
    }

    private func job(
        _ sealed: SealedJWE, _ snapshot: KeySnapshot<DecryptionKey>, _ attempts: DecryptionAttempts<DecryptionKey>
    ) -> UnwrappingJob? {
        guard let hash = sealed.algorithm.core.traits.oaepHash, attempts.isSingle, let place = attempts.next,
            let key = snapshot.keys[place].kernelKey, sealed.pieces.key.count == key.byteCount
        else { return nil }
        return UnwrappingJob(
            key: key, hash: hash, encryptedKey: Array(sealed.pieces.bytes[sealed.pieces.key]),
            count: sealed.content.core.keyBytes, limiter: sealed.limiter(of: policy))
    }

    /// Decrypts a token after the attempt to decrypt its content encryption key, with the errors of `open`.
    package func finish(
        _ jwe: PendingJWE, _ outcome: UnwrappingOutcome
    ) throws(JOSEError) -> (header: JOSEHeader, key: JWK) {
        let key: JWK
        let sealed = jwe.sealed
        let token = jwe.token
        let aad = token.span.extracting(0..<sealed.headerCount)
        do throws(JOSEError) {
            switch outcome {
            case .unwrapped(let cek): key = try open(jwe, aad, cek)
            case .failed(let error): throw error
            case .notCovered:
                let limiter = sealed.limiter(of: policy)
                try limiter?.enter()
                defer { limiter?.leave() }
                key = try open(jwe.snapshot.keys, sealed, aad: aad, &jwe.attempts, &jwe.plaintext)
            }
        } catch {
            throw jwe.snapshot.missed(sealed.header, error)
        }
        jwe.snapshot.reportUse(of: key)
        remember(aad, sealed)
        return (sealed.header, key)
    }

    private func open(_ jwe: PendingJWE, _ aad: Span<UInt8>, _ cek: UnwrappedKey) throws(JOSEError) -> JWK {
        guard let place = jwe.attempts.next else { throw .decryptionFailed }
        let sealed = jwe.sealed
        do throws(JOSEError) {
            let isOpen = try jwe.attempts.run(&jwe.plaintext) { plaintext throws(JOSEError) in
                try unsafe open(sealed, aad: aad, &plaintext) { out throws(JOSEError) in
                    cek.bytes.withBytes { bytes in
                        guard bytes.count == out.count else { return false }
                        unsafe bytes.withUnsafeBytes { unsafe out.copyMemory(from: $0) }
                        return true
                    }
                }
            }
            if isOpen { return jwe.snapshot.keys[place].jwk }
        } catch {
            try jwe.attempts.fail(error)
        }
        throw jwe.attempts.failure
    }
}

extension KeyManagementTraits {
    /// The hash of RSA-OAEP; nil for other algorithms.
    fileprivate var oaepHash: Hash? {
        if case .oaep(let hash) = engine { hash } else { nil }
    }
}
