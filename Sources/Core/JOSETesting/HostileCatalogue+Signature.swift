internal import JOSE
internal import JOSESupport

extension HostileCatalogue {
    /// Adds tokens with an `alg` that the policy does not allow, and with keys of their own.
    mutating func addAlgorithms() throws(JOSEError) {
        let (input, signature) = try goodParts()
        let payload = issuer.claims()
        for spelling in ["none", "None", "NONE", "nOnE", "none ", " none", "none\\u0000", "\\u006eone", ""] {
            let unsecured = Forge.input(header: #"{"alg":"\#(spelling)"}"#, payload: payload)
            try addInner("T01", "alg '\(spelling)' without a signature", unsecured + ".", .algorithmNotAllowed)
            try addInner(
                "T01", "alg '\(spelling)' with the signature of another", Forge.token(unsecured, signature: signature),
                .algorithmNotAllowed)
        }
        try addInner("T01", "the signature cut off", input + ".", .signatureInvalid)
        try addPublicKeyAsSecret(payload)

        let attacker = try TestIssuer.key(for: issuer.signature)
        try addInner(
            "T09", "another key under the same kid", try Forge.signed(input, with: attacker, issuer.signature),
            .signatureInvalid)
        let values = [
            ("T07", "jku", #""https://attacker.test/jwks""#), ("T07", "x5u", #""https://attacker.test/chain""#),
            ("T07", "x5c", #"["MIIB"]"#), ("T06", "jwk", attacker.publicKey?.jwk() ?? #"{"kty":"oct","k":"AAAA"}"#),
        ]
        for (threat, name, value) in values {
            let header = issuer.signatureHeader(adding: #","\#(name)":\#(value)"#)
            try addInner(
                threat, "signed with the key that its \(name) names",
                try Forge.signed(header: header, payload: payload, with: attacker, issuer.signature), .signatureInvalid)
        }
        for kid in ["../../../../dev/null", "' OR 1=1 --", "test-signature\\u0000", "TEST-SIGNATURE", "", "%00"] {
            try addHeader("T08", "kid '\(kid)'", #"{"alg":"\#(issuer.signature.name)","kid":"\#(kid)"}"#, .noKey)
        }
    }

    private mutating func addPublicKeyAsSecret(_ payload: String) throws(JOSEError) {
        var secrets: [(String, [UInt8])] = [("nothing", [])]
        if let key = issuer.signingKey.publicKey {
            secrets += [
                ("the public key as JWK", Array(key.jwk().utf8)), ("the public key as PEM", Array(try key.pem().utf8)),
                ("the public key as DER", try key.der()),
            ]
        }
        for (name, secret) in secrets {
            let input = Forge.input(header: #"{"alg":"HS256","kid":"test-signature"}"#, payload: payload)
            guard let mac = try Forge.mac(of: input, key: secret, .hs256) else { continue }
            try addInner(
                name == "nothing" ? "T04" : "T02", "HS256 keyed with \(name)", Forge.token(input, signature: mac),
                issuer.signature == .hs256 ? .signatureInvalid : .algorithmNotAllowed)
        }
    }

    mutating func addSignatures() throws(JOSEError) {
        let (input, good) = try goodParts()
        let half = good.count / 2
        var forms: [(threat: String, name: String, signature: [UInt8])] = []
        func add(_ threat: String, _ name: String, _ signature: [UInt8]) { forms.append((threat, name, signature)) }
        add("T11", "a signature of zeros", [UInt8](repeating: 0, count: good.count))
        add("T11", "a signature of ones", [UInt8](repeating: 255, count: good.count))
        add("T16", "an octet less", good.dropLast())
        add("T16", "an octet of zero after", good + [0])
        add("T16", "an octet of zero before", [0] + good)
        add("T16", "the first half", Array(good[..<half]))
        for index in [0, half, good.count - 1] {
            var changed = good
            changed[index] ^= 1
            add("T58", "one bit of octet \(index) changed", changed)
        }
        if case .ec = issuer.signature.core.traits.key {
            let r = Array(good[..<half])
            let s = Array(good[half...])
            let zero = [UInt8](repeating: 0, count: half)
            let one: [UInt8] = zero.dropLast() + [UInt8(1)]
            add("T11", "r = 0", zero + s)
            add("T11", "s = 0", r + zero)
            add("T11", "r = s = 1", one + one)
            add("T12", "ASN.1 in place of r and s", Self.der(r, s))
            add("T12", "wider halves", [0] + r + [UInt8(0)] + s)
        }
        for (threat, name, signature) in forms {
            try addInner(threat, name, Forge.token(input, signature: signature), .signatureInvalid)
        }
        let changed = Forge.input(
            header: issuer.signatureHeader(), payload: issuer.claims(adding: #","admin":true"#))
        try addInner(
            "T58", "another payload under the signature", Forge.token(changed, signature: good), .signatureInvalid)
        let expired = Forge.input(header: issuer.signatureHeader(), payload: #"{"exp":1}"#)
        try addInner("T56", "expired, and not signed", Forge.token(expired, signature: good), .signatureInvalid)
    }

    private static func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        func integer(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = Array(bytes.drop { $0 == 0 })
            if bytes.first ?? 0x80 >= 0x80 { bytes.insert(0, at: 0) }
            return [2, UInt8(bytes.count)] + bytes
        }
        let body = integer(r) + integer(s)
        return body.count < 128 ? [0x30, UInt8(body.count)] + body : [0x30, 0x81, UInt8(body.count)] + body
    }

    /// Adds texts that only a lax parser accepts as the token.
    mutating func addShapes() throws(JOSEError) {
        let (input, signature) = try goodParts()
        let good = Forge.token(input, signature: signature)
        let parts = good.split(separator: ".").map { String($0) }
        let dots = String(repeating: ".", count: 10_000)
        let marked = parts[0] + ".\u{301}" + parts[1] + "." + parts[2]
        let shapes: [(String, String, String)] = [
            ("T33", "a dot after it", good + "."), ("T33", "ten thousand dots", good + dots),
            ("T33", "a part less", input),
            ("T41", "JSON, flattened", Self.flattened(parts)), ("T41", "JSON, general", Self.general(parts)),
            ("T41", "JSON whose first name is the token's beginning", #"{"\#(parts[0]).\#(parts[1]).":"","x":1}"#),
            ("T45", "in quotes", "\"\(good)\""), ("X02", "a combining mark on the first dot", marked),
            ("T49", "a space before it", " " + good), ("T49", "a line end after it", good + "\n"),
            ("T49", "a NUL after it", good + "\0"),
            ("T49", "padding", good + "="), ("T49", "an empty text", ""),
        ]
        for (threat, name, text) in shapes { try addInner(threat, name, text, .malformed) }
        let long = issuer.claims(adding: #","x":"\#(String(repeating: "x", count: 256 * 1024))""#)
        add("T34", "larger than the limit", try issuer.forged(claims: long), .tooLarge)
        try addLaxEncodings(parts)
    }

    private mutating func addLaxEncodings(_ parts: [String]) throws(JOSEError) {
        for part in 0..<2 {
            for (name, change) in Self.laxEncodings {
                guard let changed = change(parts[part]) else { continue }
                let input = part == 0 ? changed + "." + parts[1] : parts[0] + "." + changed
                try addInner(
                    "T49", "\(name) in part \(part + 1)",
                    try Forge.signed(input, with: issuer.signingKey, issuer.signature),
                    .malformed)
            }
        }
    }

    /// Other encodings of the same bytes; nil if the text has no such encoding.
    static let laxEncodings: [(String, @Sendable (String) -> String?)] = [
        ("padding", { $0 + "====".prefix(4 - $0.utf8.count % 4) }),
        ("a line end", { inserting("\n", $0) }), ("a space", { inserting(" ", $0) }),
        ("a lone character", { $0.utf8.count % 4 == 0 ? $0 + "A" : nil }),
        ("the other alphabet", { otherAlphabet($0) }), ("unused bits set", { withUnusedBit($0) }),
    ]

    private static func inserting(_ character: Character, _ text: String) -> String {
        var text = text
        text.insert(character, at: text.index(text.startIndex, offsetBy: min(4, text.count)))
        return text
    }

    private static func otherAlphabet(_ text: String) -> String? {
        let other = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(other) == text ? nil : String(other)
    }

    private static func withUnusedBit(_ text: String) -> String? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard text.utf8.count % 4 != 0, let last = text.last, let index = alphabet.firstIndex(of: last) else {
            return nil
        }
        return String(text.dropLast()) + String(alphabet[index | 1])
    }

    private static func flattened(_ parts: [String]) -> String {
        #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#
    }

    private static func general(_ parts: [String]) -> String {
        #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#
    }
}
