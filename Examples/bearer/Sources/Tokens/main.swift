// Writes the keys of an issuer and tokens for the service into the folder that is the only argument.
import Foundation
import JOSETokens

guard CommandLine.arguments.count == 2 else { fatalError("usage: Tokens FOLDER") }  // The program cannot go on.
let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
}

let signingKey = try PrivateKey.generate(.p256, keyID: "issuer-1")
let decryptionKey = try PrivateKey.generate(.p256, keyID: "service-1")
try write(KeySet(signingKey.publicKey).jwks(), "jwks.json")
try Data(decryptionKey.exportPrivatePEM()).write(to: folder.appendingPathComponent("decryption.pem"))

var profile = AccessTokenProfile(
    issuer: "https://id.example.com", resource: "https://api.example.com", algorithms: [.es256])
let issuer = try TokenIssuer(profile.policy, signingKey: signingKey, lifetime: .seconds(3600))
func claims(_ scope: String) -> ClaimsBuilder {
    ["sub": "248289761001", "client_id": "shop", "jti": "\(UUID())", "scope": "\(scope)"]
}
try write(issuer.issue(claims("orders:read")), "read.txt")
try write(issuer.issue(claims("profile")), "profile.txt")

let expired = try TokenIssuer(profile.policy, signingKey: signingKey, lifetime: .seconds(1))
try write(expired.issue(claims("orders:read")), "expired.txt")

// An ID token of the same issuer is no access token (RFC 9068, 4).
let plain = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: profile.claims)
try write(TokenIssuer(plain, signingKey: signingKey, lifetime: .seconds(3600)).issue(claims("orders:read")), "id.txt")

profile.encryption = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
let nested = try TokenIssuer(
    profile.policy, signingKey: signingKey, encryptionKey: decryptionKey.publicKey, lifetime: .seconds(3600))
try write(nested.issue(claims("orders:read")), "nested.txt")
