internal import CRaw
internal import JOSE

extension Fixtures {
    func keyRows() throws -> [Row] {
        try parseRows() + fileRows() + thumbprintRows() + generateRows()
    }

    private func parse(_ name: String, _ text: String, raw: (() -> Raw)? = nil, note: String? = nil) -> Row {
        let bytes = Array(text.utf8)
        return Row(
            "parse", name,
            { count in
                var good = 0
                for _ in 0..<count where (try? JWK(parsing: bytes.span)) != nil { good += 1 }
                return good
            }, raw: raw, note: note)
    }

    private func rawRSA() -> Raw {
        let members = TokenParts.members(Array(rsa.publicKey.jwk().utf8))
        return Raw("key", "RSA", [(.modulus, members["n"] ?? []), (.exponent, members["e"] ?? [])])
    }

    private func rawEC() -> Raw {
        let members = TokenParts.members(Array(p256.publicKey.jwk().utf8))
        return Raw("key", "EC", [(.point, [4] + (members["x"] ?? []) + (members["y"] ?? []))])
    }

    private func parseRows() throws -> [Row] {
        let ed25519Public = TokenParts.members(Array(ed25519.publicKey.jwk().utf8))["x"] ?? []
        func rawDER(_ key: PrivateKey) throws -> () -> Raw {
            let der = try key.exportPrivateDER()
            return { Raw("key", "DER", [(.key, der)]) }
        }
        let privateRSA = String(decoding: try rsa.exportPrivateJWK(), as: UTF8.self)
        let privateEC = String(decoding: try p256.exportPrivateJWK(), as: UTF8.self)
        let secret = String(decoding: try octets(32).key.exportSecretJWK(), as: UTF8.self)
        return [
            parse("JWK RSA public", rsa.publicKey.jwk(), raw: rawRSA),
            parse(
                "JWK RSA private", privateRSA, raw: try rawDER(rsa), note: "raw: DER, which does not check the numbers"),
            parse("JWK P-256 public", p256.publicKey.jwk(), raw: rawEC),
            parse("JWK P-256 private", privateEC, raw: try rawDER(p256), note: "raw: DER, which does not check d"),
            parse(
                "JWK Ed25519 public", ed25519.publicKey.jwk(),
                raw: { Raw("key", "Ed25519 check", [(.key, ed25519Public)]) }),
            parse("JWK oct", secret),
            setRow(),
        ]
    }

    /// Returns the row of ten keys, as a provider publishes them during a rotation.
    private func setRow() -> Row {
        let keys =
            [JWK](repeating: .publicKey(rsa.publicKey), count: 5)
            + Array(repeating: .publicKey(p256.publicKey), count: 5)
        let bytes = Array(KeySet(keys).jwks().utf8)
        return Row(
            "parse", "key set of 10",
            { count in
                var good = 0
                for _ in 0..<count {
                    if let set = try? KeySet(parsing: bytes.span, as: .publicOnly), set.keys.count == 10 { good += 1 }
                }
                return good
            },
            raw: {
                let first = rawRSA()
                return Raw(
                    "key", "EC", rawECFields(),
                    then: [first] + (0..<4).flatMap { _ in [rawRSA(), rawEC()] })
            })
    }

    private func rawECFields() -> [(craw_field, [UInt8])] {
        let members = TokenParts.members(Array(p256.publicKey.jwk().utf8))
        return [(.point, [4] + (members["x"] ?? []) + (members["y"] ?? []))]
    }

    private func fileRows() throws -> [Row] {
        let publicPEM = Array(try rsa.publicKey.pem().utf8)
        let privatePEM = try rsa.exportPrivatePEM()
        let key = rsa.publicKey
        let der = try key.der()
        return [
            Row(
                "import", "PEM RSA public",
                { count in
                    var good = 0
                    for _ in 0..<count where (try? PublicKey(pem: publicPEM.span)) != nil { good += 1 }
                    return good
                }, raw: { Raw("key", "PEM public", [(.input, publicPEM)]) }),
            Row(
                "import", "PEM RSA private",
                { count in
                    var good = 0
                    for _ in 0..<count where (try? PrivateKey(pem: privatePEM.span)) != nil { good += 1 }
                    return good
                }, raw: { Raw("key", "PEM private", [(.input, privatePEM)]) },
                note: "raw: does not check the numbers"),
            Row(
                "export", "PEM RSA public",
                { count in
                    var good = 0
                    for _ in 0..<count where (try? key.pem()) != nil { good += 1 }
                    return good
                }, raw: { Raw("key", "PEM write", [(.key, der)]) }),
            Row(
                "export", "JWK RSA public",
                { count in
                    var good = 0
                    for _ in 0..<count where !key.jwk().isEmpty { good += 1 }
                    return good
                }),
        ]
    }

    private func thumbprintRows() -> [Row] {
        [("RSA", rsa.publicKey), ("P-256", p256.publicKey), ("Ed25519", ed25519.publicKey)].map { name, key in
            // The text has the length of the input of the thumbprint (RFC 7638, 3.1): without kid, with all other members of the
            // key.
            let canonical = Array(key.jwk().utf8.dropLast(",\"kid\":\"sig-1\"".utf8.count))
            return Row(
                "thumbprint", name,
                { count in
                    var good = 0
                    for _ in 0..<count { if (try? key.thumbprint().count) == 32 { good += 1 } }
                    return good
                }, raw: { Raw("digest", "256", [(.input, canonical)]) },
                speed: .digest("sha256", bytes: canonical.count))
        }
    }

    private func generateRows() -> [Row] {
        [("P-256", KeyKind.p256), ("Ed25519", .ed25519)].map { name, kind in
            Row(
                "generate", name,
                { count in
                    var good = 0
                    for _ in 0..<count where (try? PrivateKey.generate(kind)) != nil { good += 1 }
                    return good
                }, raw: { Raw("key", "generate \(name)", []) })
        }
    }
}
