import JOSEFetch
import JOSETokens

// A release build of another package, which resolves a version: sign, verify, and refuse what was changed. The keys and policies are
// those of the module JOSE, which JOSETokens exports, and the key source is of JOSEKeySets, which JOSEFetch exports.
let key = try PrivateKey.generate(.p256)
let policy = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
let token = try TokenIssuer(policy, signingKey: .privateKey(key)).issue(["sub": "someone"])
let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey))
let verified = try verifier.verify(token)
precondition(verified.claims.subject == "someone", "the subject changed")
// The errors are caught in a function: at the top level, where it awaits, Swift 6.3.1 crashes over a pattern and an end of the program.
func code(_ token: String) -> String {
    do throws(TokenError) {
        _ = try verifier.verify(token)
        return "accepted"
    } catch {
        return error.code
    }
}
let changed = code(token.dropLast(8) + "AAAAAAAA")
precondition(changed == "signature_invalid", "a changed signature: \(changed)")
print("A consumer of version 0.1.0 signed, verified, and refused a changed token.")
precondition(SignatureAlgorithm.rs256.verificationImplementation != .library, "the traits have the defaults")
let transport = try CurlTransport()
let keys = try RemoteKeySet(issuer: "https://id.example.com", transport: transport)
await keys.shutdown()
transport.shutdown()
