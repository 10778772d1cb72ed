internal import CRaw
internal import JOSE

/// A recipient of encrypted tokens, ours and raw.
struct Recipient {
    let name: String
    let algorithm: KeyManagementAlgorithm
    /// The key; for a public-key recipient its private key.
    let key: JWK
    let secretField: [UInt8]
    let publicField: [UInt8]

    var keyField: craw_field { if case .symmetricKey = key { .secret } else { .key } }

    func encrypter(_ content: ContentEncryption, contentType: String? = nil) throws -> JWEEncrypter {
        var header = HeaderParameters(type: contentType == nil ? "JWT" : nil, contentType: contentType)
        // The number of iterations is the smallest allowed one: the iterations are OpenSSL's, and the work around them is to be
        // measured.
        if algorithm.name.hasPrefix("PBES2") { header.passwordIterations = 1_000 }
        switch key {
        case .privateKey(let key):
            return try JWEEncrypter(
                key: key.publicKey, keyManagement: algorithm, contentEncryption: content, header: header)
        case .symmetricKey(let key):
            return try JWEEncrypter(key: key, keyManagement: algorithm, contentEncryption: content, header: header)
        case .publicKey(let key):
            return try JWEEncrypter(key: key, keyManagement: algorithm, contentEncryption: content, header: header)
        }
    }

    /// Returns the OtherInfo of RFC 7518, 4.6.2, without party information.
    func info(_ content: ContentEncryption) -> [UInt8] {
        func word(_ number: Int) -> [UInt8] { [0, 0, UInt8(number >> 8), UInt8(number & 255)] }
        let wrapBits = ["A128KW": 128, "A192KW": 192, "A256KW": 256][algorithm.name.suffix(6)]
        let identifier = Array((wrapBits == nil ? content.name : algorithm.name).utf8)
        return word(identifier.count) + identifier + word(0) + word(0) + word(wrapBits ?? content.keyBytes * 8)
    }

    func rawEncrypt(
        _ content: ContentEncryption, _ token: TokenParts, _ plaintext: [UInt8], then others: [Raw] = []
    ) -> Raw {
        Raw(
            "encrypt", algorithm.name, enc: content.name,
            [(keyField, publicField), (.input, plaintext), (.aad, token.text[0]), (.info, info(content))], then: others)
    }

    /// Returns the raw decryption.
    ///
    /// - Parameter content: The content encryption, or nil for the content encryption key only.
    func rawDecrypt(
        _ content: ContentEncryption, _ token: TokenParts, _ plaintext: [UInt8], keyAlone: Bool = false,
        then others: [Raw] = []
    ) -> Raw {
        let call = decryption(content, token, plaintext, keyAlone: keyAlone)
        return Raw(call.operation, call.alg, enc: call.enc, call.fields, then: others)
    }

    func decryption(
        _ content: ContentEncryption, _ token: TokenParts, _ plaintext: [UInt8], keyAlone: Bool = false
    ) -> RawCall {
        RawCall(
            operation: "decrypt", alg: algorithm.name, enc: keyAlone ? nil : content.name,
            fields: [
                (keyField, secretField), (.input, plaintext), (.aad, token.text[0]),
                (.info, token.wrapping(algorithm.name) ?? info(content)),
                (.point, token.point), (.encrypted_key, token.decoded[1]), (.iv, token.decoded[2]),
                (.ciphertext, token.decoded[3]), (.tag, token.decoded[4]),
            ])
    }
}

extension Fixtures {
    /// Returns a recipient for every key management algorithm, and for ECDH-ES on every curve.
    func recipients() throws -> [Recipient] {
        func of(_ name: String, _ algorithm: KeyManagementAlgorithm, _ key: PrivateKey) throws -> Recipient {
            try Recipient(
                name: name, algorithm: algorithm, key: .privateKey(key), secretField: key.exportPrivateDER(),
                publicField: key.publicKey.der())
        }
        var list: [Recipient] = []
        for algorithm in KeyManagementAlgorithm.all {
            let name = algorithm.name
            if name.hasPrefix("RSA") {
                list.append(try of(name, algorithm, rsaForEncryption))
            } else if name.hasPrefix("ECDH") {
                for (curve, key) in [("P-256", p256), ("P-384", p384), ("P-521", p521), ("X448", x448)] {
                    list.append(try of("\(name) \(curve)", algorithm, key))
                }
                let members = TokenParts.members(try x25519.exportPrivateJWK())
                list.append(
                    Recipient(
                        name: "\(name) X25519", algorithm: algorithm, key: .privateKey(x25519),
                        secretField: members["d"] ?? [], publicField: members["x"] ?? []))
            } else if name.hasPrefix("PBES2") {
                list.append(try shared(algorithm, bytes: 32))
            } else if name != "dir" {
                list.append(try shared(algorithm, bytes: (Int(name.dropFirst().prefix(3)) ?? 0) / 8))
            }
        }
        return list
    }

    func shared(_ algorithm: KeyManagementAlgorithm, bytes: Int) throws -> Recipient {
        let (key, bytes) = try octets(bytes)
        return Recipient(
            name: algorithm.name, algorithm: algorithm, key: .symmetricKey(key), secretField: bytes, publicField: bytes)
    }

    /// Returns rows of each key management algorithm with one representative content encryption, and of each content encryption
    /// with a symmetric key.
    func encryptionRows() throws -> [Row] {
        var rows: [Row] = []
        for recipient in try recipients() {
            let isOldRSA = recipient.algorithm == .rsaOAEP
            rows += try encryptionRows(recipient, isOldRSA ? .a128cbcHS256 : .a256gcm)
        }
        for content in ContentEncryption.all {
            rows += try encryptionRows(shared(.dir, bytes: content.keyBytes), content)
        }
        rows.append(try rsa15Row())
        rows += try compressedRows()
        let order = ["decrypt": 0, "encrypt": 1]
        return rows.enumerated().sorted {
            (order[$0.element.group] ?? 2, $0.offset) < (order[$1.element.group] ?? 2, $1.offset)
        }.map(\.element)
    }

    private func encryptionRows(_ recipient: Recipient, _ content: ContentEncryption) throws -> [Row] {
        let payload = claims
        let encrypter = try recipient.encrypter(content)
        let token = Array(try encrypter.encrypt(payload).utf8)
        let name = "\(recipient.name) \(content.name)"
        let encrypt: Work = { count in
            var good = 0
            for _ in 0..<count {
                if let made = try? encrypter.encryptBytes(payload.span), made.count > payload.count { good += 1 }
            }
            return good
        }
        return [
            try decryptRow(recipient, content, token),
            Row("encrypt", name, encrypt, raw: { recipient.rawEncrypt(content, TokenParts(token), payload) }),
        ]
    }

    private func decryptRow(_ recipient: Recipient, _ content: ContentEncryption, _ token: [UInt8]) throws -> Row {
        let payload = claims
        let parts = TokenParts(token)
        let decrypter = try JWEDecrypter(
            keys: KeySet(recipient.key),
            policy: EncryptionPolicy(keyManagement: [recipient.algorithm], contentEncryption: [content]))
        let decrypt: Work = { count in
            var good = 0
            for _ in 0..<count {
                if let held = try? decrypter.decrypt(token.span), held.plaintext.count == payload.count { good += 1 }
            }
            return good
        }
        return Row(
            "decrypt", "\(recipient.name) \(content.name)", decrypt,
            raw: { recipient.rawDecrypt(content, parts, payload) })
    }

    /// Returns rows of compressed content. The raw calls are those of the cipher alone.
    private func compressedRows() throws -> [Row] {
        let content = ContentEncryption.a128gcm
        let recipient = try shared(.dir, bytes: content.keyBytes)
        guard case .symmetricKey(let key) = recipient.key else { return [] }
        var header = HeaderParameters(type: "JWT")
        header.compresses = true
        let encrypter = try JWEEncrypter(key: key, keyManagement: .dir, contentEncryption: content, header: header)
        var policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [content])
        policy.allowsCompression = true
        let decrypter = try JWEDecrypter(keys: KeySet(recipient.key), policy: policy)
        let payload = claims
        let token = Array(try encrypter.encrypt(payload).utf8)
        let parts = TokenParts(token)
        return [
            Row(
                "decrypt", "zip dir \(content.name)",
                { count in
                    var good = 0
                    for _ in 0..<count where (try? decrypter.decrypt(token.span))?.plaintext.count == payload.count {
                        good += 1
                    }
                    return good
                }, raw: { recipient.rawDecrypt(content, parts, []) }, note: "raw: the cipher, without zlib"),
            Row(
                "encrypt", "zip dir \(content.name)",
                { count in
                    var good = 0
                    for _ in 0..<count where (try? encrypter.encryptBytes(payload.span)) != nil { good += 1 }
                    return good
                }, raw: { recipient.rawEncrypt(content, parts, parts.decoded[3]) },
                note: "raw: the cipher, without zlib"),
        ]
    }

    /// Returns the row of RSA1_5, for which the raw calls make the token, because we never do.
    private func rsa15Row() throws -> Row {
        let recipient = try Recipient(
            name: "RSA1_5", algorithm: .rsa1_5BrokenDecryptionOnly, key: .privateKey(rsaForEncryption),
            secretField: rsaForEncryption.exportPrivateDER(), publicField: rsaForEncryption.publicKey.der())
        let header = TokenParts.encode(Array(#"{"alg":"RSA1_5","enc":"A256GCM","kid":"enc-1","typ":"JWT"}"#.utf8))
        let raw = Raw(
            "encrypt", "RSA1_5", enc: "A256GCM",
            [(.key, recipient.publicField), (.input, claims), (.aad, header)])
        let parts = [.encrypted_key, .iv, .ciphertext, .tag].map { TokenParts.encode(raw.made($0)) }
        return try decryptRow(recipient, .a256gcm, Array(([header] + parts).joined(separator: [UInt8(ascii: ".")])))
    }
}
