internal import JOSECrypto

/// The code that computes the verification of a signature.
@nonexhaustive public enum VerificationImplementation: String, Hashable, Sendable {
    /// OpenSSL's libcrypto or, for Ed25519, libsodium.
    case library
    /// Portable C code of this package, with libcrypto's multiplication for RSA.
    case portable
    /// Vectorized code of this package (AVX-512 IFMA), which verifies up to eight signatures at a time.
    case vectorized
}

extension SignatureAlgorithm {
    /// The code that verifies one signature of the algorithm at a time on this machine.
    ///
    /// It is `library` for every algorithm in a build without the package trait `Accelerated`, which is enabled by default. With the
    /// trait, RSA keys whose numbers are not kept by an OpenSSL provider are verified by this package. A P-256 key is verified by it
    /// once the key has verified some hundreds of ES256 signatures and its table of multiples is computed; libcrypto verifies those
    /// before. The algorithms `hs256`, `hs384` and `hs512` have no signatures but MACs, which libcrypto computes.
    public var verificationImplementation: VerificationImplementation {
        switch core.batchScheme {
        case .es256: Self.kernels(orElse: .library)
        case .some: verifiesRSAItself ? .portable : .library
        case nil: .library
        }
    }

    /// The code that verifies many signatures of the algorithm at a time on this machine, as `SignatureBatch` and the `BatchVerifier` of
    /// `JOSETokens` do.
    ///
    /// RSA signatures are `vectorized` for moduli of 2048, 3072 and 4096 bits. Others, and one that is left over, are verified as
    /// ``verificationImplementation`` says.
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
