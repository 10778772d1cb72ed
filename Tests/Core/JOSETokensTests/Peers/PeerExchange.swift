import JOSE
import Testing

/// Tokens and keys both ways between this library and one peer: what one makes, the other takes, and neither takes
/// it with a bit turned over.
struct PeerExchange {
    let peer: Peer
    let support: PeerSupport
    let payloads: [[UInt8]] = [Array("{\"é\":[1,true]}".utf8), [], (0..<700).map { UInt8(truncatingIfNeeded: $0) }]

    init(_ peer: Peer) async throws {
        self.peer = peer
        support = try await peer.support()
    }

    func has(_ algorithm: SignatureAlgorithm, _ kind: PeerKeyKind) -> Bool {
        support.signatures.contains { $0.algorithm == algorithm && $0.kind == kind }
    }

    func has(_ algorithm: KeyManagementAlgorithm, _ content: ContentEncryption, _ kind: PeerKeyKind) -> Bool {
        support.encryptions.contains { $0.algorithm == algorithm && $0.content == content && $0.kind == kind }
    }

    func signatures() async throws {
        for pair in support.signatures {
            let theirs = try await peer.key(pair.kind), algorithm = pair.algorithm
            let verifier = try JWSVerifier(
                keys: try await theirKeys(theirs), policy: SignaturePolicy(algorithms: [algorithm]))
            let ours = try KeyStore.key(pair.kind)
            let signer = try ours.signer(algorithm)
            for (index, payload) in payloads.enumerated() {
                let label: Comment = "\(peer.name) \(algorithm) \(pair.kind) \(payload.count)"
                let received = try await peer.sign(payload, header: #"{"alg":"\#(algorithm)"}"#, key: theirs)
                #expect(try verifier.verify(received).payload == payload, label)
                let sent = try signer.sign(payload)
                let answer = try await peer.verify(sent, algorithm: algorithm.name, key: ours.sharedText)
                #expect(answer == payload, label)

                guard index == 0 else { continue }
                #expect(throws: JOSEError.signatureInvalid, label) { try verifier.verify(tampered(received)) }
                await #expect(throws: Peer.Refusal.self, label) {
                    try await peer.verify(tampered(sent), algorithm: algorithm.name, key: ours.sharedText)
                }
            }
        }
    }

    func encryptions() async throws {
        for pair in support.encryptions {
            let ours = try KeyStore.key(pair.kind), theirs = try await peer.key(pair.kind)
            let decrypter = try JWEDecrypter(keys: ours.keySet, policy: policy(pair))
            let encrypter = try await theirEncrypter(theirs, pair)
            for (index, payload) in payloads.enumerated() where !payload.isEmpty || support.has(.emptyPlaintext) {
                let label: Comment = "\(peer.name) \(pair.algorithm) \(pair.content) \(pair.kind) \(payload.count)"
                let received = try await peer.encrypt(payload, header: header(pair), key: ours.sharedText)
                #expect(try decrypter.decrypt(received).plaintext == payload, label)
                let sent = try encrypter.encrypt(payload)
                let answer = try await peer.decrypt(
                    sent, algorithm: pair.algorithm.name, encryption: pair.content.name, key: theirs)
                #expect(answer == payload, label)

                guard index == 0 else { continue }
                #expect(throws: JOSEError.decryptionFailed, label) { try decrypter.decrypt(tampered(received)) }
                await #expect(throws: Peer.Refusal.self, label) {
                    try await peer.decrypt(
                        tampered(sent), algorithm: pair.algorithm.name, encryption: pair.content.name, key: theirs)
                }
            }
        }
    }

    func brokenEncryptions() async throws {
        for pair in support.decryptions {
            let ours = try KeyStore.key(pair.kind)
            let decrypter = try JWEDecrypter(keys: ours.keySet, policy: policy(pair))
            let strict = try JWEDecrypter(
                keys: ours.keySet,
                policy: EncryptionPolicy(keyManagement: KeyManagementAlgorithm.all, contentEncryption: [pair.content]))
            for payload in payloads {
                let label: Comment = "\(peer.name) \(pair.algorithm) \(pair.content) \(payload.count)"
                let received = try await peer.encrypt(payload, header: header(pair), key: ours.sharedText)
                #expect(try decrypter.decrypt(received).plaintext == payload, label)
                #expect(throws: JOSEError.decryptionFailed, label) { try decrypter.decrypt(tampered(received)) }
                #expect(throws: JOSEError.algorithmNotAllowed(.keyManagement), label) { try strict.decrypt(received) }
            }
        }
    }

    func policy(_ pair: PeerSupport.Encryption) -> EncryptionPolicy {
        EncryptionPolicy(keyManagement: [pair.algorithm], contentEncryption: [pair.content])
    }

    private func header(_ pair: PeerSupport.Encryption) -> String {
        #"{"alg":"\#(pair.algorithm)","enc":"\#(pair.content)"}"#
    }

    /// The public half as the peer writes it, or the secret.
    func theirKey(_ text: String) async throws -> JWK {
        let key = try JWK(parsing: text)
        if case .symmetricKey = key { return key }
        return .publicKey(try PublicKey(jwk: await peer.publicHalf(of: text)))
    }

    func theirKeys(_ text: String) async throws -> KeySet {
        switch try await theirKey(text) {
        case .symmetricKey(let secret): KeySet(secret)
        case .publicKey(let key): KeySet(key)
        case .privateKey(let key): KeySet(key)
        }
    }

    func theirEncrypter(
        _ text: String, _ pair: PeerSupport.Encryption, header: HeaderParameters = HeaderParameters()
    ) async throws -> JWEEncrypter {
        var header = header
        // Peers have caps of their own, jwcrypto's is 16 384.
        if case .password = pair.algorithm.core.traits.engine { header.passwordIterations = 4_096 }
        switch try await theirKey(text) {
        case .symmetricKey(let key):
            return try JWEEncrypter(
                key: key, keyManagement: pair.algorithm, contentEncryption: pair.content, header: header)
        case .publicKey(let key):
            return try JWEEncrypter(
                key: key, keyManagement: pair.algorithm, contentEncryption: pair.content, header: header)
        case .privateKey(let key):
            return try JWEEncrypter(
                key: key.publicKey, keyManagement: pair.algorithm, contentEncryption: pair.content, header: header)
        }
    }
}
