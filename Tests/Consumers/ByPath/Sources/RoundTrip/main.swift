import JOSETesting

// A nested token, issued and verified with the public interface alone. JOSETesting exports JOSETokens, and JOSETokens JOSE.
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

precondition(SignatureAlgorithm.rs256.verificationImplementation != .library, "the default traits have Accelerated")

struct Login: Decodable {
    var sub: String
}

let login = try verifier.verify(issuer.issue(["sub": "someone"]), as: Login.self)
guard login.sub == "someone" else { fatalError("the claims changed") }

// Without the package's trait `Zip` there is no zlib: compression is refused, and says why.
let notBuilt = JOSEError.headerInvalid(.compressionNotBuilt)
let secret = try SecretKey.generate(bits: 256)
func refusal(_ body: () throws -> Void) -> JOSEError? {
    do { try body() } catch { return error as? JOSEError }
    return nil
}
var compressing = HeaderParameters()
compressing.compresses = true
var tolerant = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
tolerant.allowsCompression = true
let decrypter = try JWEDecrypter(keys: KeySet(secret), policy: tolerant)
func forged(_ header: String) throws -> String {
    try Forge.encrypted(
        header: header, plaintext: [3, 0], with: .symmetricKey(secret), .dir, .a256gcm)
}
let making = refusal {
    _ = try JWEEncrypter(key: secret, keyManagement: .dir, contentEncryption: .a256gcm, header: compressing)
}
let compressed = try forged(#"{"alg":"dir","enc":"A256GCM","zip":"DEF"}"#)
let opening = refusal { _ = try decrypter.decrypt(compressed) }
guard !EncryptionPolicy.compressionIsBuilt, making == notBuilt, opening == notBuilt else {
    fatalError("compression without zlib: \(String(describing: making)), \(String(describing: opening))")
}
guard try decrypter.decrypt(forged(#"{"alg":"dir","enc":"A256GCM"}"#)).plaintext == [3, 0] else {
    fatalError("not what was encrypted")
}

// What a user's own tests would do: the verifier must refuse every token of the catalogue.
let fixture = try TestIssuer(.nested)
let hostile = try fixture.hostileTokens()
for token in hostile {
    do throws(TokenError) {
        _ = try fixture.verifier().verify(token.text)
        fatalError("accepted: \(token)")
    } catch {
        guard token.isRejected(rightlyBy: error) else { fatalError("\(token): \(error)") }
    }
}
guard !hostile.isEmpty else { fatalError("no token") }
print("A consumer by path verified a nested token and refused \(hostile.count) hostile ones.")
