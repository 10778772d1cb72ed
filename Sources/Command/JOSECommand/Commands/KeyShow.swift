import JOSE
import JOSESettings
import JOSESupport

extension Command {
    static let keyInspect = Command(
        "key inspect", operands: "FILE", maximumOperands: 1,
        summary: "describe the keys of a file, and why any is unusable",
        details: "Prints no private members. Exit status 1: a key of the file is unusable.",
        options: Options.ofKeyFiles
    ) { (arguments) throws(CommandFailure) in
        let path = try arguments.file()
        let contents = try KeyReader(arguments).contents(path)
        var text = ""
        for key in contents.keys { text += KeyLine.text(key) + "\n" }
        for key in contents.unusable { text += "unusable: \(key)\n" }
        Output.standard(text)
        return contents.unusable.isEmpty ? .valid : .invalid
    }

    static let keyPublic = Command(
        "key public", operands: "FILE", maximumOperands: 1, summary: "write the public half of a key or of a set",
        options: [Options.keyID.spec, Options.target.spec, Options.out.spec] + Options.ofKeyFiles
    ) { (arguments) throws(CommandFailure) in
        let path = try arguments.file()
        let reader = KeyReader(arguments)
        let keyID = try arguments.value(Options.keyID)
        let target = try arguments.value(Options.target) ?? .jwk
        let text: [UInt8]
        let contents = try reader.contents(path)
        if contents.form == .set, keyID == nil, target == .jwk {
            text = Array((KeySet(contents.keys).jwks()).utf8)
        } else {
            text = try KeyConversion.publicKey(reader.key(path, keyID: keyID), target, form: nil)
        }
        try KeyWriter.write(text, to: arguments.value(Options.out), isPrivate: false, isText: target != .der)
        return .valid
    }

    static let keyThumbprint = Command(
        "key thumbprint", operands: "FILE", maximumOperands: 1, summary: "print the thumbprint of each key (RFC 7638)",
        options: [Options.hash.spec, Options.uri] + Options.ofKeyFiles
    ) { (arguments) throws(CommandFailure) in
        let contents = try KeyReader(arguments).contents(try arguments.file())
        let hash = try arguments.value(Options.hash) ?? .sha256
        let lines = try CommandFailure.inWords { () throws(JOSEError) in
            try contents.keys.map { (key) throws(JOSEError) in
                arguments.has(Options.uri)
                    ? try key.thumbprintURI(hash) : KeyLine.base64URL(try key.thumbprint(hash))
            }
        }
        Output.standard(lines.map { $0 + "\n" }.joined())
        return .valid
    }
}

extension Options {
    static let hash = Option("hash", "sha256|sha384|sha512", "hash algorithm (sha256)") { text -> HashAlgorithm? in
        ["sha256": .sha256, "sha384": .sha384, "sha512": .sha512][text]
    }
    static let uri = OptionSpec("uri", nil, "print the thumbprint as a URI (RFC 9278)")
}

extension Arguments {
    /// Returns the operand that names a file.
    func file() throws(CommandFailure) -> String {
        guard let path = operands.first else { throw .usage("needs a FILE") }
        return path
    }
}

/// Describes a key in one line, without private members.
enum KeyLine {
    static func text(_ key: JWK) -> String {
        var words = ["\(key.kind)"]
        switch key {
        case .publicKey: words.append("public")
        case .privateKey: words.append("private")
        case .symmetricKey: words.append("secret")
        }
        if let name = key.keyID { words.append("kid=" + Output.printable(name)) }
        if let algorithm = key.algorithm { words.append("alg=" + Output.printable(algorithm)) }
        if let use = key.use { words.append("use=" + Output.printable(use.text)) }
        if let operations = key.operations {
            let names = (KeyOperations.named + [(.other, "other")]).filter { operations.contains($0.operation) }
            words.append("key_ops=" + names.map(\.name).joined(separator: ","))
        }
        // No thumbprint is shown for a symmetric key, because it is a hash of the secret.
        if let half = key.publicKey, let thumbprint = try? half.thumbprint() {
            words.append("thumbprint=" + base64URL(thumbprint))
        }
        if let leaf = key.certificates?.leaf {
            words.append("x5t=" + base64URL(leaf.sha1Thumbprint))
            words.append("x5t#S256=" + base64URL(leaf.sha256Thumbprint))
            let (start, end) = (leaf.notBefore.secondsSince1970, leaf.notAfter.secondsSince1970)
            words.append("valid=" + CivilDate(start).text + "…" + CivilDate(end).text)
            words.append("subject=\"" + Output.printable(leaf.subject) + "\"")
            words.append("chain=\(key.certificates?.certificates.count ?? 0)")
        }
        return words.joined(separator: "  ")
    }

    static func base64URL(_ bytes: [UInt8]) -> String { String(decoding: Base64URL.encode(bytes.span), as: UTF8.self) }
}
