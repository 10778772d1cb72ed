import JOSE
import Testing

extension PeerExchange {
    /// Detached for every algorithm; unencoded, attached and detached, for every algorithm of the peers that know `b64`.
    func detached() async throws {
        for pair in support.signatures where support.has(.detachedJWS) {
            let theirs = try await peer.key(pair.kind), ours = try KeyStore.key(pair.kind)
            let verifier = try JWSVerifier(
                keys: try await theirKeys(theirs), policy: SignaturePolicy(algorithms: [pair.algorithm]))
            try await detached(pair, theirs, ours, verifier, isUnencoded: false)
            guard support.has(.unencoded) else { continue }
            try await detached(pair, theirs, ours, verifier, isUnencoded: true)
            try await attached(pair, theirs, ours, verifier)
            try await json(pair, theirs, ours, verifier)
        }
    }

    private static func header(_ pair: PeerSupport.Signature, isUnencoded: Bool) -> String {
        #"{"alg":"\#(pair.algorithm)"\#(isUnencoded ? #","b64":false,"crit":["b64"]"# : "")}"#
    }

    private func signer(_ pair: PeerSupport.Signature, _ key: OurKey, isUnencoded: Bool) throws -> JWSSigner {
        var header = HeaderParameters()
        header.payloadIsUnencoded = isUnencoded
        return try key.signer(pair.algorithm, header: header)
    }

    private func detached(
        _ pair: PeerSupport.Signature, _ theirs: String, _ ours: OurKey, _ verifier: JWSVerifier, isUnencoded: Bool
    ) async throws {
        let label: Comment = "\(peer.name) \(pair.algorithm) \(pair.kind) unencoded: \(isUnencoded)"
        // With dots and a line end: what an attached unencoded payload could not hold.
        let payload = Array("détaché. a.b\n".utf8), other = Array("détaché. a.c\n".utf8)
        let received = try await peer.sign(
            detached: payload, header: Self.header(pair, isUnencoded: isUnencoded), key: theirs)
        #expect(received.contains(".."), label)
        #expect(try verifier.verify(received, detachedPayload: payload).payload == payload, label)
        #expect(throws: JOSEError.signatureInvalid, label) { try verifier.verify(received, detachedPayload: other) }

        let sent = try signer(pair, ours, isUnencoded: isUnencoded).sign(detached: payload)
        try await peer.verify(sent, detached: payload, algorithm: pair.algorithm.name, key: ours.sharedText)
        await #expect(throws: Peer.Refusal.self, label) {
            try await peer.verify(sent, detached: other, algorithm: pair.algorithm.name, key: ours.sharedText)
        }
    }

    /// Between the dots of the compact form stand such characters alone as URLs hold (RFC 7797, 5.2).
    private func attached(
        _ pair: PeerSupport.Signature, _ theirs: String, _ ours: OurKey, _ verifier: JWSVerifier
    ) async throws {
        let label: Comment = "\(peer.name) \(pair.algorithm) \(pair.kind) unencoded, compact"
        let payload = Array("as-it_is~".utf8)
        let received = try await peer.sign(payload, header: Self.header(pair, isUnencoded: true), key: theirs)
        #expect(received.contains(".as-it_is~."), label)
        #expect(try verifier.verify(received).payload == payload, label)
        guard support.has(.unencodedCompact) else { return }
        let sent = try signer(pair, ours, isUnencoded: true).sign(payload)
        let answer = try await peer.verify(sent, algorithm: pair.algorithm.name, key: ours.sharedText)
        #expect(answer == payload, label)
    }

    private func json(
        _ pair: PeerSupport.Signature, _ theirs: String, _ ours: OurKey, _ verifier: JWSVerifier
    ) async throws {
        let label: Comment = "\(peer.name) \(pair.algorithm) \(pair.kind) unencoded, JSON"
        let payload = Array(#"{"dots":"a.b","é":1}"#.utf8)
        let entry = Peer.Entry(
            protected: Self.header(pair, isUnencoded: true), header: #"{"note":"ü"}"#, key: theirs)
        let received = try await peer.sign(json: payload, [entry], form: .flattened)
        #expect(try verifier.verify(json: received).payload == payload, label)
        let sent = try JSONSigner(signer(pair, ours, isUnencoded: true)).sign(payload)
        let answer = try await peer.verify(json: sent, algorithms: [pair.algorithm], keys: [ours.sharedText])
        #expect(answer == payload, label)
    }
}
