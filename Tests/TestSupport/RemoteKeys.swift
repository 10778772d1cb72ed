package import JOSE
internal import JOSECrypto
internal import JOSESupport

/// A key service in this process that behaves like a remote one: it can be slow, wrong or unavailable.
package actor RemoteService {
    package enum Mood: Sendable {
        case well
        case failing(any Error & Sendable)
        /// The service answers after this time, or ends with the task.
        case slow(Duration)
        /// The service answers with the result of this function on the right answer.
        case lying(@Sendable ([UInt8]) -> [UInt8])
        /// The service reports that the data is invalid.
        case refusing
        /// The service ignores the cancellation of the task, and answers when ``release()`` is called.
        case deaf
    }
    package enum Fault: Error, Equatable, Sendable {
        case offline
        case throttled(Int)
    }
    package private(set) var calls = 0
    package private(set) var maximumAtOnce = 0
    package private(set) var cancelled = 0
    private var atOnce = 0
    private var mood: Mood
    private var held: [CheckedContinuation<Void, Never>] = []

    package init(_ mood: Mood = .well) { self.mood = mood }

    package func set(_ mood: Mood) { self.mood = mood }

    /// Lets all calls go on that came while the service was deaf, and ends that.
    package func release() {
        mood = .well
        for call in held { call.resume() }
        held = []
    }

    private func hold() async {
        guard case .deaf = mood else { return }
        await withCheckedContinuation { held.append($0) }
    }

    /// Counts a call that begins. It waits outside the actor, like one over a network.
    fileprivate func begin() -> Mood {
        calls += 1
        atOnce += 1
        maximumAtOnce = max(maximumAtOnce, atOnce)
        return mood
    }

    fileprivate func end(cancelled isCancelled: Bool) {
        atOnce -= 1
        if isCancelled { cancelled += 1 }
    }

    fileprivate nonisolated func answer(_ make: () throws -> [UInt8]?) async throws -> [UInt8]? {
        let mood = await begin()
        do {
            if case .deaf = mood { await hold() }
            let answer = try await Self.answer(mood, make)
            await end(cancelled: false)
            return answer
        } catch {
            await end(cancelled: error is CancellationError)
            throw error
        }
    }

    private static func answer(_ mood: Mood, _ make: () throws -> [UInt8]?) async throws -> [UInt8]? {
        switch mood {
        case .well, .deaf: return try make()
        case .failing(let error): throw error
        case .slow(let time):
            try await Task.sleep(for: time)
            return try make()
        case .lying(let change): return try make().map(change)
        case .refusing: return nil
        }
    }
}

package struct RemoteSigner: ExternalSigner {
    package let service: RemoteService
    package let publicKey: PublicKey
    package var ecdsaForm: ECDSAForm
    private let key: PrivateKey

    package init(_ key: PrivateKey, _ service: RemoteService = RemoteService(), ecdsaForm: ECDSAForm = .joined) {
        self.service = service
        self.key = key
        publicKey = key.publicKey
        self.ecdsaForm = ecdsaForm
    }

    /// Creates a signer of the key under another public key.
    package init(_ key: PrivateKey, goingBy publicKey: PublicKey) {
        service = RemoteService()
        self.key = key
        self.publicKey = publicKey
        ecdsaForm = .joined
    }

    package func sign(_ request: SigningRequest) async throws -> [UInt8] {
        try await service.answer { try signature(request) } ?? []
    }

    private func signature(_ request: SigningRequest) throws -> [UInt8] {
        switch (key.material, request.algorithm.core.traits.engine) {
        case (.asymmetric(let key), .scheme(let scheme)): try key.sign(scheme, request.message.span)
        case (.asymmetric(let key), .edDSA): try key.sign(.ed448, request.message.span)
        case (.ed25519(let key), _): try key.sign(request.message.span)
        default: throw RemoteService.Fault.offline
        }
    }
}

package struct RemoteUnwrapper: ExternalUnwrapper {
    package let service: RemoteService
    package let key: ExternalKeyName
    private let jwk: JWK

    /// Creates an unwrapper of an RSA or an AES key.
    package init(_ jwk: JWK, _ service: RemoteService = RemoteService()) {
        self.service = service
        self.jwk = jwk
        switch (jwk, jwk.kind) {
        case (.symmetricKey(let secret), .octets(let bits)):
            key = .aes(
                bits: bits, keyID: secret.keyID,
                algorithm: secret.algorithm.flatMap { KeyManagementAlgorithm(name: $0) })
        case (.privateKey(let key), _): self.key = .rsa(key.publicKey)
        default: preconditionFailure("no key that unwraps")
        }
    }

    package func unwrap(_ request: UnwrapRequest) async throws -> ExternalSecret? {
        guard let bytes = try await service.answer({ unwrapped(request) }) else { return nil }
        return ExternalSecret(bytes)
    }

    private func unwrapped(_ request: UnwrapRequest) -> [UInt8]? {
        var key = SecretBytes(capacity: request.keyBytes)
        let held = unsafe key.withMutableBytes { out in
            do throws(CryptoError) {
                switch (jwk, request.algorithm.core.traits.engine) {
                case (.privateKey(let key), .oaep(let hash)):
                    guard case .asymmetric(let key) = key.material else { return false }
                    try unsafe key.oaepDecrypt(hash, request.encryptedKey.span, into: out)
                case (.symmetricKey(let key), .wrap):
                    try key.material.withBytes { kek throws(CryptoError) in
                        try unsafe WrapKey.unwrapOnce(kek: kek, wrapped: request.encryptedKey.span, into: out)
                    }
                case (.symmetricKey(let key), .gcmWrap):
                    try unsafe GCMWrapKey(key.material).unwrap(
                        request.encryptedKey.span, iv: request.initializationVector.span, tag: request.tag.span,
                        into: out)
                default: return false
                }
                return true
            } catch {
                return false
            }
        }
        guard held else { return nil }
        key.setCount(request.keyBytes)
        return key.copy()
    }
}

package struct RemoteAgreement: ExternalAgreement {
    package let service: RemoteService
    package let publicKey: PublicKey
    private let key: PrivateKey

    package init(_ key: PrivateKey, _ service: RemoteService = RemoteService()) {
        self.service = service
        self.key = key
        publicKey = key.publicKey
    }

    package func agree(with ephemeralKey: PublicKey) async throws -> ExternalSecret? {
        guard let z = try await service.answer({ agreed(ephemeralKey) }) else { return nil }
        return ExternalSecret(z)
    }

    private func agreed(_ other: PublicKey) -> [UInt8]? {
        let (point, count): ([UInt8], Int) =
            switch other.members {
            case .ec(_, let x, let y): ([4] + x + y, x.count)
            case .x25519(let raw), .raw(_, let raw): (raw, raw.count)
            case .rsa, .ed25519: ([], 0)
            }
        var z = SecretBytes(capacity: count)
        let held = unsafe z.withMutableBytes { out in
            do throws(CryptoError) {
                switch key.material {
                case .asymmetric(let key): try unsafe key.agree(point: point.span, into: out)
                case .x25519(let key): try unsafe key.agree(point: point.span, into: out)
                case .ed25519: return false
                }
                return true
            } catch {
                return false
            }
        }
        guard held else { return nil }
        z.setCount(count)
        return z.copy()
    }
}
