import Foundation
import JOSE
import Synchronization
import TestSupport

/// A form that a peer may have; the words are those of `Tests/Interop/Peers`.
enum PeerFeature: String, CaseIterable {
    case pem = "PEM"
    case claims
    case emptyPlaintext = "empty plaintext"
    case flattenedJWS = "flattened JWS"
    case generalJWS = "general JWS"
    case detachedJWS = "detached JWS"
    case unencoded = "b64"
    case unencodedCompact = "compact b64"
    case flattenedJWE = "flattened JWE"
    case generalJWE = "general JWE"
    case additionalData = "aad"
    case additionalDataUnderGCM = "aad under GCM"
    case deflate, inflate
}

/// The features of this library that a peer reports to support. Every common feature is tested, and every other one is in
/// `lacks`, so that none is skipped silently.
struct PeerSupport: Sendable {
    struct Signature: Sendable {
        let algorithm: SignatureAlgorithm
        let kind: PeerKeyKind
    }
    struct Encryption: Sendable {
        let algorithm: KeyManagementAlgorithm
        let content: ContentEncryption
        let kind: PeerKeyKind
    }
    private(set) var signatures: [Signature] = []
    private(set) var encryptions: [Encryption] = []
    /// Ours to open alone: RSA1_5.
    private(set) var decryptions: [Encryption] = []
    private(set) var kinds: [PeerKeyKind] = []
    let features: Set<String>
    private(set) var lacks: Set<String> = []

    init(_ peer: Peer) async throws {
        let answer = try await peer.ask(Peer.Question(op: "supports"))
        features = Set(answer.features ?? [])
        lacks.formUnion(PeerFeature.allCases.map(\.rawValue).filter { !features.contains($0) })
        let algorithms = Set(answer.algs ?? [])
        let contents = ContentEncryption.all.filter { answer.encs?.contains($0.name) ?? false }
        lacks.formUnion(ContentEncryption.all.filter { !contents.contains($0) }.map(\.name))

        for algorithm in SignatureAlgorithm.all where algorithm.isAvailable {
            guard algorithms.contains(algorithm.name) else {
                lacks.insert(algorithm.name)
                continue
            }
            for kind in algorithm.kinds where try await has(kind, peer) {
                signatures.append(Signature(algorithm: algorithm, kind: kind))
            }
        }
        for algorithm in KeyManagementAlgorithm.all + [.rsa1_5BrokenDecryptionOnly] {
            guard algorithms.contains(algorithm.name) else {
                lacks.insert(algorithm.name)
                continue
            }
            for content in contents {
                for kind in algorithm.kinds(for: content) where try await has(kind, peer) {
                    let pair = Encryption(algorithm: algorithm, content: content, kind: kind)
                    if algorithm.core.traits.encrypts { encryptions.append(pair) } else { decryptions.append(pair) }
                }
            }
        }
    }

    func has(_ feature: PeerFeature) -> Bool { features.contains(feature.rawValue) }

    /// Whether the peer can make such a key.
    private mutating func has(_ kind: PeerKeyKind, _ peer: Peer) async throws -> Bool {
        if kinds.contains(kind) { return true }
        if lacks.contains(kind.name) { return false }
        do {
            _ = try await peer.key(kind)
            kinds.append(kind)
            return true
        } catch is Peer.Refusal {
            lacks.insert(kind.name)
            return false
        }
    }

    /// Returns the features that this peer lacks according to `Tests/Interop/Peers/lacks.json`.
    static func known(_ peer: Peer) throws -> Set<String> {
        let file = URL(filePath: Peers.script("lacks.json"))
        let all = try JSONDecoder().decode([String: Set<String>].self, from: Data(contentsOf: file))
        return all[peer.name] ?? []
    }
}
