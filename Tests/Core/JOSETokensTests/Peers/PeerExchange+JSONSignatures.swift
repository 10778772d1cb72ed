import JOSE
import Testing

extension PeerExchange {
    /// Each algorithm flattened; all of them as the signatures of general tokens, eight at a time.
    func jsonSignatures() async throws {
        if support.has(.flattenedJWS) {
            for pair in support.signatures { try await jsonSignatures([pair], .flattened) }
        }
        if support.has(.generalJWS) {
            for place in stride(from: 0, to: support.signatures.count, by: 8) {
                let pairs = Array(support.signatures[place..<min(place + 8, support.signatures.count)])
                try await jsonSignatures(pairs, .general)
            }
            try await jsonSignatures([support.signatures[0]], .general)
        }
    }

    private func jsonSignatures(_ pairs: [PeerSupport.Signature], _ form: JSONForm) async throws {
        let label: Comment = "\(peer.name) \(form) \(pairs.map(\.algorithm))"
        let algorithms = pairs.map(\.algorithm), payload = payloads[2]
        var policy = SignaturePolicy(algorithms: algorithms)
        policy.requirement = .all

        var theirs: [Peer.Entry] = [], theirSet: [JWK] = []
        for (place, pair) in pairs.enumerated() {
            let key = try await peer.key(pair.kind)
            theirs.append(
                Peer.Entry(
                    protected: #"{"alg":"\#(pair.algorithm)"}"#, header: #"{"kid":"\#(place)","note":"ü"}"#, key: key))
            let shared = try await theirKey(key)
            if !theirSet.contains(shared) { theirSet.append(shared) }
        }
        // One key serves many algorithms, and would stand in the set as often.
        let verifier = try JWSVerifier(keys: KeySet(theirSet), policy: policy)
        let received = try await peer.sign(json: payload, theirs, form: form)
        let verified = try verifier.verify(json: received)
        #expect(verified.payload == payload, label)
        #expect(verified.signatures.map(\.algorithm) == algorithms, label)
        #expect(verified.signatures.map(\.index) == Array(pairs.indices), label)
        #expect(verified.signatures[0].unprotected?.string("note") == "ü", label)
        #expect(throws: JOSEError.self, label) {
            try verifier.verify(json: tampered(json: received, "signature"))
        }

        var entries: [JSONSigner.Entry] = [], ours: [String] = []
        for pair in pairs {
            let key = try KeyStore.key(pair.kind)
            var unprotected = HeaderParameters(keyID: "a name")
            unprotected.set("note", "ü")
            entries.append(JSONSigner.Entry(try key.signer(pair.algorithm), unprotected: unprotected))
            ours.append(key.sharedText)
        }
        let signer = try JSONSigner(entries, form: form)
        let sent = try signer.sign(payload)
        #expect(try await peer.verify(json: sent, algorithms: algorithms, keys: ours) == payload, label)
        await #expect(throws: Peer.Refusal.self, label) {
            try await peer.verify(json: tampered(json: sent, "signature"), algorithms: algorithms, keys: ours)
        }

        let theirDetached = try await peer.sign(json: payload, theirs, form: form, isDetached: true)
        let detached = try verifier.verify(json: theirDetached, detachedPayload: payload)
        #expect(detached.signatures.count == pairs.count, label)
        let back = try await peer.verify(
            json: signer.sign(detached: payload), algorithms: algorithms, keys: ours, detached: payload)
        #expect(back == payload, label)
    }
}
