import JOSETokens

struct User: Codable {
    let sub: String
    let roles: [String]
}

// The policy is the contract of both sides: algorithms, issuer and audience have no defaults.
let policy = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.es256]),
    claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))

let key = try PrivateKey.generate(.p256, keyID: "2026-11")
let issuer = try TokenIssuer(policy, signingKey: key, lifetime: .seconds(600))
let token = try issuer.issue(encoding: User(sub: "248289761001", roles: ["buyer"]))

let verifier = try TokenVerifier(policy, verificationKeys: key.publicKey)
let user = try verifier.verify(token, as: User.self)
print("\(user.sub) is a \(user.roles[0])")
