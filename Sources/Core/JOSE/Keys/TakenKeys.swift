/// The keys of a verifier for one token, which were taken from their source before the token is read.
package struct TakenVerificationKeys: Sendable {
    let token: TokenKeys<VerificationKey>
    /// The generation of these keys.
    package let generation: KeyGeneration
}

/// The keys of a decrypter for one token, which were taken from their source before the token is read.
package struct TakenDecryptionKeys: Sendable {
    let token: TokenKeys<DecryptionKey>
    /// The generation of these keys.
    package let generation: KeyGeneration
}

extension JWSVerifier {
    /// Returns the current keys, for one token; nil where the source has none that may be used.
    package func takeKeys() -> TakenVerificationKeys? {
        keys.taken().map { TakenVerificationKeys(token: $0.token, generation: $0.generation) }
    }
}

extension JWEDecrypter {
    /// Returns the current keys, for one token; nil where the source has none that may be used. Where external keys must
    /// be awaited, they are none, with the generation of those in the process.
    package func takeKeys() -> TakenDecryptionKeys? {
        if let all = shared.allKeys {
            return all.taken().map { TakenDecryptionKeys(token: TokenKeys(keys), generation: $0.generation) }
        }
        return keys.taken().map { TakenDecryptionKeys(token: $0.token, generation: $0.generation) }
    }
}
