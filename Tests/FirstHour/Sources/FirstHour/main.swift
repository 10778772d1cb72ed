// Calls that a server's developer writes in the first hour, with one import for each product and no type named that inference finds.
import Foundation
import JOSEFetch
import JOSERelyingParty
import JOSETokens

struct User: Codable, Equatable {
    let sub: String
    let roles: [String]
}

func check(_ condition: Bool, _ what: String) { precondition(condition, what) }

// Values of the application as issuer, audience and claims.
let (domain, service, name) = ("example.com", "shop", "u-17")
let roles = ["buyer", "admin"]
let key = try PrivateKey.generate(.p256, keyID: "2026-11")
let policy = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "https://id.\(domain)", audience: service))
let issuer = try TokenIssuer(policy, signingKey: key)
let verifier = try TokenVerifier(policy, verificationKeys: key.publicKey)
let token = try issuer.issue([
    "sub": name, "roles": roles, "level": 3, "admin": true, "session": UUID(), "since": Date(),
    "page": URL(fileURLWithPath: "/tmp"), "scope": "read:\(name)",
])
check(try verifier.verify(token).claims.subject == name, "a variable is a claim")
let members: [String: any ClaimValueConvertible] = ["sub": name, "level": 3]
let fromMembers = try issuer.issue(ClaimsBuilder(dictionary: members))
let several = try TokenVerifier(policy, verificationKeys: [PrivateKey.generate(.p256).publicKey, key.publicKey])
check(try several.verify(fromMembers).claims.integer("level") == 3, "claims in a dictionary, and an array of keys")
let user = User(sub: name, roles: roles)
check(try verifier.verify(issuer.issue(encoding: user), as: User.self) == user, "a value is encoded and decoded")

// Header parameters and nbf of one token.
var header = HeaderParameters()
header.set("trace", "t-1")
let traced = try issuer.issue(["sub": name], options: TokenOptions(signatureHeader: header))
check(try verifier.verify(traced).header.string("trace") == "t-1", "a header parameter of one token")
let tomorrow = Date().addingTimeInterval(86_400)
let later = try issuer.issue(["sub": name], options: TokenOptions(validFrom: tomorrow))

// Errors are typed where the call awaits as well.
func answer(_ token: String) async -> String {
    do throws(TokenError) {
        return try await verifier.verify(token, as: User.self, timeout: .seconds(1)).sub
    } catch .claim(.notYetValid) {
        return "too early"
    } catch .notDecodable(let failure) {
        return "not a user: \(failure)"
    } catch {
        return error.localizedDescription
    }
}
check(await answer(token) == name, "as: and timeout: compose")
check(await answer(later) == "too early", "a typed error is caught by its case")
let bare = try issuer.issue(["sub": name])
check(await answer(bare) == "not a user: roles is missing", "a decoding failure has its path")
check(await answer("a.b.c").hasPrefix("signature layer: "), "localizedDescription is the description")

// Keys from the types in which they are read from files and environments.
let pem = try key.exportPrivatePEM()
let jwks = KeySet(key.publicKey).jwks()
check(
    try PrivateKey(pem: String(decoding: pem, as: UTF8.self)).publicKey == PrivateKey(pem: Data(pem)).publicKey, "PEM")
check(try KeySet(parsing: jwks, as: .publicOnly).keys.count == 1, "a key set from String")
check(try KeySet(parsing: Data(jwks.utf8), as: .publicOnly).keys.count == 1, "a key set from Data")
let secret = try SecretKey(bytes: Data(repeating: 7, count: 32))
let internalPolicy = TokenPolicy.signed(
    SignaturePolicy(algorithms: [.hs256]), claims: ClaimPolicy(issuer: service, audience: service))
let internalToken = try TokenIssuer(internalPolicy, signingKey: secret).issue(["sub": name])
check(
    try TokenVerifier(internalPolicy, verificationKeys: secret).verify(internalToken).claims.subject == name,
    "a symmetric key is a key source")

// Nested, with keys as they are.
let decryption = try PrivateKey.generate(.p256)
let nested = TokenPolicy.nested(
    outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]),
    inner: SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: service, audience: service))
let sealed = try TokenIssuer(nested, signingKey: key, encryptionKey: decryption.publicKey).issue(["sub": name])
let opener = try TokenVerifier(nested, verificationKeys: key.publicKey, decryptionKeys: decryption)
check(try opener.verify(sealed).claims.subject == name, "nested")

// A key set by URL, which nothing is fetched of here.
if let url = URL(string: "https://id.example.com/jwks") {
    let transport = try CurlTransport()
    let keys = try RemoteKeySet(url: url, transport: transport)
    let remote = try TokenVerifier(policy, verificationKeys: keys)
    check(remote.policies.count == 1, "a verifier with remote keys")
    await keys.shutdown()
    transport.shutdown()
}
// Addresses of Foundation, for a proof of possession; the redirect URI of a login is text, which is compared byte by byte.
if let url = URL(string: "https://shop.example/callback") {
    let proof = try DPoPProver(key: key, algorithm: .es256).proof(method: "GET", url: url)
    let proofs = try DPoPVerifier(algorithms: [.es256], replayStore: nil)
    check(try proofs.verify(proof, for: DPoPRequest(method: "GET", url: url)).token.algorithm == .es256, "a proof")
    check(
        (try? proofs.verify(proof, for: DPoPRequest(method: "GET", url: url.appending(path: "x")))) == nil,
        "a proof for another address")
    let client = RelyingPartyClient(id: "shop", redirectURI: url.absoluteString, credentials: .keys(signing: key))
    check(client.redirectURIs == [url.absoluteString], "a client")
}

// Typed errors of the calls that wait.
func parts(of jwe: String, _ key: PrivateKey) async throws(JOSEError) -> Bool {
    let policy = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
    let decrypter = try JWEDecrypter(keys: key, policy: policy)
    do throws(JOSEError) {
        _ = try await decrypter.decrypt(jwe, timeout: .seconds(1))
        return true
    } catch .malformed(let fault) where fault.hasWrongParts {
        return false
    }
}
check(try await !parts(of: "a.b", decryption), "a malformed JWE")
check(
    try await parts(
        of: JWEEncrypter(key: decryption.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm).encrypt("x"),
        decryption), "a JWE")
print("The calls of the first hour compiled and ran.")
