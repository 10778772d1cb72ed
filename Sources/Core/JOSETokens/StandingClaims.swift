internal import JOSEBytes

/// What a policy puts into every token that lacks it, as JSON.
struct StandingClaims: Sendable {
    struct Member: Sendable {
        let name: String
        let text: [UInt8]
    }
    let members: [Member]
    /// Whether there are some more that depend on the signature's algorithm.
    let hasHashes: Bool
    /// As many bytes hold all that is added.
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
        // Two hashes of at most 43 characters, two times, names and commas.
        room = members.reduce(256) { $0 + $1.text.count + 1 }
    }
}
