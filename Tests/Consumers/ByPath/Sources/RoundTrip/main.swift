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
let issuer = try TokenIssuer(
    policy, signingKey: .privateKey(signing), encryptionKey: .publicKey(decryption.publicKey))
let verifier = try TokenVerifier(
    policy, verificationKeys: KeySet(signing.publicKey), decryptionKeys: KeySet(decryption))

struct Login: Decodable {
    var sub: String
}

let login = try verifier.verify(issuer.issue(["sub": "someone"]), as: Login.self)
guard login.sub == "someone" else { fatalError("the claims changed") }

// What a user's own tests would do: the verifier must refuse every token of the catalogue.
let fixture = try TestIssuer(.nested)
let hostile = try fixture.hostileTokens()
let accepted = try hostile.filter { token in (try? fixture.verifier().verify(token.text)) != nil }
guard !hostile.isEmpty, accepted.isEmpty else { fatalError("accepted: \(accepted)") }
print("A consumer by path verified a nested token and refused \(hostile.count) hostile ones.")
