import Foundation
import JOSE
import Synchronization

extension Peer {
    /// The private or symmetric key of this kind that the peer made, when it was first asked for one.
    func key(_ kind: PeerKeyKind) async throws -> String {
        if let key = keys.withLock({ $0[kind] }) { return key }
        let key = try text(await ask(Question(op: "generate", kind: kind.name)).key)
        return keys.withLock { known in
            if let first = known[kind] { return first }
            known[kind] = key
            return key
        }
    }

    func publicHalf(of key: String) async throws -> String {
        try text(await ask(Question(op: "public", key: key)).key)
    }

    func thumbprint(of key: String) async throws -> String {
        try text(await ask(Question(op: "thumbprint", key: key)).thumbprint)
    }

    func pem(of key: String, isPrivate: Bool, passphrase: String? = nil) async throws -> String {
        try text(await ask(Question(op: "to_pem", key: key, passphrase: passphrase, private: isPrivate)).pem)
    }

    func key(fromPEM pem: String, _ kind: PeerKeyKind) async throws -> String {
        try text(await ask(Question(op: "from_pem", kind: kind.name, pem: pem)).key)
    }

    /// `header`: JSON text.
    func sign(_ payload: [UInt8], header: String, key: String) async throws -> String {
        try text(await ask(Question(op: "sign", key: key, header: header, payload: base64URL(payload))).token)
    }

    func verify(_ token: String, algorithm: String, key: String) async throws -> [UInt8] {
        try bytes(await ask(Question(op: "verify", key: key, alg: algorithm, token: token)).payload)
    }

    func sign(detached payload: [UInt8], header: String, key: String) async throws -> String {
        try text(await ask(Question(op: "sign_detached", key: key, header: header, payload: base64URL(payload))).token)
    }

    func verify(_ token: String, detached payload: [UInt8], algorithm: String, key: String) async throws {
        _ = try await ask(
            Question(op: "verify_detached", key: key, alg: algorithm, payload: base64URL(payload), token: token))
    }

    func sign(
        json payload: [UInt8], _ entries: [Entry], form: JSONForm, isDetached: Bool = false
    ) async throws -> String {
        try text(
            await ask(
                Question(
                    op: "sign_json", entries: entries, flattened: form == .flattened, detached: isDetached,
                    payload: base64URL(payload))
            ).token)
    }

    /// Every signature by the key of the same place.
    func verify(
        json token: String, algorithms: [SignatureAlgorithm], keys: [String], detached: [UInt8]? = nil
    ) async throws -> [UInt8] {
        try bytes(
            await ask(
                Question(
                    op: "verify_json", algs: algorithms.map(\.name), keys: keys, payload: detached.map(base64URL),
                    token: token)
            ).payload)
    }

    func encrypt(_ payload: [UInt8], header: String, key: String) async throws -> String {
        try text(await ask(Question(op: "encrypt", key: key, header: header, payload: base64URL(payload))).token)
    }

    func decrypt(_ token: String, algorithm: String, encryption: String, key: String) async throws -> [UInt8] {
        try bytes(await ask(Question(op: "decrypt", key: key, alg: algorithm, enc: encryption, token: token)).payload)
    }

    func encrypt(
        json payload: [UInt8], _ entries: [Entry], protected: String, unprotected: String, aad: [UInt8]?, form: JSONForm
    ) async throws -> String {
        try text(
            await ask(
                Question(
                    op: "encrypt_json", header: protected, unprotected: unprotected, entries: entries,
                    flattened: form == .flattened, aad: base64URL(aad ?? []), payload: base64URL(payload))
            ).token)
    }

    /// Every recipient with the key of the same place.
    func decrypt(
        json token: String, algorithms: [KeyManagementAlgorithm], encryption: ContentEncryption, keys: [String]
    ) async throws -> [UInt8] {
        try bytes(
            await ask(
                Question(
                    op: "decrypt_json", algs: algorithms.map(\.name), keys: keys, enc: encryption.name, token: token)
            ).payload)
    }

    /// Returns the peer's verdict on a signed JWT for this issuer and audience.
    func checkClaims(_ token: String, algorithm: String, key: String, issuer: String, audience: String) async throws {
        _ = try await ask(Question(op: "claims", key: key, alg: algorithm, token: token, iss: issuer, aud: audience))
    }

    private struct AnswerIncomplete: Error {}

    private func text(_ member: String?) throws -> String {
        guard let member else { throw AnswerIncomplete() }
        return member
    }

    private func bytes(_ member: String?) throws -> [UInt8] {
        var text = try text(member).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text) else { throw AnswerIncomplete() }
        return [UInt8](data)
    }
}

func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

/// The token with one bit of its last segment, a signature or a tag, turned over.
func tampered(_ token: String) -> String {
    var bytes = [UInt8](token.utf8)
    // The last letter carries bits that are not part of the value: take one well before it.
    let place = bytes.count - 8
    bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return String(decoding: bytes, as: UTF8.self)
}

/// Changes a member of a JSON serialization, or of its first signature.
func tampered(json: String, _ member: String) throws -> String {
    var token = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:]
    if var signatures = token["signatures"] as? [[String: Any]] {
        signatures[0][member] = tampered(signatures[0][member] as? String ?? "")
        token["signatures"] = signatures
    } else {
        token[member] = tampered(token[member] as? String ?? "")
    }
    return String(decoding: try JSONSerialization.data(withJSONObject: token), as: UTF8.self)
}
