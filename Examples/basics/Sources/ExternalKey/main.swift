// A private key that stays in another process, as it would in a key management service. Here the process is the command openssl.
import Foundation
import JOSETokens

/// A key in a file that only the command openssl reads.
struct CommandSigner: ExternalSigner {
    let publicKey: PublicKey
    let file: String
    /// OpenSSL, like AWS KMS and Google Cloud KMS, returns the DER form.
    var ecdsaForm: ECDSAForm { .der }

    func sign(_ request: SigningRequest) async throws -> [UInt8] {
        try openssl(["dgst", "-sha256", "-sign", file], input: request.message)
    }
}

struct CommandFailed: Error {}

/// Runs the command openssl, and returns its output.
@discardableResult func openssl(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
    let (process, stdin, stdout) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    (process.standardInput, process.standardOutput) = (stdin, stdout)
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: Data(input))
    try stdin.fileHandleForWriting.close()
    let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CommandFailed() }
    return Array(output)
}

let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pem").path
defer { try? FileManager.default.removeItem(atPath: file) }
try openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file])
var publicKey = try PublicKey(pem: String(decoding: openssl(["pkey", "-in", file, "-pubout"]), as: UTF8.self))
publicKey.keyID = "kms-1"

let policy = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
let signer = CommandSigner(publicKey: publicKey, file: file)
let issuer = try TokenIssuer(policy, externalKey: signer, lifetime: .seconds(600))
let token = try await issuer.issue(["sub": "248289761001"], timeout: .seconds(10))
let verified = try TokenVerifier(policy, verificationKeys: publicKey).verify(token)
print("signed by openssl, key \(verified.header.keyID ?? "none"), subject \(verified.claims.subject ?? "none")")
