internal import JOSECrypto

/// The code that computes RSA operations with private keys.
@nonexhaustive public enum PrivateKeyOperations: Hashable, Sendable {
    /// OpenSSL's libcrypto computes each operation. This is the default everywhere.
    case libcrypto
    /// This package's vectorized code (AVX-512 IFMA) computes the operations of up to four tokens at a time: RSA-OAEP
    /// decryption and RSA signatures with keys of 2048, 3072 and 4096 bits.
    ///
    /// It is used by `BatchVerifier`, `CoalescingVerifier` and `BatchIssuer` of `JOSETokens`. libcrypto still computes
    /// the operation of a single token, that of a token whose header selects several keys or whose issuer is named only
    /// inside, RSA1_5, and keys of other sizes or in an OpenSSL provider. A pass over up to four tokens takes one slot
    /// of a `DecryptionLimiter`. Results and errors are those of `libcrypto`. Do not choose it where only a validated
    /// cryptographic module may process private keys.
    case vectorized

    /// A Boolean value that indicates whether this build and this machine have the code. Without it, libcrypto computes
    /// each operation, whatever the policy says.
    ///
    /// `vectorized` requires the package trait `Accelerated` and a CPU with AVX-512 IFMA.
    public var isAvailable: Bool {
        switch self {
        case .libcrypto: true
        case .vectorized: PrivateKernelKey.isAvailable
        }
    }

    /// The number of results that `vectorized` code has computed in this process and that were wrong under the public
    /// exponent.
    ///
    /// Such a result is wiped, and libcrypto computes it again, so that no token is affected. A number that grows is
    /// the sign of a faulty processor or memory, or of a key whose parameters contradict each other.
    public static var faultCount: UInt64 { PrivateKernelKey.faultCount }
}
