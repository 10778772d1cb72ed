internal import JOSECrypto
package import JOSESupport

/// A decrypter of compact JWE with a set of keys and a policy (RFC 7516, 5.2).
///
/// With keys outside the process, for instance in an HSM or a key management service, use the methods with a `timeout`.
/// Such a key is called only after all checks that need no key have passed.
///
/// Create one instance and share it between tasks.
public struct JWEDecrypter: Sendable {
    /// The object that all copies of the decrypter share, as those of a ``JWSVerifier`` do.
    package let shared: Shared

    package final class Shared: Sendable {
        package let policy: EncryptionPolicy
        /// The keys, if all are in the process; otherwise none.
        let keys: ReadyKeys<DecryptionKey>
        /// The keys in the process and outside of it; nil if all are in the process.
        let allKeys: ReadyKeys<AnyDecryptionKey>?

        init(_ policy: EncryptionPolicy, _ keys: ReadyKeys<DecryptionKey>, _ allKeys: ReadyKeys<AnyDecryptionKey>?) {
            self.policy = policy
            self.keys = keys
            self.allKeys = allKeys
        }
    }

    /// The policy that was passed to the initializer.
    package var policy: EncryptionPolicy { shared.policy }
    var keys: ReadyKeys<DecryptionKey> { shared.keys }
    /// Whether keys outside the process must be awaited.
    package var awaitsKeys: Bool { shared.allKeys != nil }
    /// The source of the keys in the process, where they may change.
    package var source: (any KeySource)? {
        if let all = shared.allKeys { all.source } else { shared.keys.source }
    }
    /// The keys in the process at this moment; nil where the source has none.
    package var keySet: KeySet? {
        if let all = shared.allKeys { all.currentSet } else { shared.keys.currentSet }
    }
    /// Whether the keys may change.
    package var isFollowing: Bool { !(shared.allKeys?.isFixed ?? shared.keys.isFixed) }

    /// Creates a decrypter. If the source's keys change, each token is decrypted with those that are current at that
    /// moment.
    ///
    /// - Parameters:
    ///   - keys: The keys or a key source, of which the private and symmetric keys are used.
    ///   - externalKeys: Keys outside the process, which are tried after `keys`. With them, the methods without a
    ///     `timeout` throw `externalKey(.awaitRequired)`.
    ///   - policy: The allowed algorithms, types and limits. A token that more keys fit than
    ///     ``ParsingLimits/candidateKeys`` allows is rejected.
    /// - Throws: `configurationInvalid` if the policy and the keys could accept no token. Keys that may change are not
    ///   examined.
    public init(
        keys: any KeySource = KeySet.empty, externalKeys: [ExternalDecryptionKey] = [], policy: EncryptionPolicy
    ) throws(JOSEError) {
        self.init(unexaminedKeys: keys, externalKeys: externalKeys, policy: policy)
        try checkConfiguration()
    }

    /// Creates a decrypter whose keys are not examined.
    package init(
        unexaminedKeys keys: any KeySource, externalKeys: [ExternalDecryptionKey] = [], policy: EncryptionPolicy
    ) {
        let algorithms = policy.keyManagement
        let limit = policy.limits.candidateKeys
        guard !externalKeys.isEmpty else {
            shared = Shared(policy, ReadyKeys(keys, limit: limit) { DecryptionKey($0, for: algorithms) }, nil)
            return
        }
        let external = externalKeys.map { AnyDecryptionKey($0, for: algorithms) }
        let all = ReadyKeys(keys, additional: external, limit: limit) { key in
            AnyDecryptionKey(DecryptionKey(key, for: algorithms))
        }
        shared = Shared(policy, ReadyKeys(KeySet.empty, limit: limit) { DecryptionKey($0, for: []) }, all)
    }

    /// Throws where a key outside the process must be awaited, for calls that do not wait.
    @inline(__always)
    func checkNoAwait() throws(JOSEError) {
        if shared.allKeys != nil { throw .externalKey(.awaitRequired) }
    }

    /// Decrypts a compact JWE and returns its plaintext and header (RFC 7516, 5.2).
    ///
    /// The checks are made in this order: size, structure, header, allowed algorithms, key, decryption. Every failure
    /// of the last step throws `decryptionFailed`.
    ///
    /// - Throws: `JOSEError`.
    @inlinable public func decrypt(_ jwe: borrowing some BorrowedBytes) throws(JOSEError) -> DecryptedJWE {
        try jwe.withBytes { jwe throws(JOSEError) in try decrypt(jwe) }
    }

    @usableFromInline package func decrypt(_ jwe: Span<UInt8>) throws(JOSEError) -> DecryptedJWE {
        var plaintext = SecretBytes(capacity: 0)
        let header = try decrypt(jwe, into: &plaintext).header
        return DecryptedJWE(header: header, plaintext: plaintext.copy())
    }

    /// Decrypts a compact JWE into memory that is wiped, from which a nested token reads its inner layer. `entered` is
    /// the limiter in which the caller has a slot already, and `taken` are the keys, if they were taken from their
    /// source already.
    package func decrypt(
        _ jwe: Span<UInt8>, into plaintext: inout SecretBytes, within entered: DecryptionLimiter? = nil,
        with taken: TakenDecryptionKeys? = nil
    ) throws(JOSEError) -> (header: JOSEHeader, key: JWK) {
        try checkNoAwait()
        let parsed = try read(jwe, into: &plaintext)
        var rounds = shared.policy.limits.maxPBKDF2Iterations
        var token = taken?.token ?? TokenKeys(keys)
        let segment = jwe.extracting(0..<parsed.headerCount)
        let key = try decrypt(parsed, aad: segment, within: entered, &token, &rounds, &plaintext)
        remember(segment, parsed)
        return (parsed.header, key)
    }

    /// Caches the header of a token whose tag was valid for later tokens.
    func remember(_ segment: Span<UInt8>, _ parsed: ParsedJWE) {
        guard !parsed.isKnown, !parsed.algorithm.core.traits.headerVaries else { return }
        keys.headers.keep(segment) { AllowedEncryption(segment, parsed.header, parsed.algorithm, parsed.content) }
    }

    /// Checks everything that this policy requires of a token besides the key, which another decrypter used, and
    /// returns the header. A decrypter for the union of several policies thereby accepts no more than the one policy
    /// that applies.
    package func checkedHeader(of jwe: Span<UInt8>, plaintextCount: Int) throws(JOSEError) -> JOSEHeader {
        var ciphertext = SecretBytes(capacity: 0)
        let parsed = try read(jwe, into: &ciphertext)
        var rounds = shared.policy.limits.maxPBKDF2Iterations
        try members(parsed).spend(&rounds, keys: 1)
        guard plaintextCount <= shared.policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        return parsed.header
    }

    /// Makes every check that comes before the choice of a key. The ciphertext is decoded into the memory that the
    /// plaintext will replace it in.
    func read(_ jwe: Span<UInt8>, into plaintext: inout SecretBytes) throws(JOSEError) -> ParsedJWE {
        let parts = try CompactParts(jwe, count: 5, limits: shared.policy.limits)
        let decoded = try ParsedJWE.decode(jwe, parts, shared.policy.limits, &plaintext)
        let segment = jwe.extracting(parts.range(0))
        if let known = keys.headers.find(segment) {
            return ParsedJWE(
                known.header, headerCount: segment.count, isKnown: true, known.algorithm, known.content, decoded)
        }
        let header = try JOSEHeader(segment: segment, limits: shared.policy.limits)
        let (algorithm, content) = try allowed(header, protected: header)
        return ParsedJWE(header, headerCount: segment.count, isKnown: false, algorithm, content, decoded)
    }

    /// Returns the header members of the algorithm, after checking the parts and members that need no key.
    func members(_ parsed: ParsedJWE) throws(JOSEError) -> WrapMembers {
        let traits = parsed.algorithm.core.traits
        // RFC 7516, 5.2, step 10.
        guard parsed.key.isEmpty || !traits.encryptedKeyIsEmpty else {
            throw .malformed(ParseFailure(.encryptedKey, .parts))
        }
        guard parsed.iv.count == parsed.content.core.ivBytes else {
            throw .malformed(ParseFailure(.initializationVector, .length))
        }
        return try WrapMembers(parsed.header, traits, shared.policy.limits)
    }

    /// Selects the keys, after every other check that needs no private-key operation, and charges their PBKDF2
    /// iterations. `rounds` are those that may still be spent. With `keepsCiphertext`, the ciphertext is left for the
    /// next recipient.
    @inline(__always)
    func selectKeys<Key: DecryptingKey>(
        _ parsed: ParsedJWE, from ready: ReadyKeys<Key>, keepsCiphertext: Bool, _ token: inout TokenKeys<Key>,
        _ rounds: inout Int
    ) throws(JOSEError) -> DecryptionAttempts<Key> {
        // These checks come before the source is asked, so that a malformed token is rejected for good where the source
        // has no keys at this moment.
        let members = try members(parsed)
        let snapshot = try token.take(from: ready)
        do throws(JOSEError) {
            let traits = parsed.algorithm.core.traits
            let algorithm = parsed.algorithm
            let content = parsed.content
            let found = try snapshot.keys.candidates(
                for: parsed.header, fit: 1 << UInt32(algorithm.core.rawValue)
            ) {
                $0.takes(traits, content)
            } otherwise: {
                $0.unsuitability(for: algorithm) ?? .size
            }
            try members.spend(&rounds, keys: found.count)
            return DecryptionAttempts(found, of: snapshot, members, keepsCiphertext: keepsCiphertext)
        } catch {
            throw snapshot.missed(parsed.header, error)
        }
    }

    /// Selects the keys and decrypts. With `keepsCiphertext`, `plaintext` is unchanged where no key succeeds, for the
    /// next recipient. `entered` is the limiter in which the caller has a slot already.
    func decrypt(
        _ parsed: ParsedJWE, aad: Span<UInt8>, keepsCiphertext: Bool = false, within entered: DecryptionLimiter? = nil,
        _ token: inout TokenKeys<DecryptionKey>, _ rounds: inout Int, _ plaintext: inout SecretBytes
    ) throws(JOSEError) -> JWK {
        var attempts = try selectKeys(parsed, from: keys, keepsCiphertext: keepsCiphertext, &token, &rounds)
        return try decrypt(parsed, aad: aad, within: entered, nil, &attempts, &plaintext)
    }

    /// Decrypts with the first of the selected keys that succeeds, reports it to its source and returns it; throws
    /// `decryptionFailed` where none does. Costly decryption takes a slot of the limiter, unless `unwrapped` is the
    /// content encryption key, which was decrypted together with others.
    func decrypt(
        _ parsed: ParsedJWE, aad: Span<UInt8>, within entered: DecryptionLimiter?, _ unwrapped: UnwrappedKey?,
        _ attempts: inout DecryptionAttempts<DecryptionKey>, _ plaintext: inout SecretBytes
    ) throws(JOSEError) -> JWK {
        let key: JWK
        do throws(JOSEError) {
            let needsSlot = unwrapped == nil && shared.policy.limiter !== entered
            let limiter = needsSlot ? parsed.limiter(of: shared.policy) : nil
            try limiter?.enter()
            defer { limiter?.leave() }
            key = try firstKey(for: parsed, aad: aad, unwrapped, &attempts, &plaintext)
        } catch {
            throw attempts.snapshot.missed(parsed.header, error)
        }
        attempts.snapshot.reportUse(of: key)
        return key
    }

    private func firstKey(
        for parsed: ParsedJWE, aad: Span<UInt8>, _ unwrapped: UnwrappedKey?,
        _ attempts: inout DecryptionAttempts<DecryptionKey>, _ plaintext: inout SecretBytes
    ) throws(JOSEError) -> JWK {
        while let key = attempts.next {
            let members = attempts.members
            do throws(JOSEError) {
                let isDecrypted = try attempts.run(&plaintext) { plaintext throws(JOSEError) in
                    if let unwrapped {
                        return try unsafe decrypt(parsed, aad: aad, &plaintext) { cek throws(JOSEError) in
                            unwrapped.bytes.withBytes { unsafe fill(cek, with: $0) }
                        }
                    }
                    return try decrypt(parsed, aad: aad, &plaintext, by: key, members)
                }
                if isDecrypted { return key.jwk }
            } catch {
                try attempts.fail(error)
            }
        }
        throw attempts.failure
    }

    /// Decrypts with a key in the process. Returns false where the tag is invalid.
    func decrypt(
        _ parsed: ParsedJWE, aad: Span<UInt8>, _ plaintext: inout SecretBytes, by key: DecryptionKey,
        _ members: WrapMembers
    ) throws(JOSEError) -> Bool {
        try unsafe decrypt(parsed, aad: aad, &plaintext) { cek throws(JOSEError) in
            let bytes = parsed.bytes
            return try unsafe key.unwrap(
                parsed.algorithm.core.traits, members, parsed.content.core, header: parsed.header,
                encryptedKey: bytes.span.extracting(parsed.key), into: cek)
        }
    }

    /// Returns false where the tag is invalid. `unwrap` fills the content encryption key; where it cannot, it returns
    /// false, and random bytes take the key's place, so that the tag fails and nobody can tell which step did (RFC
    /// 7516, 11.5; threat T21).
    @inline(__always)  // Otherwise the closure's context of references is counted for each token.
    func decrypt(
        _ parsed: ParsedJWE, aad: Span<UInt8>, _ plaintext: inout SecretBytes,
        unwrap: (UnsafeMutableRawBufferPointer) throws(JOSEError) -> Bool
    ) throws(JOSEError) -> Bool {
        let content = parsed.content.core
        let bytes = parsed.bytes.span
        let iv = parsed.iv
        let tag = parsed.tag
        return try unsafe withSecretScratch(content.keyBytes) { cek throws(JOSEError) in
            if try !(unsafe unwrap(cek)) {
                do throws(CryptoError) { try unsafe Random.fill(cek) } catch { throw .backend }
            }
            do throws(CryptoError) {
                try unsafe content.decrypt(
                    cek: UnsafeRawBufferPointer(cek).bindMemory(to: UInt8.self).span, iv: bytes.extracting(iv),
                    aad: aad, tag: bytes.extracting(tag), inPlace: &plaintext)
            } catch {
                if case .backend = error { throw .backend }
                return false
            }
            guard plaintext.count <= shared.policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
            if parsed.header.value(.zip) != nil { try inflate(&plaintext) }
            return true
        }
    }

    /// Decompresses the plaintext, after its tag was verified (RFC 7516, 5.2, step 16).
    private func inflate(_ plaintext: inout SecretBytes) throws(JOSEError) {
        let maximum = shared.policy.limits.plaintextBytes
        do throws(Deflate.Fault) {
            let text = try plaintext.withBytes { stream throws(Deflate.Fault) in
                try Deflate.inflate(stream, maximum: maximum)
            }
            plaintext = text
        } catch {
            switch error {
            case .invalid: throw .decompressionFailed
            case .tooLong: throw .limitExceeded(.plaintextBytes)
            case .backend: throw .backend
            }
        }
    }

    /// Checks the header against the policy, and returns its algorithms. `protected` is the part of it that is
    /// authenticated.
    func allowed(
        _ header: JOSEHeader, protected: JOSEHeader
    ) throws(JOSEError) -> (KeyManagementAlgorithm, ContentEncryption) {
        let bytes = header.bytes.span
        guard let alg = header.value(.alg) else { throw .headerInvalid(.algorithmMissing) }
        guard let enc = header.value(.enc) else { throw .headerInvalid(.contentEncryptionMissing) }
        if let zip = header.value(.zip) {
            guard shared.policy.allowsCompression, zip.equals("DEF", in: bytes) else {
                throw .headerInvalid(.compression)
            }
            guard Deflate.isBuilt else { throw .headerInvalid(.compressionNotBuilt) }
        }
        try protected.checkUnderstood(shared.policy.understoodCritical)
        try protected.check(type: shared.policy.type, contentType: shared.policy.contentType)
        guard
            let algorithm = shared.policy.keyManagement.first(where: { alg.equals($0.core.traits.name, in: bytes) })
                ?? aliased(alg, in: bytes)
        else { throw .algorithmNotAllowed(.keyManagement) }
        guard
            let content = shared.policy.contentEncryption.first(where: { enc.equals($0.core.registeredName, in: bytes) }
            )
        else { throw .algorithmNotAllowed(.contentEncryption) }
        return (algorithm, content)
    }

    private func aliased(_ alg: JSONValue, in bytes: Span<UInt8>) -> KeyManagementAlgorithm? {
        guard let alias = shared.policy.alias, alg.equals(alias.name, in: bytes),
            shared.policy.keyManagement.contains(alias.keyManagement)
        else { return nil }
        return alias.keyManagement
    }
}

/// A decrypted JWE. Only a ``JWEDecrypter`` creates one.
public struct DecryptedJWE: Sendable {
    /// The protected header, which the authentication tag covers.
    public let header: JOSEHeader
    /// The plaintext, whose authentication tag was verified. The library has wiped its own memory for it; wipe this
    /// copy yourself if it is secret.
    public let plaintext: [UInt8]
}
