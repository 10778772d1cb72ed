internal import JOSESupport

/// The claims that a policy adds to every token that lacks them, as JSON.
struct StandingClaims: Sendable {
    struct Member: Sendable {
        let name: String
        let text: [UInt8]
    }
    let members: [Member]
    /// Whether hashes are to be added too, which depend on the signature algorithm.
    let hasHashes: Bool
    /// The number of bytes that is sufficient for everything that is added.
    let room: Int

    init(_ policy: ClaimPolicy) {
        var values: [(String, String?)] = []
        if case .exactly(let issuer) = policy.issuer { values.append(("iss", issuer)) }
        if case .exactly(let audience) = policy.audience { values.append(("aud", audience)) }
        values += [("sub", policy.subject), ("nonce", policy.nonce), ("azp", policy.authorizedParty)]
        members = values.compactMap { name, value in
            guard let value else { return nil }
            var writer = JSONWriter()
            writer.member(name, value)
            return Member(name: name, text: writer.bytes)
        }
        hasHashes = policy.accessToken != nil || policy.code != nil
        // The 256 bytes are for two hashes of at most 43 characters, two times, names and commas.
        room = members.reduce(256) { $0 + $1.text.count + 1 }
    }
}
