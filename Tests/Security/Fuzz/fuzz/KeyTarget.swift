import JOSE
import JOSETesting

/// Mutated keys as JWK, JWK Set, PEM and DER. An accepted key must be unchanged after it is written and read again.
final class KeyTarget {
    private let texts: [[UInt8]]
    private let files: [[UInt8]]
    private let pems: [[UInt8]]

    init() throws {
        var texts = Seeds.symmetricKeys + Seeds.privateKeys
        var files: [[UInt8]] = []
        var pems = Seeds.encryptedKeys.map { Array($0.utf8) }
        // The primes are left out, and recovered on import.
        let bare = JSONMutator.split(Array(Seeds.privateKeys[Seeds.privateKeys.count - 1].utf8)).filter {
            !["\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\""].contains($0.name)
        }
        texts.append("{" + bare.map { $0.name + ":" + $0.value }.joined(separator: ",") + "}")
        for text in Seeds.privateKeys {
            let key = try PrivateKey(jwk: text)
            texts.append(key.publicKey.jwk())
            for form in [PrivateKeyForm.pkcs8, .pkcs1, .sec1] {
                guard let der = try? key.exportPrivateDER(form) else { continue }
                files.append(der)
                pems.append(try key.exportPrivatePEM(form))
            }
            for form in [PublicKeyForm.spki, .pkcs1] {
                guard let der = try? key.publicKey.der(form) else { continue }
                files.append(der)
                pems.append(Array(try key.publicKey.pem(form).utf8))
            }
        }
        self.texts = texts.map { Array($0.utf8) }
        self.files = files
        self.pems = pems
    }

    func run(_ dice: inout Dice, _ tally: inout Tally) {
        switch dice.below(8) {
        case 0, 1, 2: jwk(&dice, &tally)
        case 3, 4: set(&dice, &tally)
        case 5: pem(&dice, &tally)
        default: der(&dice, &tally)
        }
    }

    /// Picks an input. RSA keys, which are long and slow to check, are picked less often.
    private func pick(_ choices: [[UInt8]], _ dice: inout Dice) -> [UInt8] {
        let choice = dice.pick(choices)
        return choice.count > 800 && !dice.once(in: 8) ? dice.pick(choices) : choice
    }

    private func mutatedText(_ dice: inout Dice) -> [UInt8] {
        var text = pick(texts, &dice)
        if dice.once(in: 3) {
            // The numbers are changed in canonical base64url.
            var members = JSONMutator.split(text)
            let place = dice.below(members.count)
            if var bytes = Forge.decoded(String(members[place].value.dropFirst().dropLast())) {
                ByteMutator.change(&bytes, &dice)
                members[place].value = "\"\(Forge.encoded(bytes))\""
                text = Array(("{" + members.map { $0.name + ":" + $0.value }.joined(separator: ",") + "}").utf8)
            }
        } else {
            text = JSONMutator.key.change(text, &dice)
        }
        return text
    }

    private func jwk(_ dice: inout Dice, _ tally: inout Tally) {
        let text = mutatedText(&dice)
        let (refusal, key) = outcome { () throws(JOSEError) in try JWK(parsing: text) }
        tally.count("JWK", refusal)
        if let key { again(key, "JWK", &tally) }
    }

    private func set(_ dice: inout Dice, _ tally: inout Tally) {
        let count = dice.pick([0, 1, 1, 2, 2, 3, 101])
        let members = (0..<count).map { _ in
            String(decoding: dice.once(in: 3) ? pick(texts, &dice) : mutatedText(&dice), as: UTF8.self)
        }
        var text = Array(#"{"keys":[\#(members.joined(separator: ","))]}"#.utf8)
        if dice.once(in: 4) { ByteMutator.change(&text, &dice) }
        let contents: KeySet.Contents = dice.once(in: 2) ? .any : .publicOnly
        let (refusal, set) = outcome { () throws(JOSEError) in try KeySet(parsing: text, as: contents) }
        tally.count("JWK Set", refusal)
        guard let set else { return }
        if contents == .publicOnly {
            tally.expect(
                set.keys.allSatisfy { key in if case .publicKey = key { true } else { false } },
                "a secret in a public set")
        }
        let (again, written) = outcome { () throws(JOSEError) in try KeySet(parsing: set.jwks(), as: .publicOnly) }
        let shown = set.keys.compactMap(\.publicKey)
        tally.expect(
            again == nil && written?.keys.count == shown.count && written?.unusable.isEmpty == true,
            "a written set is another")
    }

    private func pem(_ dice: inout Dice, _ tally: inout Tally) {
        var text = pick(pems, &dice)
        for _ in 0...dice.below(3) { ByteMutator.change(&text, &dice) }
        let (refusal, key) = outcome { () throws(JOSEError) in try JWK(pem: text.span, passphrase: Array("fuzz".utf8)) }
        tally.count("PEM", refusal)
        if let key { again(key, "PEM", &tally) }
    }

    private func der(_ dice: inout Dice, _ tally: inout Tally) {
        var bytes = pick(files, &dice)
        if !dice.once(in: 16) { for _ in 0...dice.below(2) { ByteMutator.change(&bytes, &dice) } }
        let (refusal, key) = outcome { () throws(JOSEError) in try JWK(der: bytes.span) }
        tally.count("DER", refusal)
        if let key { again(key, "DER", &tally) }
        guard dice.once(in: 4) else { return }
        // The changed bytes are also read as valid PEM.
        let label = dice.pick(["PUBLIC KEY", "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "RSA PUBLIC KEY"])
        let text = Forge.encoded(bytes).replacing("-", with: "+").replacing("_", with: "/")
        let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        var lines = "-----BEGIN \(label)-----\n"
        for start in stride(from: 0, to: padded.utf8.count, by: 64) {
            lines += padded.dropFirst(start).prefix(64) + "\n"
        }
        lines += "-----END \(label)-----\n"
        let (other, second) = outcome { () throws(JOSEError) in try JWK(pem: lines.utf8.span) }
        tally.count("PEM", other)
        if let second { tally.expect(key != nil && second == key, "PEM takes what DER does not") }
    }

    /// Checks that the key is unchanged after it is written and read again.
    private func again(_ key: JWK, _ source: String, _ tally: inout Tally) {
        func expect(_ other: JWK?, _ form: String) {
            tally.expect(other == key, "\(source): not the same after \(form)")
            tally.expect(other?.kind == key.kind, "\(source): another kind after \(form)")
        }
        switch key {
        case .publicKey(let key):
            expect(try? JWK(parsing: key.jwk()), "JWK")
            tally.expect((try? key.thumbprint())?.count == 32, "no thumbprint")
            expect((try? key.der()).flatMap { try? JWK(der: $0.span) }, "DER")
            expect((try? key.pem()).flatMap { try? JWK(pem: $0.utf8.span) }, "PEM")
        case .privateKey(let key):
            expect((try? key.exportPrivateJWK()).flatMap { try? JWK(parsing: $0) }, "JWK")
            expect((try? key.exportPrivateDER()).flatMap { try? JWK(der: $0.span) }, "DER")
        case .symmetricKey(let key):
            expect(try? JWK(parsing: key.exportSecretJWK()), "JWK")
        }
        _ = ("\(key)", key.keyID, key.algorithm, key.use, key.operations)
    }
}
