import JOSE
import Testing

extension PeerExchange {
    /// Each content encryption; what compresses and what does not.
    func compressed() async throws {
        for content in ContentEncryption.all {
            guard let pair = support.encryptions.first(where: { $0.algorithm == .dir && $0.content == content }) else {
                Issue.record("\(peer.name) lacks \(content)")
                continue
            }
            let ours = try KeyStore.key(pair.kind), theirs = try await peer.key(pair.kind)
            var allowing = policy(pair)
            allowing.allowsCompression = true
            let decrypter = try JWEDecrypter(keys: ours.keySet, policy: allowing)
            let strict = try JWEDecrypter(keys: ours.keySet, policy: policy(pair))
            var header = HeaderParameters()
            header.compresses = true
            let encrypter = try await theirEncrypter(theirs, pair, header: header)
            for payload in payloads + [Array(repeating: UInt8(ascii: "a"), count: 50_000)] {
                guard !payload.isEmpty || support.has(.emptyPlaintext) else { continue }
                let label: Comment = "\(peer.name) \(content) \(payload.count)"
                if support.has(.deflate) {
                    let received = try await peer.encrypt(
                        payload, header: #"{"alg":"dir","enc":"\#(content)","zip":"DEF"}"#, key: ours.sharedText)
                    #expect(payload.count < 50_000 || received.utf8.count < 1_000, label)
                    #expect(try decrypter.decrypt(received).plaintext == payload, label)
                    #expect(throws: JOSEError.headerInvalid(.compression), label) { try strict.decrypt(received) }
                }
                guard support.has(.inflate) else { continue }
                let sent = try encrypter.encrypt(payload)
                #expect(payload.count < 50_000 || sent.utf8.count < 1_000, label)
                let answer = try await peer.decrypt(sent, algorithm: "dir", encryption: content.name, key: theirs)
                #expect(answer == payload, label)
            }
        }
    }
}
