import Foundation
import JOSE
import TestSupport

/// SoftHSM behind a PKCS#11 client in a process of its own, as a device would be. Its token is in a folder that is deleted with it.
actor SoftToken {
    /// The return value of the module (`CKR_…`).
    struct Refusal: Error, Equatable { let number: UInt }
    struct Missing: Error, CustomStringConvertible { let description: String }

    static let module: String? = [
        "/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so",
        "/opt/homebrew/lib/softhsm/libsofthsm2.so",
        "/usr/local/lib/softhsm/libsofthsm2.so",
    ].first { FileManager.default.fileExists(atPath: $0) }
    static let pin = "1234"

    private let folder: TemporaryFolder
    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()
    private var pending: [UInt8] = []

    init() throws {
        folder = try TemporaryFolder()
        guard let module = Self.module, let client = builtTool("Pkcs11Client") else {
            throw Missing(description: "no SoftHSM, or the client is not built")
        }
        let tokens = folder.url.appending(path: "tokens")
        try FileManager.default.createDirectory(at: tokens, withIntermediateDirectories: true)
        let configuration = folder.url.appending(path: "softhsm2.conf")
        try Data("directories.tokendir = \(tokens.path)\nobjectstore.backend = file\n".utf8).write(to: configuration)
        process.executableURL = URL(filePath: client)
        process.environment = ["SOFTHSM2_CONF": configuration.path]
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
        _ = try Self.ask(requests, answers, &pending, "open \(module) bulla 87654321 \(Self.pin)")
    }

    deinit {
        try? requests.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The command with its arguments in hexadecimal.
    func ask(_ command: String, _ arguments: [UInt8]...) throws -> [[UInt8]] {
        let line = ([command] + arguments.map { hex($0) }).joined(separator: " ")
        return try Self.ask(requests, answers, &pending, line)
    }

    func login(_ pin: String) throws {
        do {
            _ = try Self.ask(requests, answers, &pending, "login \(pin)")
        } catch let refusal as Refusal where refusal.number == 0x100 {
            // Somebody is, which is enough.
        }
    }

    private static func ask(
        _ requests: Pipe, _ answers: Pipe, _ pending: inout [UInt8], _ line: String
    ) throws -> [[UInt8]] {
        try requests.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        while !pending.contains(0x0A) {
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Missing(description: "the client ended") }
            pending += more
        }
        let end = pending.firstIndex(of: 0x0A) ?? pending.endIndex
        let words = String(decoding: pending[..<end], as: UTF8.self).split(separator: " ")
        pending.removeSubrange(...end)
        guard words.first == "ok" else {
            throw Refusal(number: words.last.flatMap { UInt($0) } ?? 0)
        }
        return words.dropFirst().map { bytes(hex: String($0)) ?? [] }
    }

    /// Fresh pairs whose private halves never leave.
    func makeRSA(_ id: UInt8, keyID: String) throws -> PublicKey {
        let parts = try ask("rsa", [id])
        return try PublicKey(
            jwk: #"{"kty":"RSA","kid":"\#(keyID)","n":"\#(base64URL(parts[0]))","e":"\#(base64URL(parts[1]))"}"#)
    }

    func makeP256(_ id: UInt8, keyID: String) throws -> PublicKey {
        let curve: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        // An OCTET STRING around the point.
        let point = try ask("ec", [id], curve)[0].suffix(64)
        return try PublicKey(
            jwk:
                #"{"kty":"EC","crv":"P-256","kid":"\#(keyID)","x":"\#(base64URL(point.prefix(32)))","y":"\#(base64URL(point.suffix(32)))"}"#
        )
    }
}

struct SoftTokenSigner: ExternalSigner {
    let token: SoftToken
    let id: UInt8
    let publicKey: PublicKey
    var pin = SoftToken.pin

    func sign(_ request: SigningRequest) async throws -> [UInt8] {
        try await token.login(pin)
        return switch request.algorithm {
        case .rs256: try await token.ask("rs256", [id], request.message)[0]
        case .ps256: try await token.ask("ps256", [id], request.message)[0]
        default: try await token.ask("ecdsa", [id], request.digest ?? [])[0]
        }
    }
}

struct SoftTokenUnwrapper: ExternalUnwrapper {
    let token: SoftToken
    let id: UInt8
    let key: ExternalKeyName
    var pin = SoftToken.pin
    /// The return values for invalid data; for RSA, SoftHSM returns a general error.
    private static let ofData: Set<UInt> = [0x05, 0x40, 0x41, 0x110, 0x112]

    func unwrap(_ request: UnwrapRequest) async throws -> ExternalSecret? {
        try await token.login(pin)
        let command = if case .rsa = key { "oaep" } else { "unwrap" }
        do {
            return ExternalSecret(try await token.ask(command, [id], request.encryptedKey)[0])
        } catch let refusal as SoftToken.Refusal where Self.ofData.contains(refusal.number) {
            return nil
        }
    }
}

struct SoftTokenAgreement: ExternalAgreement {
    let token: SoftToken
    let id: UInt8
    let publicKey: PublicKey

    func agree(with ephemeralKey: PublicKey) async throws -> ExternalSecret? {
        try await token.login(SoftToken.pin)
        let json = try JSON(ephemeralKey.jwk().utf8)
        let coordinates = ["x", "y"].compactMap { json[$0]?.string.flatMap { bytes(base64URL: $0) } }
        return ExternalSecret(try await token.ask("derive", [id], [4] + coordinates.joined())[0])
    }
}
