internal import Foundation
internal import JOSE
internal import JOSETokens

/// The keys and certificates of `Tests/Vectors/own/keycost.json`: the most expensive ones of each form, and hostile ones.
private struct KeyCostVectors: Decodable {
    struct Key: Decodable {
        let what: String
        let outcome: String
        let jwk: [String: Member]

        var isAccepted: Bool { outcome == "accepted" }
        var text: String {
            get throws { try String(decoding: KeyCostVectors.encoder.encode(jwk), as: UTF8.self) }
        }
        /// The key as text, without the members that follow from n, e and d.
        var bare: String {
            get throws {
                let names = ["kty", "n", "e", "d"]
                return try String(
                    decoding: KeyCostVectors.encoder.encode(jwk.filter { names.contains($0.key) }), as: UTF8.self)
            }
        }
    }
    enum Member: Codable {
        case text(String)
        case list([String])

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            self = try (try? value.decode(String.self)).map { .text($0) } ?? .list(value.decode([String].self))
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .text(let text): try value.encode(text)
            case .list(let list): try value.encode(list)
            }
        }
    }
    let factors: [Key]
    let jwks: [Key]

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    init() throws {
        let file = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../Tests/Vectors/own/keycost.json").standardizedFileURL
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }

    /// Returns the text of the first key whose name begins so.
    func text(_ beginning: String) throws -> String {
        guard let found = (factors + jwks).first(where: { $0.what.hasPrefix(beginning) }) else {
            throw JOSEError.keyNotFound
        }
        return try found.text
    }
}

extension Fixtures {
    /// Returns rows of the import of one key: the most expensive one of each kind that is accepted, and rejected ones.
    func keyCostRows() throws -> [Row] {
        let vectors = try KeyCostVectors()
        return try publicRows(vectors) + privateRows(vectors) + strangerRows(vectors) + ephemeralRows()
            + setRows(vectors)
    }

    /// Returns a row that is correct if `body` succeeds, or for a hostile input if it throws.
    private func row(_ name: String, isAccepted: Bool = true, _ body: @escaping () throws -> Void) -> Row {
        Row(
            "key-cost", isAccepted ? name : "rejected: " + name,
            { count in
                var good = 0
                for _ in 0..<count {
                    do {
                        try body()
                        good += isAccepted ? 1 : 0
                    } catch {
                        good += isAccepted ? 0 : 1
                    }
                }
                return good
            })
    }

    private func reading(_ name: String, _ jwk: String, isAccepted: Bool = true) -> Row {
        let bytes = Array(jwk.utf8)
        return row(name, isAccepted: isAccepted) { _ = try JWK(parsing: bytes.span) }
    }

    private func publicRows(_ vectors: KeyCostVectors) throws -> [Row] {
        let kinds: [(String, PrivateKey)] = [
            ("P-256", p256), ("P-384", p384), ("P-521", p521), ("secp256k1", secp256k1), ("Ed25519", ed25519),
            ("Ed448", ed448), ("X25519", x25519), ("X448", x448),
        ]
        return try vectors.jwks.map { key in
            try reading("public, " + key.what, key.text, isAccepted: key.isAccepted)
        } + kinds.map { name, key in reading("public, " + name, key.publicKey.jwk()) }
    }

    private func privateRows(_ vectors: KeyCostVectors) throws -> [Row] {
        var kinds: [(String, PrivateKey)] = [
            ("P-256", p256), ("P-384", p384), ("P-521", p521), ("secp256k1", secp256k1), ("Ed25519", ed25519),
            ("Ed448", ed448), ("X25519", x25519), ("X448", x448),
        ]
        if SignatureAlgorithm.mlDSA87.isAvailable { kinds.append(("ML-DSA-87", try .generate(.mlDSA87))) }
        let pairs = try kinds.map { name, key in
            reading("private, " + name, String(decoding: try key.exportPrivateJWK(), as: UTF8.self))
        }
        let secret = try SecretKey(bytes: [UInt8](repeating: 7, count: 8192)).exportSecretJWK()
        let whole = try vectors.text("8192 bits")
        let factors = try vectors.factors.filter { key in
            !key.isAccepted || key.what.hasSuffix("bits, d modulo lcm(p - 1, q - 1)")
        }.map { key in try reading("n, e and d alone, " + key.what, key.bare, isAccepted: key.isAccepted) }
        return pairs + factors + [
            reading("secret, oct of 8192 bytes", String(decoding: secret, as: UTF8.self)),
            reading("private, RSA of 8192 bits", whole),
        ]
    }

    /// Returns rows of keys in a token: in a DPoP proof, whose sender may be anyone, and in `cnf`.
    private func strangerRows(_ vectors: KeyCostVectors) throws -> [Row] {
        let prime = try vectors.text("a prime of 8192 bits")
        let large = try vectors.text("RSA of 8192 bits")
        let curve = try vectors.text("x5c with an explicit curve")
        func proof(_ name: String, _ jwk: String) throws -> Row {
            let request = DPoPRequest(method: "POST", url: "https://as.example.org/token")
            let payload = #"{"jti":"a","htm":"POST","htu":"https://as.example.org/token","iat":\#(now)}"#
            let parts = [#"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(jwk)}"#, payload].map {
                TokenParts.encode(Array($0.utf8))
            }
            let signature = TokenParts.encode([UInt8](repeating: 1, count: 64))
            let token = Array((parts + [signature]).joined(separator: [UInt8(ascii: ".")]))
            let verifier = try DPoPVerifier(algorithms: [.es256], replayStore: nil)
            return row(name, isAccepted: false) { _ = try verifier.verify(token.span, for: request) }
        }
        func confirmation(_ name: String, _ jwk: String, isAccepted: Bool = true) throws -> Row {
            let text = String(decoding: claims, as: UTF8.self).dropLast() + #","cnf":{"jwk":\#(jwk)}}"#
            let signed = try SignedCase(self, .hs256, claims: Array(text.utf8))
            let verified = try signed.verifier.verify(signed.token.span)
            return row(name, isAccepted: isAccepted) { _ = try verified.claims.confirmation() }
        }
        return try [
            proof("DPoP proof with a private RSA key of a prime modulus", prime),
            proof("DPoP proof with an RSA key of 8192 bits, for another algorithm", large),
            proof("DPoP proof with an explicit curve in x5c", curve),
            confirmation("cnf.jwk, RSA of 8192 bits", large),
            confirmation("cnf.jwk with a private RSA key of a prime modulus", prime, isAccepted: false),
            confirmation("cnf.jwk with an explicit curve in x5c", curve, isAccepted: false),
        ]
    }

    /// Returns rows of an `epk` of each curve with its key agreement, and of one that is not on its curve.
    private func ephemeralRows() throws -> [Row] {
        let keys: [(String, PrivateKey)] = [
            ("P-256", p256), ("P-384", p384), ("P-521", p521), ("X25519", x25519), ("X448", x448),
        ]
        return try keys.flatMap { name, key -> [Row] in
            let policy = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a256gcm])
            let decrypter = try JWEDecrypter(keys: KeySet(.privateKey(key)), policy: policy)
            let token = try JWEEncrypter(key: key.publicKey, keyManagement: .ecdhES, contentEncryption: .a256gcm)
                .encrypt(claims)
            let good = row("epk, " + name) { _ = try decrypter.decrypt(token) }
            guard name.hasPrefix("P") else { return [good] }
            // The value of x is in the place of y.
            var parts = TokenParts(Array(token.utf8)).text
            let header = String(decoding: TokenParts.decode(parts[0]), as: UTF8.self)
            guard let range = header.range(of: #""y":""#), let x = header.range(of: #""x":""#) else { return [good] }
            let count = header[range.upperBound...].prefix { $0 != "\"" }.count
            let copied = header[x.upperBound...].prefix(count)
            let off = header[..<range.upperBound] + copied + header[range.upperBound...].dropFirst(count)
            parts[0] = TokenParts.encode(Array(off.utf8))
            let hostile = String(decoding: Array(parts.joined(separator: [UInt8(ascii: ".")])), as: UTF8.self)
            return [good, row("epk off its curve, " + name, isAccepted: false) { _ = try decrypter.decrypt(hostile) }]
        }
    }

    /// Returns rows of key sets with the largest number of keys.
    private func setRows(_ vectors: KeyCostVectors) throws -> [Row] {
        func set(_ name: String, _ jwk: String) -> Row {
            let text = #"{"keys":[\#([String](repeating: jwk, count: 100).joined(separator: ","))]}"#
            let bytes = Array(text.utf8)
            return row("key set of 100, " + name) {
                guard try KeySet(parsing: bytes.span, as: .publicOnly).keys.count == 100 else {
                    throw JOSEError.keyNotFound
                }
            }
        }
        return try [
            set("RSA of 8192 bits", vectors.text("RSA of 8192 bits")), set("P-521", p521.publicKey.jwk()),
        ]
    }
}
