internal import JOSECrypto
package import JOSESupport

/// A decrypter of compact JWE with keys outside the process, for instance in an HSM or a key management service. Keys
/// in the process can be used beside them.
///
/// An external key is called only after all checks that need no key have passed. Create one instance and share it
/// between tasks.
public struct ExternalKeyDecrypter: Sendable {
    /// The decrypter that takes every step that no external key takes.
    let local: JWEDecrypter
    let keys: ReadyKeys<AnyDecryptionKey>
    /// The policy that was passed to the initializer.
    public var policy: EncryptionPolicy { local.policy }
    /// The source of the keys in the process, where they may change.
    package var source: (any KeySource)? { keys.source }
    /// The generation of the current keys in the process; nil where the source has none.
    package var generation: KeyGeneration? { keys.taken()?.generation }

    /// Creates a decrypter.
    ///
    /// - Parameters:
    ///   - keys: Keys in the process, or a key source; for instance the previous key, while tokens for it still arrive.
    ///   - external: Keys outside the process.
    ///   - policy: The allowed algorithms and the limits. Keys that fit a header are tried in the order of `keys`, then
    ///     of `external`; a token that more keys fit than ``ParsingLimits/candidateKeys`` allows is rejected.
    /// - Throws: `configurationInvalid` if the policy lists no algorithm, or no key fits one. Keys in the process that
    ///   may change are not examined.
    public init(
        keys: any KeySource = KeySet.empty, external: [ExternalDecryptionKey], policy: EncryptionPolicy
    ) throws(JOSEError) {
        local = JWEDecrypter(unexaminedKeys: KeySet.empty, policy: policy)
        let algorithms = policy.keyManagement
        let outside = external.map { AnyDecryptionKey($0, for: algorithms) }
        self.keys = ReadyKeys(keys, additional: outside, limit: policy.limits.candidateKeys) { key in
            AnyDecryptionKey(DecryptionKey(key, for: algorithms))
        }
        try checkConfiguration(outside)
    }

    /// Decrypts a compact JWE, given as ASCII bytes.
    ///
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled. If several keys fit and one of them
    ///   decrypts the token, failures of the others are ignored. If none does, `externalKey` takes precedence over
    ///   `decryptionFailed`.
    public func decrypt(_ jwe: [UInt8]) async throws(JOSEError) -> DecryptedJWE {
        var plaintext = SecretBytes(capacity: 0)
        let header = try await decrypt(jwe, into: &plaintext).header
        return DecryptedJWE(header: header, plaintext: plaintext.copy())
    }

    /// Decrypts a compact JWE, given as a string, as the method that takes bytes does.
    public func decrypt(_ jwe: String) async throws(JOSEError) -> DecryptedJWE { try await decrypt(Array(jwe.utf8)) }

    /// Decrypts a compact JWE into memory that is wiped, and returns its header, and the key if it is one of a source,
    /// which counts uses. `limit` bounds the wait at the policy's limiter, which has its own bound too, and `share` is
    /// that of its queue.
    package func decrypt(
        _ jwe: [UInt8], into plaintext: inout SecretBytes, timeout limit: Duration? = nil,
        share: LimiterShare = LimiterShare()
    ) async throws(JOSEError) -> (header: JOSEHeader, sourceKey: JWK?) {
        let parsed = try local.read(jwe.span, into: &plaintext)
        let aad = Array(jwe[..<parsed.headerCount])
        var keys = TokenKeys(keys)
        var rounds = policy.limits.maxPBKDF2Iterations
        let key = try await decrypt(parsed, aad: aad, timeout: limit, share: share, &keys, &rounds, &plaintext)
        local.remember(aad.span, parsed)
        guard !self.keys.isFixed, case .local(let local) = key.engine else { return (parsed.header, nil) }
        return (parsed.header, local.jwk)
    }

    /// Decrypts with the first key that succeeds and returns it. Only the calls of external keys and the wait at the
    /// limiter differ from the steps of `JWEDecrypter`.
    func decrypt(
        _ parsed: ParsedJWE, aad: [UInt8], keepsCiphertext: Bool = false, timeout limit: Duration? = nil,
        share: LimiterShare = LimiterShare(), _ token: inout TokenKeys<AnyDecryptionKey>, _ rounds: inout Int,
        _ plaintext: inout SecretBytes
    ) async throws(JOSEError) -> AnyDecryptionKey {
        var attempts = try local.selectKeys(parsed, from: keys, keepsCiphertext: keepsCiphertext, &token, &rounds)
        do throws(JOSEError) {
            let key = try await firstKey(
                for: parsed, aad: aad, timeout: limit, share: share, &attempts, &plaintext)
            if case .local(let local) = key.engine { attempts.snapshot.reportUse(of: local.jwk) }
            return key
        } catch {
            throw attempts.snapshot.missed(parsed.header, error)
        }
    }

    private func firstKey(
        for parsed: ParsedJWE, aad: [UInt8], timeout limit: Duration?, share: LimiterShare,
        _ attempts: inout DecryptionAttempts<AnyDecryptionKey>, _ plaintext: inout SecretBytes
    ) async throws(JOSEError) -> AnyDecryptionKey {
        let limiter = parsed.limiter(of: policy)
        try await limiter?.enter(timeout: limit, share: share)
        defer { limiter?.leave() }
        while let key = attempts.next {
            let members = attempts.members
            do throws(JOSEError) {
                let answer = try await ExternalKeyAnswer.of(key, parsed, members)
                let isDecrypted = try attempts.run(&plaintext) { plaintext throws(JOSEError) in
                    try decrypt(parsed, aad: aad.span, &plaintext, with: answer, members)
                }
                if isDecrypted { return key }
            } catch {
                try attempts.fail(error)
            }
        }
        throw attempts.failure
    }

    private func decrypt(
        _ parsed: ParsedJWE, aad: Span<UInt8>, _ plaintext: inout SecretBytes,
        with answer: borrowing ExternalKeyAnswer, _ members: WrapMembers
    ) throws(JOSEError) -> Bool {
        switch answer {
        case .local(let key): try local.decrypt(parsed, aad: aad, &plaintext, by: key, members)
        case .unwrapped(let secret):
            try unsafe local.decrypt(parsed, aad: aad, &plaintext) { cek throws(JOSEError) in
                switch secret {
                case .none: false
                case .some(let secret): secret.withBytes { unsafe fill(cek, with: $0) }
                }
            }
        case .agreed(let secret):
            try unsafe local.decrypt(parsed, aad: aad, &plaintext) { cek throws(JOSEError) in
                guard case .agreement(let wrapBytes) = parsed.algorithm.core.traits.engine else {
                    throw .keyUnsuitable(.kind)
                }
                return try secret.withBytes { z throws(JOSEError) in
                    try unsafe DecryptionKey.derive(
                        z: z, parsed.algorithm.core.traits, parsed.content.core, wrapBytes, parsed.header,
                        parsed.bytes.span.extracting(parsed.key), into: cek)
                }
            }
        }
    }
}

/// The part of a key in a decryption: the answer of an external key, or a key in the process itself.
private enum ExternalKeyAnswer: ~Copyable {
    case local(DecryptionKey)
    /// The content encryption key; nil where the encrypted key is invalid.
    case unwrapped(ExternalSecret?)
    /// The secret of a key agreement.
    case agreed(ExternalSecret)

    /// Calls the key if it is an external one.
    static func of(
        _ key: AnyDecryptionKey, _ parsed: ParsedJWE, _ members: WrapMembers
    ) async throws(JOSEError) -> ExternalKeyAnswer {
        switch key.engine {
        case .local(let key): return .local(key)
        case .unwrapper(let unwrapper):
            let request = UnwrapRequest(parsed, members)
            guard key.couldHold(request) else { return .unwrapped(nil) }
            return .unwrapped(try await askExternalKey { try await unwrapper.unwrap(request) })
        case .agreement(let agreement):
            let point = try EphemeralKey.publicKey(parsed.header, on: key.kind)
            guard let secret = try await askExternalKey({ try await agreement.agree(with: point) }),
                secret.withBytes({ isAgreed($0, on: key.kind) })
            else { throw JOSEError.decryptionFailed }
            return .agreed(secret)
        }
    }

    /// Returns whether the agreed secret is possible: all zeros come from a point of small order (RFC 7748, 6.1 and
    /// 6.2; T20).
    private static func isAgreed(_ z: Span<UInt8>, on kind: KeyKind) -> Bool {
        guard z.count == kind.agreementBytes else { return false }
        var bits: UInt8 = 0
        for index in z.indices { bits |= z[index] }
        return bits != 0
    }
}

extension UnwrapRequest {
    fileprivate init(_ parsed: ParsedJWE, _ members: WrapMembers) {
        algorithm = parsed.algorithm
        encryptedKey = Array(parsed.bytes[parsed.key])
        keyBytes = parsed.content.core.keyBytes
        if case .gcm(let iv, let tag) = members {
            (initializationVector, self.tag) = (iv, tag)
        } else {
            (initializationVector, tag) = ([], [])
        }
    }
}
