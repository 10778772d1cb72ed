import JOSE
import JOSESettings
import JOSESupport

extension Command {
    static let keyConvert = Command(
        "key convert", operands: "FILE", maximumOperands: 1, summary: "write a key in another format",
        details: """
            Reads a JWK, a JWK Set (--kid selects the key), PEM, DER, a certificate or PKCS#12. Writes the public half,
            or with --private the unencrypted private key, to standard output or to the new file --out. Only its owner
            can read a file with a private key.
            """,
        options: [
            Options.keyID.spec, Options.target.spec, Options.structure.spec, Options.isPrivate, Options.out.spec,
        ] + Options.ofKeyFiles
    ) { (arguments) throws(CommandFailure) in
        let key = try KeyReader(arguments).key(try arguments.file(), keyID: try arguments.value(Options.keyID))
        guard let target = try arguments.value(Options.target) else { throw .usage("needs --to jwk, pem or der") }
        let structure = try arguments.value(Options.structure)
        let isPrivate = arguments.has(Options.isPrivate)
        var text =
            try isPrivate
            ? KeyConversion.privateKey(key, target, form: structure)
            : KeyConversion.publicKey(key, target, form: structure)
        defer { wipe(&text) }
        try KeyWriter.write(text, to: arguments.value(Options.out), isPrivate: isPrivate, isText: target != .der)
        return .valid
    }
}

extension Options {
    static let target = Option("to", "jwk|pem|der", "format to write") { KeyConversion.Target(rawValue: $0) }
    static let structure = Option(
        "form", "spki|pkcs1|pkcs8|sec1", "structure of PEM or DER (spki, or pkcs8 for a private key)"
    ) { KeyConversion.Structure(rawValue: $0) }
}

enum KeyConversion {
    enum Target: String, Sendable { case jwk, pem, der }
    enum Structure: String, Sendable { case spki, pkcs1, pkcs8, sec1 }

    static func publicKey(_ key: JWK, _ target: Target, form: Structure?) throws(CommandFailure) -> [UInt8] {
        let half = try KeyWriter.publicHalf(key)
        let wanted: PublicKeyForm
        switch form {
        case nil, .spki: wanted = .spki
        case .pkcs1: wanted = .pkcs1
        case .pkcs8, .sec1: throw .usage("--form \(form?.rawValue ?? "") is for private keys: give --private")
        }
        return try CommandFailure.inWords { () throws(JOSEError) in
            switch target {
            case .jwk: Array(half.jwk().utf8)
            case .pem: Array(try half.pem(wanted).utf8)
            case .der: try half.der(wanted)
            }
        }
    }

    static func privateKey(_ key: JWK, _ target: Target, form: Structure?) throws(CommandFailure) -> [UInt8] {
        if target == .jwk { return try KeyWriter.privateJWK(key) }
        guard case .privateKey(let key) = key else {
            throw CommandFailure("not a private key: \(target.rawValue) cannot be written")
        }
        let wanted: PrivateKeyForm
        switch form {
        case nil, .pkcs8: wanted = .pkcs8
        case .pkcs1: wanted = .pkcs1
        case .sec1: wanted = .sec1
        case .spki: throw .usage("--form spki is for public keys: leave out --private")
        }
        return try CommandFailure.inWords { () throws(JOSEError) in
            try target == .pem ? key.exportPrivatePEM(wanted) : key.exportPrivateDER(wanted)
        }
    }
}
