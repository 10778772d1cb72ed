import JOSE

// A release build of another package, with the library `JOSE` alone: sign, verify, and refuse what was changed.
let key = try PrivateKey.generate(.p256)
let token = try Signer(key: key, algorithm: .es256).sign("a message")
let verifier = Verifier(keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [.es256]))
guard try verifier.verify(token).payload == Array("a message".utf8) else { fatalError("the payload changed") }
do {
    _ = try verifier.verify(token.dropLast(8) + "AAAAAAAA")
    fatalError("a changed signature passed")
} catch .signatureInvalid {
    print("A consumer by URL signed, verified, and refused a changed token.")
}
