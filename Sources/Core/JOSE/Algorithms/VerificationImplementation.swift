internal import JOSECrypto

/// The implementation that verifies a signature.
@nonexhaustive public enum VerificationImplementation: Hashable, Sendable {
    /// OpenSSL's libcrypto, or libsodium for Ed25519.
    case library
    /// This package's portable C code, which uses libcrypto's multiplication for RSA.
    case portable
    /// This package's vectorized code (AVX-512 IFMA), for one signature or for up to eight at a time.
    case vectorized
}

extension SignatureAlgorithm {
    /// The implementation that verifies a single signature of this algorithm on this machine.
    ///
    /// It is `library` for every algorithm if the package trait `Accelerated`, which is enabled by default, is
    /// disabled. With the trait, this package verifies RSA signatures itself, unless an OpenSSL provider does not give
    /// out the parameters of the public key: with AVX-512 IFMA, `vectorized` applies to moduli of 2048, 3072 and 4096
    /// bits, and `portable` to others. It verifies ES256 signatures itself once the key has verified 300 of them,
    /// or 32 with AVX-512 IFMA, and its table of multiples has been computed; libcrypto verifies those before. With
    /// AVX-512 IFMA this applies to Ed25519 as well, after 300 that libsodium verifies. For `hs256`, `hs384` and
    /// `hs512` it is `library`: the hash function of the MAC is always libcrypto's, and with the trait the states of
    /// the two hashes (RFC 2104, 4) are kept for each key.
    public var verificationImplementation: VerificationImplementation {
        switch core.batchScheme {
        case .digest(.es256): Self.kernels(orElse: .library)
        case .ed25519: KernelKey.form == .vectorized ? .vectorized : .library
        case .digest where KernelKey.form == .vectorized: .vectorized
        case .digest: verifiesRSAItself ? .portable : .library
        case nil: .library
        }
    }

    /// The implementation that verifies many signatures of this algorithm at a time on this machine, in
    /// `SignatureBatch` and in `BatchVerifier` of `JOSETokens`.
    ///
    /// For RSA, `vectorized` applies to moduli of 2048, 3072 and 4096 bits. Signatures with other moduli are verified
    /// as ``verificationImplementation`` says.
    public var batchVerificationImplementation: VerificationImplementation {
        let alone = verificationImplementation
        return core.batchScheme != nil && KernelKey.form == .vectorized ? .vectorized : alone
    }

    private static func kernels(orElse other: VerificationImplementation) -> VerificationImplementation {
        switch KernelKey.form {
        case .unavailable: other
        case .portable: .portable
        case .vectorized: .vectorized
        }
    }
}
