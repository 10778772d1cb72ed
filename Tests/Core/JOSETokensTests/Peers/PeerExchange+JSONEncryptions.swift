import JOSE
import Testing

extension PeerExchange {
    /// Each algorithm and kind of key flattened, with one content encryption or another; all that wrap a key as the
    /// recipients of general tokens, eight at a time. Every pair of the two is exchanged in the compact form.
    func jsonEncryptions() async throws {
        var single: [PeerSupport.Encryption] = []
        for pair in support.encryptions {
            if single.contains(where: { $0.algorithm == pair.algorithm && $0.kind == pair.kind }) { continue }
            let content = pair.algorithm == .dir ? pair.content : Self.content(single.count)
            single.append(PeerSupport.Encryption(algorithm: pair.algorithm, content: content, kind: pair.kind))
        }
        if support.has(.flattenedJWE) {
            for pair in single { try await jsonEncryptions([pair], .flattened) }
        }
        guard support.has(.generalJWE) else { return }
        let wrapping = single.filter { !$0.algorithm.core.traits.encryptedKeyIsEmpty }
        for place in stride(from: 0, to: wrapping.count, by: 8) {
            let pairs = wrapping[place..<min(place + 8, wrapping.count)].map {
                PeerSupport.Encryption(algorithm: $0.algorithm, content: Self.content(place / 8), kind: $0.kind)
            }
            try await jsonEncryptions(pairs, .general)
        }
        try await jsonEncryptions([wrapping[0]], .general)
    }

    private func hasAdditionalData(_ content: ContentEncryption) -> Bool {
        switch content {
        case .a128gcm, .a192gcm, .a256gcm: support.has(.additionalDataUnderGCM)
        default: support.has(.additionalData)
        }
    }

    private static func content(_ place: Int) -> ContentEncryption {
        ContentEncryption.all[place % ContentEncryption.all.count]
    }

    private func jsonEncryptions(_ pairs: [PeerSupport.Encryption], _ form: JSONForm) async throws {
        let label: Comment = "\(peer.name) \(form) \(pairs.map(\.algorithm)) \(pairs.map(\.kind))"
        let payload = payloads[2], content = pairs[0].content
        let aad = hasAdditionalData(content) ? Array("aad, Grüße".utf8) : nil
        let authenticated = aad == nil ? ["tag", "protected"] : ["tag", "aad"]

        var entries: [Peer.Entry] = []
        for (place, pair) in pairs.enumerated() {
            entries.append(
                Peer.Entry(
                    header: #"{"alg":"\#(pair.algorithm)","kid":"\#(place)"}"#,
                    key: try KeyStore.key(pair.kind).sharedText))
        }
        let received = try await peer.encrypt(
            json: payload, entries, protected: #"{"enc":"\#(content)"}"#, unprotected: #"{"note":"ü"}"#, aad: aad,
            form: form)
        for (place, pair) in pairs.enumerated() {
            let decrypter = try JWEDecrypter(keys: try KeyStore.key(pair.kind).keySet, policy: policy(pair))
            let opened = try decrypter.decrypt(json: received)
            #expect(opened.plaintext == payload && opened.additionalData == aad, label)
            #expect(opened.index == place && opened.keyManagement == pair.algorithm, label)
            #expect(opened.unprotected?.string("note") == "ü", label)
            for member in authenticated {
                #expect(throws: JOSEError.self, label) {
                    try decrypter.decrypt(json: tampered(json: received, member))
                }
            }
        }

        var encrypters: [JWEEncrypter] = [], keys: [String] = []
        for (place, pair) in pairs.enumerated() {
            let key = try await peer.key(pair.kind)
            encrypters.append(
                try await theirEncrypter(key, pair, header: HeaderParameters(keyID: "the \(place)")))
            keys.append(key)
        }
        var shared = HeaderParameters()
        shared.set("note", "ü")
        let sent = try JSONEncrypter(encrypters, shared: shared, form: form).encrypt(payload, additionalData: aad)
        let answer = try await peer.decrypt(
            json: sent, algorithms: pairs.map(\.algorithm), encryption: content, keys: keys)
        #expect(answer == payload, label)
        for member in authenticated {
            await #expect(throws: Peer.Refusal.self, label) {
                try await peer.decrypt(
                    json: tampered(json: sent, member), algorithms: pairs.map(\.algorithm), encryption: content,
                    keys: keys)
            }
        }
    }
}
