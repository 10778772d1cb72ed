// The samples of JWSETKit in the article on migrating, and tokens from either library to the other.
import Foundation
import JOSETokens
import JWSETKit

func check(_ isTrue: Bool, _ name: String) {
    if !isTrue {
        print("not so: \(name)")
        exit(1)
    }
}

let own = try PrivateKey.generate(.p256, keyID: "k1")
let samples = try Samples(jwk: Data(own.exportPrivateJWK()), pem: String(own.publicKey.pem()))
let policy = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
var theirs = own.publicKey
theirs.keyID = nil
let verifier = try TokenVerifier(policy, verificationKeys: KeySet(theirs))
check(try verifier.verify(samples.sign()).claims.subject == "user123", "a token of JWSETKit is accepted")
try samples.verify(TokenIssuer(policy, signingKey: .privateKey(own), lifetime: .seconds(600)).issue(["sub": "user123"]))

let recipient = try PrivateKey.generate(.rsa(bits: 2048), keyID: "e1")
let jwk = try JSONDecoder().decode(JSONWebRSAPrivateKey.self, from: Data(recipient.exportPrivateJWK()))
let (text, opened) = try samples.encrypt(jwk)
let decrypter = try JWEDecrypter(
    keys: KeySet(recipient), policy: EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [.a256gcm]))
check(try opened == Data("secret".utf8) && decrypter.decrypt(text).plaintext == Array("secret".utf8), "both decrypt")

var signature = SignaturePolicy(algorithms: [.es256])
// JWSETKit writes this `typ`; RFC 9901, 9.11 recommends one of the application, such as `dc+sd-jwt`.
signature.type = .exactly("sd-jwt")
var claims = ClaimPolicy(issuer: "https://id.example.com", audience: .anyAudienceUnchecked)
claims.requiresExpiration = false
let selective = try SDJWTVerifier(signature, claims: claims, verificationKeys: KeySet(theirs))
let shown = try selective.verify(samples.disclose()).claims
check(shown.string("email") == "john@example.com", "what JWSETKit discloses is accepted")
print("Tokens of JWSETKit are accepted here, and the reverse.")
