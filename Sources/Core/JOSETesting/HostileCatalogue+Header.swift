internal import JOSE

extension HostileCatalogue {
    /// Adds tokens with faults in the header of the signature layer and a valid signature.
    mutating func addHeaders() throws(JOSEError) {
        for (threat, name, members, refusal) in Self.headerFaults {
            try addHeader(threat, name, issuer.signatureHeader(adding: members), refusal)
        }
        let alg = issuer.signature.name
        for (name, header) in [
            ("alg left out", #"{"kid":"test-signature"}"#), ("alg a number", #"{"alg":256,"kid":"test-signature"}"#),
            ("alg a list", #"{"alg":["\#(alg)"],"kid":"test-signature"}"#),
            ("kid a number", #"{"alg":"\#(alg)","kid":1}"#),
            ("kid null", #"{"alg":"\#(alg)","kid":null}"#), ("typ a list", #"{"alg":"\#(alg)","typ":["JWT"]}"#),
        ] { try addHeader("T50", name, header, .headerInvalid) }
        try addHeader("X06", "alg with a NUL", #"{"alg":"\#(alg)\u0000"}"#, .algorithmNotAllowed)
        try addHeader("T01", "alg in lower case", #"{"alg":"\#(alg.lowercased())"}"#, .algorithmNotAllowed)
        try addHeader(
            "T65", "alg of another family", #"{"alg":"\#(alg == "PS512" ? "RS256" : "PS512")"}"#, .algorithmNotAllowed)
    }

    /// The members that make a valid header of either layer invalid.
    static let headerFaults: [(String, String, String, Refusal)] = [
        (
            "T37", "an extension that nobody knows", #","crit":["https://x.test"],"https://x.test":1"#,
            .criticalUnsupported
        ),
        ("T37", "exp as an extension", #","crit":["exp"],"exp":1"#, .criticalUnsupported),
        ("T38", "crit that is empty", #","crit":[]"#, .headerInvalid),
        ("T38", "crit that is a string", #","crit":"x","x":1"#, .headerInvalid),
        ("T38", "crit that holds a number", #","crit":[1]"#, .headerInvalid),
        ("T38", "crit that names an absent member", #","crit":["x"]"#, .headerInvalid),
        ("T38", "crit that names alg", #","crit":["alg"]"#, .headerInvalid),
        ("T38", "crit that names a member twice", #","crit":["x","x"],"x":1"#, .headerInvalid),
        ("T38", "crit that names the empty member", #","crit":[""],"":1"#, .headerInvalid),
        ("T39", "b64 false without crit", #","b64":false"#, .headerInvalid),
        ("T39", "b64 that is a string", #","b64":"false","crit":["b64"]"#, .headerInvalid),
        ("T50", "jwk that is a string", #","jwk":"x""#, .headerInvalid),
        ("T50", "x5c that is a string", #","x5c":"x""#, .headerInvalid),
        ("T50", "jku that is a list", #","jku":[]"#, .headerInvalid),
        ("T47", "a member twice", #","x":1,"x":1"#, .malformed),
        ("T47", "the first member once more, escaped", #","\u0061lg":"none""#, .malformed),
        ("T47", "a member twice, deep down", #","x":[{"y":{"z":1,"\u007a":2}}]"#, .malformed),
        (
            "T35", "a deep list", ",\"x\":" + String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000),
            .malformed
        ),
        ("T48", "NaN", #","x":NaN"#, .malformed),
        ("T48", "Infinity", #","x":-Infinity"#, .malformed),
        ("T48", "a comment", #"/**/,"x":1"#, .malformed),
        ("T48", "a trailing comma", ",", .malformed),
        ("T48", "a leading zero", #","x":01"#, .malformed),
        ("T48", "a plus sign", #","x":+1"#, .malformed),
        ("T48", "a number without a fraction", #","x":1."#, .malformed),
        ("T48", "a raw line end in a string", ",\"x\":\"\n\"", .malformed),
        ("T48", "a NUL", "\0", .malformed),
        ("T48", "half of a surrogate pair", #","x":"\ud800""#, .malformed),
        ("T48", "surrogates in the wrong order", #","x":"\udc00\ud800""#, .malformed),
        ("T48", "an unknown escape", #","x":"\x41""#, .malformed),
        ("T48", "single quotes", ",'x':1", .malformed),
        ("T36", "a number too large for a Double", #","x":1e400"#, .malformed),
        ("T36", "a number of 400 digits", ",\"x\":" + String(repeating: "9", count: 400), .malformed),
        ("T36", "1 001 members", (0..<1001).map { ",\"\($0)\":0" }.joined(), .malformed),
    ]

    /// Adds tokens with faults of the JSON text in each part that has one.
    mutating func addJSON() throws(JOSEError) {
        let parts: [(String, String)] =
            switch issuer.form {
            case .signed: [("header", issuer.signatureHeader()), ("claims", issuer.claims())]
            case .encrypted: [("outer header", issuer.encryptionHeader()), ("claims", issuer.claims())]
            case .nested:
                [
                    ("header", issuer.signatureHeader()), ("claims", issuer.claims()),
                    ("outer header", issuer.encryptionHeader()),
                ]
            }
        for (part, text) in parts {
            for (name, bytes) in Self.laxTexts(text) {
                let token = try issuer.forged(
                    claims: part == "claims" ? bytes : Array(issuer.claims().utf8),
                    signatureHeader: part == "header" ? bytes : Array(issuer.signatureHeader().utf8),
                    encryptionHeader: part == "outer header" ? bytes : Array(issuer.encryptionHeader().utf8))
                add("T48", "\(part): \(name)", token, .malformed)
            }
        }
        for (threat, name, members, refusal) in Self.headerFaults where refusal == .malformed {
            let members = members.replacing(#"\u0061lg"#, with: #"\u0069ss"#)
            try addClaims(threat, "claims: \(name)", issuer.claims(adding: members), refusal)
        }
    }

    private static func laxTexts(_ text: String) -> [(String, [UInt8])] {
        let bytes = Array(text.utf8)
        let utf16 = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        return [
            ("nothing", []), ("text after it", bytes + Array("{}".utf8)), ("a list around it", Array("[\(text)]".utf8)),
            ("a string", Array("\"x\"".utf8)), ("a byte order mark", [0xEF, 0xBB, 0xBF] + bytes), ("UTF-16", utf16),
            ("a form feed before it", [0x0C] + bytes), ("its end left out", bytes.dropLast()),
            ("overlong UTF-8", bytes.dropLast() + Array(",\"x\":\"".utf8) + [0xC0, 0x80] + Array("\"}".utf8)),
            ("a lone continuation byte", bytes.dropLast() + Array(",\"".utf8) + [0x80] + Array("\":1}".utf8)),
            (
                "a surrogate in UTF-8",
                bytes.dropLast() + Array(",\"x\":\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"}".utf8)
            ),
        ]
    }
}
