import JOSE
import Testing

/// Tokens and keys both ways between this library and one peer: what one makes, the other takes, and neither takes
/// it with a bit turned over.
struct PeerExchange {
    let peer: Peer
    let table: PeerTable
    let payloads: [[UInt8]] = [Array("{\"é\":[1,true]}".utf8), [], (0..<700).map { UInt8(truncatingIfNeeded: $0) }]

    func signatures() async throws {
        for (algorithm, kind) in table.signatures {
            let theirs = try await peer.key(kind)
            let verifier = Verifier(keys: try await theirKeys(theirs), policy: SignaturePolicy(algorithms: [algorithm]))
            let ours = try KeyStore.key(kind)
            let signer = try ours.signer(algorithm)
            for (index, payload) in payloads.enumerated() {
                let label: Comment = "\(peer.name) \(algorithm) \(payload.count)"
                let received = try await peer.sign(payload, header: ["alg": algorithm.name], key: theirs)
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
        for (algorithm, kinds) in table.encryptions {
            for (encryption, keyBits) in PeerTable.contentEncryptions {
                for kind in algorithm == .dir ? [.octets(bits: keyBits)] : kinds {
                    try await encryptions(algorithm, encryption, kind)
                }
            }
        }
    }

    private func encryptions(
        _ algorithm: KeyManagementAlgorithm, _ encryption: ContentEncryption, _ kind: PeerKeyKind
    ) async throws {
        let ours = try KeyStore.key(kind)
        let theirs = try await peer.key(kind)
        let policy = EncryptionPolicy(keyManagement: [algorithm], contentEncryption: [encryption])
        let decrypter = Decrypter(keys: ours.keySet, policy: policy)
        let encrypter = try await theirEncrypter(theirs, algorithm, encryption)
        for (index, payload) in payloads.enumerated() where !payload.isEmpty || table.opensEmptyPlaintext {
            let label: Comment = "\(peer.name) \(algorithm) \(encryption) \(kind) \(payload.count)"
            let header = ["alg": algorithm.name, "enc": encryption.name]
            let received = try await peer.encrypt(payload, header: header, key: ours.sharedText)
            #expect(try decrypter.decrypt(received).plaintext == payload, label)
            let sent = try encrypter.encrypt(payload)
            let answer = try await peer.decrypt(
                sent, algorithm: algorithm.name, encryption: encryption.name, key: theirs)
            #expect(answer == payload, label)

            guard index == 0 else { continue }
            #expect(throws: JOSEError.decryptionFailed, label) { try decrypter.decrypt(tampered(received)) }
            await #expect(throws: Peer.Refusal.self, label) {
                try await peer.decrypt(
                    tampered(sent), algorithm: algorithm.name, encryption: encryption.name, key: theirs)
            }
        }
    }

    /// The public half as the peer writes it, or the secret.
    func theirKeys(_ text: String) async throws -> KeySet {
        let key = try JWK(parsing: text)
        if case .symmetricKey(let secret) = key { return KeySet(secret) }
        return KeySet(try PublicKey(jwk: await peer.publicHalf(of: text)))
    }

    func theirEncrypter(
        _ text: String, _ algorithm: KeyManagementAlgorithm, _ encryption: ContentEncryption
    ) async throws -> Encrypter {
        if case .symmetricKey(let secret) = try JWK(parsing: text) {
            return try Encrypter(key: secret, keyManagement: algorithm, contentEncryption: encryption)
        }
        let key = try PublicKey(jwk: await peer.publicHalf(of: text))
        return try Encrypter(key: key, keyManagement: algorithm, contentEncryption: encryption)
    }
}
