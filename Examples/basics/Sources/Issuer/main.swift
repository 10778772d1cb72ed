// Issuer FOLDER: writes what an issuer publishes and one token, with which RemoteKeys is tried.
import Foundation
import JOSETokens

let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let key = try PrivateKey.generate(.p256, keyID: "2026-11")
let policy = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
let token = try TokenIssuer(policy, signingKey: key, lifetime: .seconds(600)).issue(["sub": "248289761001"])
try Data(KeySet(key.publicKey).jwks().utf8).write(to: folder.appendingPathComponent("keys.json"))
try Data(token.utf8).write(to: folder.appendingPathComponent("token.txt"))
print("wrote keys.json and token.txt")
