import JOSE

// A release build of another package, with the library `JOSE` alone: sign, verify, and refuse what was changed.
let key = try PrivateKey.generate(.p256)
let token = try JWSSigner(key: key, algorithm: .es256).sign("a message")
let verifier = JWSVerifier(keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [.es256]))
// No `guard` with a `fatalError` of its own: over two such ends Swift 6.3.1 crashes, where the error holds references.
let verified = try verifier.verify(token)
precondition(verified.payload == Array("a message".utf8), "the payload changed")
do {
    _ = try verifier.verify(token.dropLast(8) + "AAAAAAAA")
    fatalError("a changed signature passed")
} catch .signatureInvalid {
    print("A consumer by URL signed, verified, and refused a changed token.")
}
