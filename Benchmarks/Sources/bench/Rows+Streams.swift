internal import CRaw
internal import JOSE

extension Fixtures {
    /// Returns rows of a detached payload in pieces of 64 kB, unencoded (RFC 7797) or encoded. A longer payload takes no more
    /// allocations, because nothing of it is stored.
    func streamRows() throws -> [Row] {
        let algorithms: [SignatureAlgorithm] = [.hs256, .rs256, .es256]
        let plain = try algorithms.flatMap { algorithm in
            try [1, 8].map { try streamRow(algorithm, megabytes: $0, isUnencoded: true) }
        }
        return plain + [try streamRow(.rs256, megabytes: 1, isUnencoded: false)]
            + [try signingStreamRow(.rs256, megabytes: 1)]
    }

    private static let piece = 64 * 1024

    private func payload(megabytes: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "p"), count: megabytes << 20)
    }

    private func streamRow(_ algorithm: SignatureAlgorithm, megabytes: Int, isUnencoded: Bool) throws -> Row {
        let signed = try SignedCase(self, algorithm)
        let signer = try signed.fixture.signer(algorithm, isUnencoded: isUnencoded)
        let payload = payload(megabytes: megabytes)
        let token = Array(try signer.sign(detached: payload).utf8)
        let verifier = try JWSVerifier(
            keys: signed.fixture.verificationKeys, policy: SignaturePolicy(algorithms: [algorithm]))
        return Row(
            "stream", "verify \(algorithm.name) \(megabytes) MB\(isUnencoded ? " b64:false" : "")",
            { count in
                var good = 0
                for _ in 0..<count where (try? Self.stream(token, payload, verifier)) == algorithm { good += 1 }
                return good
            }, raw: { signed.rawVerify(detached: token, payload, isUnencoded: isUnencoded) })
    }

    private static func stream(
        _ token: [UInt8], _ payload: [UInt8], _ verifier: JWSVerifier
    ) throws(JOSEError) -> SignatureAlgorithm {
        let bytes = payload.span
        var stream = try verifier.stream(token.span)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            try stream.update(bytes.extracting(start..<min(start + piece, bytes.count)))
        }
        return try stream.finish().algorithm
    }

    private func signingStreamRow(_ algorithm: SignatureAlgorithm, megabytes: Int) throws -> Row {
        let signed = try SignedCase(self, algorithm)
        let signer = try signed.fixture.signer(algorithm, isUnencoded: true)
        let payload = payload(megabytes: megabytes)
        let token = Array(try signer.sign(detached: payload).utf8)
        return Row(
            "stream", "sign \(algorithm.name) \(megabytes) MB b64:false",
            { count in
                var good = 0
                for _ in 0..<count where (try? Self.sign(payload, signer)) == token.count { good += 1 }
                return good
            }, raw: { signed.rawSign(detached: token, payload) })
    }

    private static func sign(_ payload: [UInt8], _ signer: JWSSigner) throws(JOSEError) -> Int {
        let bytes = payload.span
        var stream = try signer.stream()
        for start in stride(from: 0, to: bytes.count, by: piece) {
            try stream.update(bytes.extracting(start..<min(start + piece, bytes.count)))
        }
        return try stream.finish().utf8.count
    }
}
