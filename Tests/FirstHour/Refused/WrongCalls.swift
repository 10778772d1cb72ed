// Type-checked against a build: the message of each wrong call contains what helps to correct it.
import JOSEFetch
import JOSETokens

struct User: Codable { let sub: String }

func wrong(_ policy: TokenPolicy, _ issuer: TokenIssuer, _ verifier: TokenVerifier) async throws {
    let user = User(sub: "u-17")
    let key = try PrivateKey.generate(.p256)
    // expected-error@+1 {{a public key cannot sign: pass the private key, and give verifiers its publicKey}}
    _ = try TokenIssuer(policy, signingKey: key.publicKey)
    // expected-error@+1 {{a public key cannot sign: pass the private key, and give verifiers its publicKey}}
    _ = try TokenIssuer(policy, signingKey: key.publicKey, encryptionKey: key.publicKey, lifetime: .seconds(60))
    // The private key is a signing key, and so is its JWK.
    _ = try TokenIssuer(policy, signingKey: key, encryptionKey: key.publicKey)
    _ = try TokenIssuer(policy, signingKey: .privateKey(key))
    let name: String? = nil
    // expected-error@+1 {{unwrap the optional: leave the claim out where there is no value, or use ClaimValue.null for null}}
    _ = try issuer.issue(["sub": name])
    // expected-error@+1 {{issue(encoding:) encodes a value, also a dictionary in a variable; issue(_:) takes a literal whose values are ClaimValueConvertible}}
    _ = try issuer.issue(["sub": user])
    // expected-error@+1 {{issue(encoding:) encodes a value, also a dictionary in a variable; issue(_:) takes a literal whose values are ClaimValueConvertible}}
    _ = try issuer.issue(user)
    let any: [String: Any] = ["sub": "u-17", "level": 3]
    // expected-error@+1 {{the values of claims are ClaimValueConvertible, such as String, Int, Bool, Date and arrays of them; issue(encoding:) takes any Encodable, and issue(json:) the text of an object}}
    _ = try issuer.issue(any)
    // expected-error@+1 {{the values of claims are ClaimValueConvertible, such as String, Int, Bool, Date and arrays of them}}
    _ = ClaimsBuilder(dictionary: any)
    // expected-error@+1 {{the values of claims are ClaimValueConvertible}}
    _ = try issuer.issue(["sub": "u-17", "user": user])
    let members: [String: any ClaimValueConvertible] = ["sub": "u-17", "level": 3]
    // expected-error@+1 {{issue(ClaimsBuilder(dictionary: claims)) takes a dictionary in a variable}}
    _ = try issuer.issue(members)
    // expected-error@+1 {{read a claim by its type: string(_:), strings(_:), integer(_:), number(_:), bool(_:), date(_:) or decode(as:)}}
    _ = try verifier.verify("a.b.c").claims["roles"]
    // expected-error@+1 {{missing argument for parameter 'audience' in call}}
    _ = ClaimPolicy(issuer: "https://id.example.com")
    // expected-error@+1 {{has no member 'none'}}
    _ = SignaturePolicy(algorithms: [.none])
    // expected-error@+1 {{'Int' to expected argument type 'Duration'}}
    _ = try await verifier.verify("a.b.c", timeout: 2)
    // expected-error@+1 {{missing argument for parameter 'transport' in call}}
    _ = try RemoteKeySet(issuer: "https://id.example.com")
}
