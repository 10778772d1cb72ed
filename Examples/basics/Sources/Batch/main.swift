// A job that verifies many tokens on all cores, and sorts them by what becomes of them.
import JOSETokens

let policy = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
let key = try PrivateKey.generate(.p256, keyID: "2026-11")
let issuer = try TokenIssuer(policy, signingKey: key, lifetime: .seconds(600))
var tokens = try (0..<1000).map { try issuer.issue(["sub": "user-\($0)"]) }
// One token was cut off on its way, and one is of another issuer's key.
tokens[17].removeLast(20)
tokens[42] = try TokenIssuer(policy, signingKey: PrivateKey.generate(.p256, keyID: "2026-11")).issue(["sub": "user-42"])

let batch = BatchVerifier(try TokenVerifier(policy, verificationKeys: key.publicKey))
var (accepted, later) = (0, 0)
var rejected: [String] = []
for (number, result) in try await batch.verify(tokens).enumerated() {
    switch result {
    case .success: accepted += 1
    case .failure(let error) where error.isRetryable: later += 1  // Leave these in the queue.
    case .failure(let error): rejected.append("\(number): \(error.code)")
    }
}
print("\(accepted) accepted, \(later) to be tried again, rejected: \(rejected.joined(separator: ", "))")
