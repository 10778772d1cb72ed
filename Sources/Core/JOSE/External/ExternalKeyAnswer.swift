internal import JOSECrypto
internal import JOSESupport

/// The part of a key in a decryption: the answer of an external key, or a key in the process itself.
enum ExternalKeyAnswer: ~Copyable {
    case local(DecryptionKey)
    /// The content encryption key; nil where the encrypted key is invalid.
    case unwrapped(ExternalSecret?)
    /// The secret of a key agreement.
    case agreed(ExternalSecret)

    /// Calls the key if it is an external one. `end` bounds the wait for its answer.
    static func of(
        _ key: some DecryptingKey, _ parsed: ParsedJWE, _ members: WrapMembers, until end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> ExternalKeyAnswer {
        switch key.access {
        case .local(let key): return .local(key)
        case .unwrapper(let unwrapper):
            let request = UnwrapRequest(parsed, members)
            guard request.isPossible(for: key.kind) else { return .unwrapped(nil) }
            return .unwrapped(try await askExternalKey(until: end) { try await unwrapper.unwrap(request) })
        case .agreement(let agreement):
            let point = try EphemeralKey.publicKey(parsed.header, on: key.kind)
            guard let secret = try await askExternalKey(until: end, { try await agreement.agree(with: point) }),
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

    /// Returns whether the lengths are possible for a key of this kind. The external key is not called for others.
    fileprivate func isPossible(for kind: KeyKind) -> Bool {
        switch (algorithm.core.traits.engine, kind) {
        case (.oaep, .rsa(let bits)): encryptedKey.count == (bits + 7) / 8
        case (.wrap, _): encryptedKey.count == keyBytes + 8
        case (.gcmWrap, _): encryptedKey.count == keyBytes && tag.count == 16
        default: false
        }
    }
}
