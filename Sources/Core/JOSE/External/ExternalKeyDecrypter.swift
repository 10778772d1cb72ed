package import JOSEBytes
internal import JOSECrypto

/// A decrypter of compact JWE with keys outside the process, for instance in an HSM or a key management service. Keys
/// in the process can be used beside them.
///
/// An external key is called only after all checks that need no key have passed. Create one instance and share it
/// between tasks.
public struct ExternalKeyDecrypter: Sendable {
    /// The decrypter that takes every step that no external key takes.
    let local: JWEDecrypter
    private let keys: CandidateKeys<AnyDecryptionKey>
    /// The policy that was passed to the initializer.
    public var policy: EncryptionPolicy { local.policy }

    /// Creates a decrypter.
    ///
    /// - Parameters:
    ///   - keys: Keys in the process; for instance the previous key, while tokens for it still arrive.
    ///   - external: Keys outside the process.
    ///   - policy: The allowed algorithms and the limits. Keys that fit a header are tried in the order of `keys`, then
    ///     of `external`; a token that more than four keys fit is rejected.
    public init(keys: KeySet = .empty, external: [ExternalDecryptionKey], policy: EncryptionPolicy) {
        local = JWEDecrypter(keys: KeySet.empty, policy: policy)
        let outside = external.map { AnyDecryptionKey($0, for: policy.keyManagement) }
        self.keys = CandidateKeys(
            keys, { AnyDecryptionKey(DecryptionKey($0, for: policy.keyManagement)) }, additional: outside)
    }

    /// Decrypts a compact JWE, given as ASCII bytes.
    ///
    /// - Throws: `JOSEError`, and `CancellationError` if the task was cancelled. If several keys fit and one of them
    ///   decrypts the token, failures of the others are ignored. If none does, `externalKey` takes precedence over
    ///   `decryptionFailed`.
    public func decrypt(_ jwe: [UInt8]) async throws -> DecryptedJWE {
        var plaintext = SecretBytes(capacity: 0)
        let header = try await open(jwe, into: &plaintext)
        return DecryptedJWE(header: header, plaintext: plaintext.copy())
    }

    /// Decrypts a compact JWE.
    ///
    /// - Throws: `JOSEError`, and `CancellationError` if the task was cancelled. If several keys fit and one of them
    ///   decrypts the token, failures of the others are ignored. If none does, `externalKey` takes precedence over
    ///   `decryptionFailed`.
    public func decrypt(_ jwe: String) async throws -> DecryptedJWE { try await decrypt(Array(jwe.utf8)) }

    /// Decrypts a compact JWE into memory that is wiped, and returns its header. `limit` bounds the wait at the
    /// policy's limiter, which has its own bound too.
    package func open(
        _ jwe: [UInt8], into plaintext: inout SecretBytes, timeout limit: Duration? = nil
    ) async throws -> JOSEHeader {
        let sealed = try local.read(jwe.span, into: &plaintext)
        let aad = Array(jwe[..<sealed.headerCount])
        var rounds = policy.limits.maxPBKDF2Iterations
        _ = try await open(sealed, aad: aad, timeout: limit, &rounds, &plaintext)
        return sealed.header
    }

    /// Decrypts with the first key that succeeds and returns it. The step corresponds to that of `JWEDecrypter`.
    func open(
        _ sealed: SealedJWE, aad: [UInt8], keepsCiphertext: Bool = false, timeout limit: Duration? = nil,
        _ rounds: inout Int, _ plaintext: inout SecretBytes
    ) async throws -> JWK? {
        let traits = sealed.algorithm.core.traits
        let members = try local.members(sealed)
        let bit: UInt32 = 1 << UInt32(sealed.algorithm.core.rawValue)
        let found = try keys.candidates(for: sealed.header, fit: bit) {
            $0.takes(traits, sealed.content)
        } otherwise: {
            $0.unsuitability(for: sealed.algorithm) ?? .size
        }
        try members.spend(&rounds, keys: found.count)
        let limiter = traits.isCostly ? policy.limiter : nil
        try await limiter?.enter(timeout: limit)
        defer { limiter?.leave() }
        var failure = JOSEError.decryptionFailed
        for place in 0..<found.count {
            let key = keys[found.places[place]]
            let isLast = place == found.count - 1
            do {
                if isLast, !keepsCiphertext {
                    if try await open(key, sealed, members, aad, &plaintext) { return key.jwk }
                } else {
                    var copy = plaintext.withBytes { SecretBytes(copying: $0) }
                    if try await open(key, sealed, members, aad, &copy) {
                        plaintext = copy
                        return key.jwk
                    }
                }
            } catch let error as JOSEError {
                switch error {
                case .externalKey: failure = error
                case .headerInvalid(.ephemeralKey) where !isLast: break
                default: throw error
                }
            }
        }
        throw failure
    }

    private func open(
        _ key: AnyDecryptionKey, _ sealed: SealedJWE, _ members: WrapMembers, _ aad: [UInt8],
        _ plaintext: inout SecretBytes
    ) async throws -> Bool {
        let traits = sealed.algorithm.core.traits
        switch key.engine {
        case .local(let key): return try local.open(key, sealed, members, aad: aad.span, &plaintext)
        case .unwrapper(let unwrapper):
            let request = UnwrapRequest(sealed, members)
            let answer = key.couldHold(request) ? try await askExternalKey { try await unwrapper.unwrap(request) } : nil
            return try unsafe local.open(sealed, aad: aad.span, &plaintext) { cek throws(JOSEError) in
                switch answer {
                case .none: false
                case .some(let secret): secret.withBytes { unsafe Self.fill(cek, with: $0) }
                }
            }
        case .agreement(let agreement):
            guard case .agreement(let wrapBytes) = traits.engine else { throw JOSEError.keyUnsuitable(.kind) }
            let point = try EphemeralKey.publicKey(sealed.header, on: key.kind)
            let answer = try await askExternalKey { try await agreement.agree(with: point) }
            guard let answer, answer.withBytes({ Self.isAgreed($0, on: key.kind) }) else {
                throw JOSEError.decryptionFailed
            }
            let (bytes, place) = (sealed.pieces.bytes, sealed.pieces.key)
            return try unsafe local.open(sealed, aad: aad.span, &plaintext) { cek throws(JOSEError) in
                try answer.withBytes { z throws(JOSEError) in
                    try unsafe DecryptionKey.derive(
                        z: z, traits, sealed.content.core, wrapBytes, sealed.header, bytes.span.extracting(place),
                        into: cek)
                }
            }
        }
    }

    private static func fill(_ cek: UnsafeMutableRawBufferPointer, with bytes: Span<UInt8>) -> Bool {
        guard bytes.count == cek.count else { return false }
        unsafe bytes.withUnsafeBytes { unsafe cek.copyMemory(from: $0) }
        return true
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
    fileprivate init(_ sealed: SealedJWE, _ members: WrapMembers) {
        algorithm = sealed.algorithm
        encryptedKey = Array(sealed.pieces.bytes[sealed.pieces.key])
        keyBytes = sealed.content.core.keyBytes
        if case .gcm(let iv, let tag) = members {
            (initializationVector, self.tag) = (iv, tag)
        } else {
            (initializationVector, tag) = ([], [])
        }
    }
}
