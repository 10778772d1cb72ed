import JOSE

// Without the trait Accelerated, libcrypto and libsodium verify every signature.
for algorithm in [SignatureAlgorithm.rs256, .ps512, .es256, .hs256, .ed25519] {
    let (single, batch) = (algorithm.verificationImplementation, algorithm.batchVerificationImplementation)
    precondition(single == .library && batch == .library, "\(algorithm): \(single), \(batch)")
}
let key = try PrivateKey.generate(.rsa(bits: 2048))
let jws = try JWSSigner(key: key, algorithm: .rs256).sign("payload")
let verifier = try JWSVerifier(keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [.rs256]))
let verified = try verifier.verify(jws)
precondition(verified.payload == Array("payload".utf8))
print("A consumer without the trait Accelerated signed, and verified with libcrypto.")
