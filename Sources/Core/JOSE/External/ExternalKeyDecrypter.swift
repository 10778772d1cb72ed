package import JOSEBytes
internal import JOSECrypto

/// Decrypts compact JWE as `JWEDecrypter` does, with keys of which some or all are outside the process. Made once, shared freely.
///
/// All that can be refused without a key is refused before another party is asked. Its calls throw `JOSEError`, and
/// `CancellationError` where the task was cancelled.
public struct ExternalKeyDecrypter: Sendable {
    /// Every step that is not another party's.
    let local: JWEDecrypter
    private let keys: CandidateKeys<AnyDecryptionKey>
    /// As it was given when this was made.
    public var policy: EncryptionPolicy { local.policy }

    /// Keys that fit a header are tried in this order: those of the set, then `external`, four at most. `keys` serves the time in which
    /// tokens for a former key still come.
    public init(keys: KeySet = .empty, external: [ExternalDecryptionKey], policy: EncryptionPolicy) {
        local = JWEDecrypter(keys: KeySet.empty, policy: policy)
        let outside = external.map { AnyDecryptionKey($0, for: policy.keyManagement) }
        self.keys = CandidateKeys(
            keys, { AnyDecryptionKey(DecryptionKey($0, for: policy.keyManagement)) }, further: outside)
    }

    /// Checks in the order of `JWEDecrypter`. Where several keys fit and one of them opens the token, it does not matter that others
    /// failed; where none does, a failure of an external key is thrown before `decryptionFailed`.
    public func decrypt(_ jwe: [UInt8]) async throws -> DecryptedJWE {
        var plaintext = SecretBytes(capacity: 0)
        let header = try await open(jwe, into: &plaintext)
        return DecryptedJWE(header: header, plaintext: plaintext.copy())
    }

    /// The same of a text.
    public func decrypt(_ jwe: String) async throws -> DecryptedJWE { try await decrypt(Array(jwe.utf8)) }

    /// `limit`: how long at most it waits at the policy's limiter, which has its own bound too.
    package func open(
        _ jwe: [UInt8], into plaintext: inout SecretBytes, timeout limit: Duration? = nil
    ) async throws -> JOSEHeader {
        let sealed = try local.read(jwe.span, into: &plaintext)
        let aad = Array(jwe[..<sealed.headerCount])
        var rounds = policy.limits.maxPBKDF2Iterations
        _ = try await open(sealed, aad: aad, timeout: limit, &rounds, &plaintext)
        return sealed.header
    }

    /// The mirror of the step of `JWEDecrypter`.
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

    /// Zeros alone are what a point of small order agrees on (RFC 7748, 6.1 and 6.2; T20).
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
