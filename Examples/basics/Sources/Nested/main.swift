import JOSETokens

let policy = TokenPolicy.nested(
    outer: EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256]),
    inner: SignaturePolicy(algorithms: [.rs256]),
    claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))

// The issuer signs with its key, and encrypts to the key of the recipient.
let issuersKey = try PrivateKey.generate(.rsa(bits: 2048), keyID: "s1")
let ourKey = try PrivateKey.generate(.rsa(bits: 2048), keyID: "e1")
let issuer = try TokenIssuer(policy, signingKey: issuersKey, encryptionKey: ourKey.publicKey, lifetime: .seconds(600))
let token = try issuer.issue(["sub": "248289761001"])

// One call decrypts and verifies. A token that is signed only, or encrypted only, is rejected.
let verifier = try TokenVerifier(policy, verificationKeys: issuersKey.publicKey, decryptionKeys: ourKey)
let verified = try verifier.verify(token)
print("\(token.split(separator: ".").count) parts, subject \(verified.claims.subject ?? "none")")
