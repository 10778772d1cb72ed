// The samples of jwt-kit in the article on migrating, and tokens from either library to the other.
import Foundation
import JOSETokens

func check(_ isTrue: Bool, _ name: String) {
    if !isTrue {
        print("not so: \(name)")
        exit(1)
    }
}

let own = try PrivateKey.generate(.p256, keyID: "k1")
let other = try PrivateKey.generate(.p256, keyID: "k3")
let pem = String(decoding: Data(try own.exportPrivatePEM()), as: UTF8.self)
let jwks = KeySet(other.publicKey).jwks()
let samples = try await Samples(pem: pem, secret: [7, 7, 7], jwks: jwks)

let policy = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
let verifier = try TokenVerifier(policy, verificationKeys: KeySet(own.publicKey))
func issued(_ key: PrivateKey, _ policy: TokenPolicy = policy) throws -> String {
    try TokenIssuer(policy, signingKey: .privateKey(key), lifetime: .seconds(600)).issue([
        "sub": "vapor", "admin": true,
    ])
}

let theirs = try verifier.verify(await samples.sign()).claims
check(theirs.subject == "vapor", "a token of jwt-kit is accepted")
for key in [own, other] {
    let session = try await samples.verify(issued(key))
    check(session.sub.value == "vapor" && session.admin.value, "jwt-kit accepts a token of either key")
}

// A key that jwt-kit does not have, under a name that it does not know: it tries its default key, which does not fit.
try await samples.explain(issued(PrivateKey.generate(.p256, keyID: "k9")))
let forSomeoneElse = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "https://id.example.com", audience: "bank"))
try await samples.explain(issued(own, forSomeoneElse))
var renamed = own
renamed.keyID = "k9"
check(
    try await samples.verify(issued(renamed)).sub.value == "vapor", "jwt-kit tries its default key for an unknown kid")
let unknown = try issued(renamed)
do throws(TokenError) {
    _ = try verifier.verify(unknown)
    check(false, "an unknown kid is rejected here")
} catch {
    check(error.code == "key_not_found", "an unknown kid is rejected here: \(error)")
}
print("Tokens of jwt-kit are accepted here, and the reverse.")
