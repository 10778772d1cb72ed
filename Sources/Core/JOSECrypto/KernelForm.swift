/// The result of the kernels for one signature.
package enum KernelResult: UInt8, Sendable {
    case invalid, valid
    /// The kernels do not cover the signature, and libcrypto verifies it.
    case notCovered

    /// The result for Ed25519: libsodium decides about a signature that the kernel rejects, because its versions differ
    /// in the cofactor of the equation (RFC 8032, 5.1.7), and a signature must have one result in a batch and alone.
    package var confirmedByLibsodium: KernelResult { self == .invalid ? .notCovered : self }
}

/// A group of keys that the kernels verify together.
package enum KernelGroup: Hashable, Sendable {
    case rsa(bits: Int)
    case p256, ed25519
}

/// A public key of which the kernels can store a table of multiples.
package enum TableKey: Sendable {
    case p256(AsymmetricKey)
    case ed25519(Ed25519PublicKey)

    /// Whether the table is computed in the time of five verifications without it, because eight windows of P-256 are
    /// computed at a time. The first table of a process takes thirty more, for the table of the curve's base point.
    package var hasQuickTable: Bool {
        if case .p256 = self { KernelKey.form == .vectorized } else { false }
    }

    /// The number of verifications after which a key is likely to verify so many more that its table pays off.
    package var usesForTable: Int { hasQuickTable ? 32 : 300 }

    /// Computes the table; nil where this build or this machine has no kernel for the key.
    package func table() -> KernelKey? {
        guard KernelKey.isAvailable else { return nil }
        return switch self {
        case .p256(let key): KernelKey(key)
        case .ed25519(let key): KernelKey(key, hasTable: true)
        }
    }
}

/// The implementation of the kernels, which verify signatures in this package's own code.
package enum KernelForm: Sendable {
    /// This package's own code cannot verify signatures, because the build lacks the package trait `Accelerated`, or
    /// the processor lacks the instructions that the code needs.
    case unavailable
    /// The kernels are portable C with products of 128 bits, for P-256 only.
    case portable
    /// The kernels use AVX-512 IFMA, for RSA, P-256 and Ed25519.
    case vectorized
}

extension KernelKey {
    /// Whether this build and this machine have kernels. Without kernels no key is covered.
    package static var isAvailable: Bool { form != .unavailable }
}

/// Whether this package's own code verifies single RSA signatures, by a kernel or, on a processor or for a key that it
/// does not cover, with libcrypto's multiplication. It does so in builds with the package trait `Accelerated`, for keys
/// whose numbers are not kept by a provider of libcrypto.
package let verifiesRSAItself: Bool = {
    #if Accelerated
        true
    #else
        false
    #endif
}()
