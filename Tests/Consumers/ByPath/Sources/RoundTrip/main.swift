import JOSE
import JOSETesting
import JOSETokens

// A nested token, issued and verified with the public interface alone.
let policy = TokenPolicy.nested(
    outer: EncryptionPolicy(keyManagement: [.ecdhESA256KW], contentEncryption: [.a256gcm]),
    inner: SignaturePolicy(algorithms: [.ed25519]),
    claims: ClaimPolicy(issuer: "https://issuer.example", audience: "client"))
let signing = try PrivateKey.generate(.ed25519)
let decryption = try PrivateKey.generate(.x25519)

struct Login: Codable {
    var iss = "https://issuer.example", aud = "client", sub: String
}

let issuer = try TokenIssuer(policy, signingKey: signing, encryptionKey: decryption.publicKey)
let token = try issuer.issue(Login(sub: "someone"))
let verifier = try TokenVerifier(
    policy, verificationKeys: KeySet(signing.publicKey), decryptionKeys: KeySet(decryption))
let login = try verifier.verify(token, as: Login.self)
guard login.sub == "someone" else { fatalError("the claims changed") }
print("A consumer by path issued a nested token and verified it.")
