internal import JOSE

extension HostileCatalogue {
    /// Adds tokens with faults of the encryption layer.
    mutating func addEncryption() throws(JOSEError) {
        let good = try issuer.forged()
        let parts = good.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        try addTags(parts)
        let vector = Forge.decoded(parts[2]) ?? []
        for (name, iv) in [("none", []), ("an octet less", Array(vector.dropLast())), ("an octet more", vector + [0])] {
            add("T26", "IV: \(name)", Self.token(parts, 2, iv), .malformed)
        }
        if parts[1].isEmpty {
            add(
                "T28", "an encrypted key where none belongs", Self.token(parts, 1, [UInt8](repeating: 7, count: 24)),
                .malformed)
        } else {
            for count in [0, 1, 7, 8, 15, 16, 23, 25, 1000] {
                add(
                    "T27", "an encrypted key of \(count) octets",
                    Self.token(parts, 1, [UInt8](repeating: 7, count: count)),
                    .decryptionFailed)
            }
        }
        for (threat, name, members, refusal) in Self.headerFaults {
            add(
                threat, "outer \(name)", try issuer.forged(encryptionHeader: issuer.encryptionHeader(adding: members)),
                refusal)
        }
        add(
            "T31", "zip", try issuer.forged(encryptionHeader: issuer.encryptionHeader(adding: #","zip":"DEF""#)),
            .headerInvalid)
        let names = [
            ("T21", "RSA1_5", issuer.contentEncryption.name),
            ("T29", "PBES2-HS256+A128KW", issuer.contentEncryption.name),
            ("T01", "none", issuer.contentEncryption.name), ("T65", issuer.keyManagement.name, "A128GCM "),
            ("T65", issuer.keyManagement.name, "none"),
        ]
        for (threat, alg, enc) in names {
            let header = issuer.encryptionHeader(adding: #","p2c":2147483647,"p2s":"AAAAAAAAAAA""#)
                .replacing("\"\(issuer.keyManagement.name)\"", with: "\"\(alg)\"")
                .replacing("\"\(issuer.contentEncryption.name)\"", with: "\"\(enc)\"")
            add(threat, "alg '\(alg)', enc '\(enc)'", try issuer.forged(encryptionHeader: header), .algorithmNotAllowed)
        }
        add("T33", "six parts", good + ".", .malformed)
        add("T33", "four parts", parts[..<4].joined(separator: "."), .malformed)
        add(
            "T44", "a JWS in the place of a JWE", Forge.input(header: #"{"alg":"none"}"#, payload: "{}") + ".",
            .malformed)
        add("T41", "JSON", #"{"protected":"\#(parts[0])","ciphertext":"\#(parts[3])"}"#, .malformed)
        for (name, change) in Self.laxEncodings {
            for part in 0..<5 where !parts[part].isEmpty {
                guard let changed = change(parts[part]) else { continue }
                var altered = parts
                altered[part] = changed
                add("T49", "\(name) in part \(part + 1)", altered.joined(separator: "."), .malformed)
            }
        }
    }

    private mutating func addTags(_ parts: [String]) throws(JOSEError) {
        let tag = Forge.decoded(parts[4]) ?? []
        let isGCM = issuer.contentEncryption.name.hasSuffix("GCM")
        for count in [0, 1, 4, 8, 12, tag.count - 1] {
            add(
                isGCM ? "T25" : "T24", "a tag of \(count) octets", Self.token(parts, 4, Array(tag[..<count])),
                .decryptionFailed)
        }
        add(isGCM ? "T25" : "T24", "a tag that is too long", Self.token(parts, 4, tag + tag), .decryptionFailed)
        for part in [1, 2, 3, 4] {
            guard var bytes = Forge.decoded(parts[part]), !bytes.isEmpty else { continue }
            bytes[bytes.count / 2] ^= 1
            add("T22", "one bit of part \(part + 1) changed", Self.token(parts, part, bytes), .decryptionFailed)
        }
    }

    private static func token(_ parts: [String], _ part: Int, _ bytes: [UInt8]) -> String {
        var parts = parts
        parts[part] = Forge.encoded(bytes)
        return parts.joined(separator: ".")
    }

    /// Adds tokens with content that is not the required JWS.
    mutating func addInnerTokens() throws(JOSEError) {
        let (input, signature) = try goodParts()
        let jws = Forge.token(input, signature: signature)
        for (name, inner, refusal) in [
            (
                "an unsecured JWT", Forge.input(header: #"{"alg":"none"}"#, payload: issuer.claims()) + ".",
                Refusal.algorithmNotAllowed
            ),
            ("plain claims", issuer.claims(), .malformed), ("nothing", "", .malformed),
            ("white space", " ", .malformed),
            ("a third layer", try issuer.outer(jws), .malformed),
        ] { try addInner("T45", "inside: \(name)", inner, refusal) }
        add("T44", "the signature layer alone", jws, .malformed)
        for (name, members) in [
            ("iss", #""https://other.test""#), ("aud", #"["x"]"#), ("sub", #""nobody""#), ("sub", "1"),
        ] {
            let header = issuer.encryptionHeader(adding: #","\#(name)":\#(members)"#)
            add(
                "T45", "outer \(name) that differs: \(members)", try issuer.forged(encryptionHeader: header),
                .claimInvalid)
        }
        let bare = issuer.encryptionHeader().replacing(#","cty":"JWT""#, with: "")
        add("T45", "outer cty left out", try issuer.forged(encryptionHeader: bare), .headerInvalid)
    }
}
