import JOSE
import JOSETesting
import JOSETokens

/// The verdict for a positive control: the input is accepted.
let accepted: Refusal? = nil

/// Runs the body and returns its refusal, or nil if it succeeds.
func verdict<R>(_ body: () throws(JOSEError) -> R) -> Refusal? {
    do throws(JOSEError) {
        _ = try body()
        return accepted
    } catch {
        return Refusal(error)
    }
}

/// Runs the body and returns its refusal, or nil if it succeeds.
func verdict<R>(ofToken body: () throws(TokenError) -> R) -> Refusal? {
    do throws(TokenError) {
        _ = try body()
        return accepted
    } catch {
        return Refusal(error)
    }
}

func outcome(of jws: String, _ keys: [JWK], _ algorithms: [SignatureAlgorithm]) -> Refusal? {
    let verifier = JWSVerifier(unexaminedKeys: KeySet(keys), policy: SignaturePolicy(algorithms: algorithms))
    return verdict { () throws(JOSEError) in try verifier.verify(jws) }
}

func outcome(
    of jwe: String, _ keys: [JWK], _ keyManagement: [KeyManagementAlgorithm],
    _ content: [ContentEncryption] = ContentEncryption.all
) -> Refusal? {
    let policy = EncryptionPolicy(keyManagement: keyManagement, contentEncryption: content)
    let decrypter = JWEDecrypter(unexaminedKeys: KeySet(keys), policy: policy)
    return verdict { () throws(JOSEError) in try decrypter.decrypt(jwe) }
}

/// Verifies claims with a valid HS256 signature at `Now.date`, with a leeway of 0, for the issuer `https://i.test` and the
/// audience `me`.
func outcome(ofClaims claims: String, _ adjust: (inout ClaimPolicy) -> Void = { _ in }) throws -> Refusal? {
    let token = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: claims, with: Keys.secret, .hs256)
    return try outcome(ofToken: token, adjust)
}

func outcome(ofToken token: String, _ adjust: (inout ClaimPolicy) -> Void = { _ in }) throws -> Refusal? {
    var policy = ClaimPolicy(issuer: "https://i.test", audience: "me")
    policy.leeway = .zero
    policy.clock = .fixed(Now.date)
    adjust(&policy)
    let verifier = try TokenVerifier(
        .signed(SignaturePolicy(algorithms: [.hs256]), claims: policy), verificationKeys: KeySet(Keys.secret))
    return verdict { () throws(TokenError) in try verifier.verify(token) }
}

/// The time of the threat tests.
enum Now {
    static let date: NumericDate = 1_700_000_000
    static let seconds = 1_700_000_000
}

/// Returns valid claims with members added, replaced or, for nil, left out. The values are JSON text.
func claims(_ changes: (name: String, value: String?)...) -> String {
    var members: [(name: String, value: String)] = [
        ("iss", #""https://i.test""#), ("aud", #""me""#), ("exp", "1700000300"),
    ]
    for change in changes {
        members.removeAll { $0.name == change.name }
        if let value = change.value { members.append((change.name, value)) }
    }
    return "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
}
