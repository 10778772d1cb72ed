import Foundation
import JOSE

// A default trait vanishes where a manifest names other traits without `.defaults`.
let traits = ProcessInfo.processInfo.environment["BULLA_CONSUMER_TRAITS"] ?? "unnamed"
let isAccelerated = traits != "HTTP" && traits != "none"
for algorithm in [SignatureAlgorithm.rs256, .ps512] {
    let one = algorithm.verificationImplementation
    precondition((one != .library) == isAccelerated, "\(algorithm) with the traits \(traits): \(one)")
}
for algorithm in [SignatureAlgorithm.rs256, .es256] {
    let many = algorithm.batchVerificationImplementation
    precondition((many != .library) == isAccelerated, "\(algorithm) in batches with the traits \(traits): \(many)")
}
for algorithm in [SignatureAlgorithm.hs256, .es384, .ed25519] {
    precondition(algorithm.batchVerificationImplementation == .library, "\(algorithm)")
}
// Either implementation verifies.
let key = try PrivateKey.generate(.rsa(bits: 2048))
let jws = try JWSSigner(key: key, algorithm: .rs256).sign("payload")
let verifier = JWSVerifier(keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [.rs256]))
precondition(try verifier.verify(jws).payload == Array("payload".utf8))
print("A consumer with the traits \(traits): RS256 by \(SignatureAlgorithm.rs256.batchVerificationImplementation).")
