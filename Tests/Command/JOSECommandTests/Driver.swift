import Foundation
import JOSE
import JOSETokens
import TestSupport

/// Sends requests to `bulla check`, and reads its answers.
struct Driver {
    struct Answer: Equatable, CustomStringConvertible {
        var n: JSON
        var result: String
        var error: String?
        var payload: [UInt8]?

        init(_ line: String) throws {
            let json = try JSON(line.utf8)
            n = json["n"] ?? .string("absent")
            result = json["result"]?.string ?? "absent"
            error = json["error"]?.string
            payload = json["payload_b64url"]?.string.flatMap { bytes(base64URL: $0) }
        }

        var description: String { "\(result) \(error ?? "") for \(n.text)" }
    }

    static func answers(_ input: String, _ options: [String] = []) throws -> (answers: [Answer], errors: String) {
        guard let tool = builtTool("bulla") else { throw Script.Complaint(description: "bulla is not built") }
        let result = try run(tool, ["check"] + options, stdin: input)
        guard result.status == 0 else { throw Script.Complaint(description: "status \(result.status)") }
        let lines = result.stdout.components(separatedBy: "\n").dropLast()
        return (try lines.map(Answer.init), result.stderr)
    }

    static func answers(_ requests: [JSON]) throws -> [Answer] {
        try answers(requests.map { $0.text + "\n" }.joined()).answers
    }
}

/// The keys of the tests, made once, and requests with them.
struct Workshop {
    static let shared = Result { try Workshop() }
    static let now = 2_000_000_000.0

    let signing: PrivateKey
    let stranger: PrivateKey
    let decryption: PrivateKey
    let secret: SecretKey

    private init() throws {
        signing = try Self.key(.p256, "s1", .signature)
        stranger = try Self.key(.p256, "s1", .signature)
        decryption = try Self.key(.p256, "e1", .encryption)
        var secret = try SecretKey.generate(bits: 256)
        secret.keyID = "h1"
        self.secret = secret
    }

    private static func key(_ kind: KeyKind, _ name: String, _ use: KeyUse) throws -> PrivateKey {
        var key = try PrivateKey.generate(kind)
        key.keyID = name
        key.use = use
        return key
    }

    var signingJWK: JSON { get throws { try JSON(signing.publicKey.jwk().utf8) } }
    var secretJWK: JSON { get throws { try JSON(secret.exportSecretJWK()) } }
    var nestedKeys: JSON {
        get throws { .object(["keys": .array([try signingJWK, try JSON(decryption.exportPrivateJWK())])]) }
    }

    static let claims = #"{"iss":"i","aud":["a","b"],"sub":"s","exp":2000000100,"iat":1999999990,"nonce":"n"}"#

    func signed(
        _ payload: String = claims, by key: PrivateKey? = nil, _ header: HeaderParameters = HeaderParameters()
    ) throws -> String {
        try JWSSigner(key: key ?? signing, algorithm: .es256, header: header).sign(payload)
    }

    func encrypted(
        _ plaintext: String, contentType: String? = nil, to key: PublicKey? = nil
    ) throws -> String {
        try JWEEncrypter(
            key: key ?? decryption.publicKey, keyManagement: .ecdhESA128KW, contentEncryption: .a128gcm,
            header: HeaderParameters(contentType: contentType)
        ).encrypt(plaintext)
    }

    func nested(_ payload: String = claims, by key: PrivateKey? = nil) throws -> String {
        try encrypted(signed(payload, by: key), contentType: "JWT")
    }

    func request(
        _ operation: String, _ token: String, _ keys: JSON? = nil, _ options: [String: JSON] = [:]
    ) throws -> JSON {
        var options = options
        if options["now"] == nil, operation != "jwk-parse" { options["now"] = .number(Self.now) }
        return .object([
            "op": .string(operation), "token": .string(token), "keys": try keys ?? signingJWK,
            "options": .object(options),
        ])
    }
}

extension JSON {
    func with(_ name: String, _ value: JSON) -> JSON {
        guard case .object(var members) = self else { return self }
        members[name] = value
        return .object(members)
    }
}
