import JOSE
import JOSETesting

/// Single layers under every algorithm, with any payload and with headers that are mutated before signing or encrypting.
final class LayerTarget {
    private let signers: [(SignatureAlgorithm, JWK, JWSVerifier)]
    private let recipients: [(KeyManagementAlgorithm, JWK, [(ContentEncryption, JWK, JWEDecrypter)])]
    private let slow: Set<String> = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES384", "ES512", "RSA-OAEP", "RSA-OAEP-256",
        "RSA-OAEP-384",
        "RSA-OAEP-512", "PBES2-HS256+A128KW", "PBES2-HS384+A192KW", "PBES2-HS512+A256KW", "ML-DSA-44", "ML-DSA-65",
        "ML-DSA-87",
    ]

    private let rsa15: JWEDecrypter

    init() throws {
        rsa15 = try JWEDecrypter(
            keys: KeySet(try JWK(parsing: Seeds.rsa15Key)),
            policy: EncryptionPolicy(
                keyManagement: [.rsa1_5BrokenDecryptionOnly], contentEncryption: [.a128cbcHS256]))
        let private_ = try Seeds.privateKeys.map { try JWK(parsing: $0) }
        func key(_ kind: KeyKind) -> JWK { private_.first { $0.kind == kind } ?? private_[0] }
        signers = try SignatureAlgorithm.all.filter(\.isAvailable).map {
            algorithm in
            let key: JWK =
                switch algorithm {
                case .hs256, .hs384, .hs512: .symmetricKey(try .generate(bits: 512))
                case .es256: key(.p256)
                case .es384: key(.p384)
                case .es512: key(.p521)
                case .edDSA, .ed25519: key(.ed25519)
                case .es256k: .privateKey(try .generate(.secp256k1))
                case .ed448: .privateKey(try .generate(.ed448))
                case .mlDSA44: .privateKey(try .generate(.mlDSA44))
                case .mlDSA65: .privateKey(try .generate(.mlDSA65))
                case .mlDSA87: .privateKey(try .generate(.mlDSA87))
                default: key(.rsa(bits: 2048))
                }
            var policy = SignaturePolicy(algorithms: [algorithm])
            policy.understoodCritical = ["x", "exp"]
            return (algorithm, key, try JWSVerifier(keys: KeySet([key]), policy: policy))
        }
        // `dir` is last, and takes the place of slow algorithms.
        recipients = try (KeyManagementAlgorithm.all.filter { $0 != .dir } + [.dir]).flatMap {
            algorithm -> [(KeyManagementAlgorithm, JWK, [(ContentEncryption, JWK, JWEDecrypter)])] in
            let keys: [JWK]
            switch algorithm.name.prefix(4) {
            case "ECDH":
                keys = [.p256, .x25519, .p384, .p521].map { key($0) } + [.privateKey(try .generate(.x448))]
            case "RSA-": keys = [key(.rsa(bits: 2048))]
            case "A128": keys = [.symmetricKey(try .generate(bits: 128))]
            case "A192": keys = [.symmetricKey(try .generate(bits: 192))]
            case "A256": keys = [.symmetricKey(try .generate(bits: 256))]
            default: keys = [.symmetricKey(try .generate(bits: 256))]
            }
            return try keys.map { key in
                let contents = try ContentEncryption.all.map { content in
                    let key = algorithm == .dir ? JWK.symmetricKey(try .generate(bits: content.keyBytes * 8)) : key
                    var policy = EncryptionPolicy(keyManagement: [algorithm], contentEncryption: [content])
                    policy.limits.maxPBKDF2Iterations = 2_000
                    return (content, key, try JWEDecrypter(keys: KeySet([key]), policy: policy))
                }
                return (algorithm, key, contents)
            }
        }
    }

    func run(_ dice: inout Dice, _ tally: inout Tally) throws {
        var payload = Array(dice.pick(["", "x", "{}", "some text", String(repeating: "y", count: 1_000)]).utf8)
        if dice.once(in: 2) { ByteMutator.change(&payload, &dice) }
        switch dice.below(5) {
        case 0, 1: try sign(payload, &dice, &tally)
        case 2, 3: dice.once(in: 32) ? oldRSA(&dice, &tally) : try encrypt(payload, &dice, &tally)
        default: write(payload, &dice, &tally)
        }
    }

    private func sign(_ payload: [UInt8], _ dice: inout Dice, _ tally: inout Tally) throws {
        var row = dice.pick(signers)
        if slow.contains(row.0.name), !dice.once(in: 16) { row = signers[0] }
        let (algorithm, key, verifier) = row
        var header = Array(#"{"alg":"\#(algorithm)"}"#.utf8)
        let isMutated = dice.below(100) < 60
        if isMutated { header = JSONMutator.header.change(header, &dice) }
        let token = Array(try Forge.signed(header: header, payload: payload, with: key, algorithm).utf8)
        let (refusal, verified) = outcome { () throws(JOSEError) in try verifier.verify(token) }
        tally.count("JWS layer", refusal)
        if !isMutated { tally.expect(refusal == nil, "\(algorithm): a good JWS was refused") }
        if let verified {
            tally.expect(verified.payload == payload && verified.header.bytes == header, "\(algorithm): other content")
        }
        let changed = TokenMutator.change(token, other: token, &dice)
        let (after, _) = outcome { () throws(JOSEError) in try verifier.verify(changed) }
        tally.count("JWS layer, then mutated", after)
        tally.expect(after != nil, "\(algorithm): accepted though changed: \(String(decoding: changed, as: UTF8.self))")
        tally.countToken(before: isMutated, after: true)
    }

    /// Checks headers of a caller: they are rejected when the signer or encrypter is created, or are valid.
    private func write(_ payload: [UInt8], _ dice: inout Dice, _ tally: inout Tally) {
        var header = HeaderParameters()
        let mutated = JSONMutator.split(JSONMutator.header.change(Array(#"{"x":1,"typ":"a"}"#.utf8), &dice))
        for (name, value) in mutated.prefix(dice.below(4)) {
            header.set(String(name.dropFirst().dropLast()), json: Array(value.utf8))
        }
        if dice.once(in: 4) { header.type = dice.pick(["JWT", "", "\u{0}\"\\\u{e9}"]) }
        if dice.once(in: 4) { header.contentType = dice.pick(["JWT", "", "\u{1F600}"]) }
        if dice.once(in: 4) { header.keyID = dice.pick(["1", "", "\u{7f}"]) }
        if dice.once(in: 4) {
            header.critical = dice.pick([["x"], ["exp", "x"], ["alg"], [""], ["x", "x"], ["b64"]])
        }
        if dice.once(in: 4) { (header.agreementPartyU, header.agreementPartyV) = ([], [1, 2, 3]) }
        guard case .symmetricKey(let mac) = signers[0].1,
            case .symmetricKey(let wrap) = recipients[recipients.count - 1].1
        else { return }
        var signature = SignaturePolicy(algorithms: [.hs256])
        signature.understoodCritical = header.critical
        guard let verifier = try? JWSVerifier(keys: KeySet(mac), policy: signature) else {
            return tally.expect(false, "a verifier with a suitable key")
        }
        let (refusal, signer) = outcome { () throws(JOSEError) in
            try JWSSigner(key: mac, algorithm: .hs256, header: header)
        }
        tally.count("Signer", refusal)
        if let signer {
            let (refusal, _) = outcome { () throws(JOSEError) in try verifier.verify(signer.sign(payload)) }
            tally.expect(refusal == nil, "a signer's own token: \(refusal?.rawValue ?? ""): \(mutated)")
            tally.countToken(before: true, after: false)
        }
        var encryption = EncryptionPolicy(keyManagement: [.dir, .ecdhES], contentEncryption: [.a256gcm])
        encryption.understoodCritical = header.critical
        guard case .privateKey(var agreement)? = recipients.first(where: { $0.0 == .ecdhES && $0.1.kind == .x25519 })?.1
        else { return }
        // A key without a `kid` matches every header.
        agreement.keyID = nil
        let keys = KeySet([.symmetricKey(wrap), .privateKey(agreement)])
        guard let decrypter = try? JWEDecrypter(keys: keys, policy: encryption) else {
            return tally.expect(false, "a decrypter with suitable keys")
        }
        let isAgreed = dice.once(in: 2)
        let (other, encrypter) = outcome { () throws(JOSEError) in
            isAgreed
                ? try JWEEncrypter(
                    key: agreement.publicKey, keyManagement: .ecdhES, contentEncryption: .a256gcm, header: header)
                : try JWEEncrypter(key: wrap, keyManagement: .dir, contentEncryption: .a256gcm, header: header)
        }
        tally.count("Encrypter", other)
        if let encrypter {
            let (refusal, _) = outcome { () throws(JOSEError) in try decrypter.decrypt(encrypter.encrypt(payload)) }
            tally.expect(refusal == nil, "an encrypter's own token: \(refusal?.rawValue ?? ""): \(mutated)")
            tally.countToken(before: true, after: false)
        }
    }

    /// Mutates the token of RFC 7516, A.2, which is the only one with RSA1_5, because the library does not write such tokens.
    private func oldRSA(_ dice: inout Dice, _ tally: inout Tally) {
        let changed =
            dice.once(in: 8)
            ? Seeds.rsa15Token
            : TokenMutator.change(
                Seeds.rsa15Token, other: Seeds.rsa15Token, &dice)
        let (refusal, _) = outcome { () throws(JOSEError) in try rsa15.decrypt(changed) }
        tally.count("RSA1_5", refusal)
        tally.expect((refusal == nil) == (changed == Seeds.rsa15Token), "RSA1_5: \(refusal?.rawValue ?? "accepted")")
        tally.countToken(before: false, after: true)
    }

    private func encrypt(_ plaintext: [UInt8], _ dice: inout Dice, _ tally: inout Tally) throws {
        var row = dice.pick(recipients)
        if slow.contains(row.0.name) || [.p384, .p521, .x448].contains(row.1.kind), !dice.once(in: 16) {
            row = recipients[recipients.count - 1]
        }
        let algorithm = row.0
        let (content, key, decrypter) = dice.pick(row.2)
        let fresh = Forge.freshMembers(algorithm)
        var header = Array(#"{"alg":"\#(algorithm)","enc":"\#(content)"\#(fresh)}"#.utf8)
        let isMutated = dice.below(100) < 60
        if isMutated { header = JSONMutator.header.change(header, &dice) }
        let token = Array(try Forge.encrypted(header: header, plaintext: plaintext, with: key, algorithm, content).utf8)
        let (refusal, decrypted) = outcome { () throws(JOSEError) in try decrypter.decrypt(token) }
        tally.count("JWE layer", refusal)
        if !isMutated { tally.expect(refusal == nil, "\(algorithm) \(content): a good JWE was refused") }
        if let decrypted { tally.expect(decrypted.plaintext == plaintext, "\(algorithm) \(content): other content") }
        let changed = TokenMutator.change(token, other: token, &dice)
        let (after, _) = outcome { () throws(JOSEError) in try decrypter.decrypt(changed) }
        tally.count("JWE layer, then mutated", after)
        tally.expect(
            after != nil,
            "\(algorithm) \(content): accepted though changed: \(String(decoding: changed, as: UTF8.self))")
        tally.countToken(before: isMutated, after: true)
    }
}
