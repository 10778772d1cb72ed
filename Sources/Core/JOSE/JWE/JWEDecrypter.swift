package import JOSEBytes
internal import JOSECrypto

/// Decrypts compact JWE (RFC 7516, 5.2) with our keys under one policy. Made once, shared freely.
public struct JWEDecrypter: Sendable {
    /// As it was given when this was made.
    public let policy: EncryptionPolicy
    let keys: ReadyKeys<DecryptionKey>
    /// Where the keys come from, when they may change.
    package var source: (any KeySource)? { keys.source }
    /// Whether its keys may change.
    package var isFollowing: Bool { !keys.isFixed }
    /// Which keys it has now; nil where its source has none.
    package var generation: KeyGeneration? { keys.generation() }

    /// Of `keys`, the private and symmetric ones are used. With a source that may change, each token is decrypted by those that it
    /// has at that moment.
    public init(keys: any KeySource, policy: EncryptionPolicy) {
        self.policy = policy
        let algorithms = policy.keyManagement
        self.keys = ReadyKeys(keys) { key, _ in DecryptionKey(key, for: algorithms) }
    }

    /// Checks in this order: size, shape, header, allow-list, key, then the cryptography, whose every failure is
    /// `decryptionFailed`.
    public func decrypt(_ jwe: Span<UInt8>) throws(JOSEError) -> DecryptedJWE {
        var plaintext = SecretBytes(capacity: 0)
        let header = try open(jwe, into: &plaintext).header
        return DecryptedJWE(header: header, plaintext: plaintext.copy())
    }

    /// The same of bytes in an array.
    public func decrypt(_ jwe: [UInt8]) throws(JOSEError) -> DecryptedJWE { try decrypt(jwe.span) }
    /// The same of a text.
    public func decrypt(_ jwe: String) throws(JOSEError) -> DecryptedJWE { try decrypt(jwe.utf8.span) }

    /// The same with the plaintext in memory that is wiped: what a nested token reads its inner layer from.
    /// `held`: the limiter in which the caller has a place already.
    package func open(
        _ jwe: Span<UInt8>, into plaintext: inout SecretBytes, within held: DecryptionLimiter? = nil
    ) throws(JOSEError) -> (header: JOSEHeader, key: JWK) {
        let sealed = try read(jwe, into: &plaintext)
        var rounds = policy.limits.maxPBKDF2Iterations
        let segment = jwe.extracting(0..<sealed.headerCount)
        let key = try open(sealed, aad: segment, within: held, &rounds, &plaintext)
        if !sealed.isKnown { remember(segment, sealed) }
        return (sealed.header, key)
    }

    /// For the tokens to come, after one whose tag held.
    private func remember(_ segment: Span<UInt8>, _ sealed: SealedJWE) {
        guard !sealed.algorithm.core.traits.headerVaries, keys.headers.wants(segment) else { return }
        keys.headers.keep(AllowedEncryption(segment, sealed.header, sealed.algorithm, sealed.content))
    }

    /// All that this policy asks of a token besides the key, which another decrypter found: so that one that takes what several
    /// policies allow between them lets through no more than the one that counts.
    package func admit(_ jwe: Span<UInt8>, plaintextCount: Int) throws(JOSEError) -> JOSEHeader {
        var ciphertext = SecretBytes(capacity: 0)
        let sealed = try read(jwe, into: &ciphertext)
        var rounds = policy.limits.maxPBKDF2Iterations
        try members(sealed).spend(&rounds, keys: 1)
        guard plaintextCount <= policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        return sealed.header
    }

    /// All that is settled before a key is looked for; the ciphertext goes where the plaintext will be.
    func read(_ jwe: Span<UInt8>, into plaintext: inout SecretBytes) throws(JOSEError) -> SealedJWE {
        let parts = try CompactParts(jwe, count: 5, limits: policy.limits)
        let pieces = try JWEPieces(jwe, parts, policy.limits, &plaintext)
        let segment = jwe.extracting(parts.range(0))
        if let known = keys.headers.find(segment) {
            return SealedJWE(
                header: known.header, headerCount: segment.count, isKnown: true, algorithm: known.algorithm,
                content: known.content, pieces: pieces)
        }
        let header = try JOSEHeader(segment: segment, limits: policy.limits)
        let (algorithm, content) = try allowed(header, protected: header)
        return SealedJWE(
            header: header, headerCount: segment.count, algorithm: algorithm, content: content, pieces: pieces)
    }

    /// What the algorithm wants of the parts and of the header, before a key is looked for.
    func members(_ sealed: SealedJWE) throws(JOSEError) -> WrapMembers {
        let traits = sealed.algorithm.core.traits
        // RFC 7516, 5.2, step 10.
        guard sealed.pieces.key.isEmpty || !traits.encryptedKeyIsEmpty else {
            throw .malformed(ParseFailure(.encryptedKey, .parts))
        }
        guard sealed.pieces.iv.count == sealed.content.core.ivBytes else {
            throw .malformed(ParseFailure(.initializationVector, .length))
        }
        return try WrapMembers(sealed.header, traits, policy.limits)
    }

    /// Gives the key that opens it; `decryptionFailed` where none does. `keepsCiphertext`: also then `plaintext` is left
    /// as it was, for another recipient's turn. `rounds`: of PBKDF2, that may still be spent.
    func open(
        _ sealed: SealedJWE, aad: Span<UInt8>, keepsCiphertext: Bool = false, within held: DecryptionLimiter? = nil,
        _ rounds: inout Int, _ plaintext: inout SecretBytes
    ) throws(JOSEError) -> JWK {
        let limiter = policy.limiter === held ? nil : policy.limiter
        guard !keys.isFixed, let source = keys.source else {
            return try open(keys.fixed, sealed, aad: aad, keepsCiphertext: keepsCiphertext, limiter, &rounds, &plaintext)
        }
        let held = try keys.current(source)
        let key: JWK
        do throws(JOSEError) {
            key = try open(held.keys, sealed, aad: aad, keepsCiphertext: keepsCiphertext, limiter, &rounds, &plaintext)
        } catch {
            throw keys.miss(source, sealed.header, held, error)
        }
        source.reportUse(of: key)
        return key
    }

    private func open(
        _ keys: CandidateKeys<DecryptionKey>, _ sealed: SealedJWE, aad: Span<UInt8>, keepsCiphertext: Bool,
        _ limiter: DecryptionLimiter?, _ rounds: inout Int, _ plaintext: inout SecretBytes
    ) throws(JOSEError) -> JWK {
        let traits = sealed.algorithm.core.traits
        let content = sealed.content
        let algorithm = sealed.algorithm
        let members = try members(sealed)
        let bit: UInt32 = 1 << UInt32(algorithm.core.rawValue)
        let found = try keys.candidates(for: sealed.header, fit: bit) {
            $0.takes(traits, content)
        } otherwise: {
            KeySelection.unsuitability(of: $0.jwk, for: algorithm, .decrypt) ?? .size
        }
        try members.spend(&rounds, keys: found.count)
        // All that can be refused without a key's work has been.
        let limiter = traits.isCostly ? limiter : nil
        try limiter?.enter()
        defer { limiter?.leave() }
        for place in 0..<found.count {
            let isLast = place == found.count - 1 && !keepsCiphertext
            let key = keys[found.places[place]]
            if isLast {
                if try open(key, sealed, members, aad: aad, &plaintext) { return key.jwk }
            } else {
                var copy = plaintext.withBytes { SecretBytes(copying: $0) }
                do throws(JOSEError) {
                    if try open(key, sealed, members, aad: aad, &copy) {
                        plaintext = copy
                        return key.jwk
                    }
                } catch {
                    // A key on another curve than the sender's; the next may be on it.
                    guard error == .headerInvalid(.ephemeralKey), place < found.count - 1 else { throw error }
                }
            }
        }
        throw .decryptionFailed
    }

    func open(
        _ key: DecryptionKey, _ sealed: SealedJWE, _ members: WrapMembers, aad: Span<UInt8>,
        _ plaintext: inout SecretBytes
    ) throws(JOSEError) -> Bool {
        try unsafe open(sealed, aad: aad, &plaintext) { cek throws(JOSEError) in
            let bytes = sealed.pieces.bytes
            return try unsafe key.unwrap(
                sealed.algorithm.core.traits, members, sealed.content.core, header: sealed.header,
                encryptedKey: bytes.span.extracting(sealed.pieces.key), into: cek)
        }
    }

    /// False where the tag does not hold. `unwrap` fills the content encryption key; where it cannot, it says false, and random bytes
    /// go on in its place, so that the tag is what fails and nobody learns which step did (RFC 7516, 11.5; threat T21).
    @inline(__always)  // the closure would be a context of references, counted for each token
    func open(
        _ sealed: SealedJWE, aad: Span<UInt8>, _ plaintext: inout SecretBytes,
        unwrap: (UnsafeMutableRawBufferPointer) throws(JOSEError) -> Bool
    ) throws(JOSEError) -> Bool {
        let content = sealed.content.core
        let bytes = sealed.pieces.bytes.span
        let iv = sealed.pieces.iv
        let tag = sealed.pieces.tag
        return try unsafe withSecretScratch(content.keyBytes) { cek throws(JOSEError) in
            if try !(unsafe unwrap(cek)) {
                do throws(CryptoError) { try unsafe Random.fill(cek) } catch { throw .backend }
            }
            do throws(CryptoError) {
                try unsafe content.open(
                    cek: UnsafeRawBufferPointer(cek).bindMemory(to: UInt8.self).span, iv: bytes.extracting(iv),
                    aad: aad, tag: bytes.extracting(tag), inPlace: &plaintext)
            } catch {
                if case .backend = error { throw .backend }
                return false
            }
            guard plaintext.count <= policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
            if sealed.header.value(.zip) != nil { try inflate(&plaintext) }
            return true
        }
    }

    /// RFC 7516, 5.2, step 16, once the tag has held.
    private func inflate(_ plaintext: inout SecretBytes) throws(JOSEError) {
        let most = policy.limits.plaintextBytes
        do throws(Deflate.Fault) {
            let text = try plaintext.withBytes { stream throws(Deflate.Fault) in
                try Deflate.inflate(stream, most: most)
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

    /// What the header says against what the policy wants. `protected`: the part of it that is authenticated.
    func allowed(
        _ header: JOSEHeader, protected: JOSEHeader
    ) throws(JOSEError) -> (KeyManagementAlgorithm, ContentEncryption) {
        let bytes = header.bytes.span
        guard let alg = header.value(.alg) else { throw .headerInvalid(.algorithmMissing) }
        guard let enc = header.value(.enc) else { throw .headerInvalid(.contentEncryptionMissing) }
        if let zip = header.value(.zip) {
            guard policy.allowsCompression, zip.equals("DEF", in: bytes) else { throw .headerInvalid(.compression) }
            guard Deflate.isBuilt else { throw .headerInvalid(.compressionNotBuilt) }
        }
        try protected.checkUnderstood(policy.understoodCritical)
        try protected.check(type: policy.type, contentType: policy.contentType)
        guard
            let algorithm = policy.keyManagement.first(where: { alg.equals($0.core.traits.name, in: bytes) })
                ?? aliased(alg, in: bytes)
        else { throw .algorithmNotAllowed(.keyManagement) }
        guard let content = policy.contentEncryption.first(where: { enc.equals($0.core.registeredName, in: bytes) })
        else { throw .algorithmNotAllowed(.contentEncryption) }
        return (algorithm, content)
    }

    private func aliased(_ alg: JSONValue, in bytes: Span<UInt8>) -> KeyManagementAlgorithm? {
        guard let alias = policy.alias, alg.equals(alias.name, in: bytes),
            policy.keyManagement.contains(alias.keyManagement)
        else { return nil }
        return alias.keyManagement
    }
}

/// What a JWE held. Only a `JWEDecrypter` makes one.
public struct DecryptedJWE: Sendable {
    /// Protected: the tag holds it to the ciphertext.
    public let header: JOSEHeader
    /// Copied out of wiped memory once the tag held; from here on the caller's.
    public let plaintext: [UInt8]
}
