internal import CJOSELanes

/// The answer of the kernels for one signature.
package enum LaneResult: UInt8, Sendable {
    case invalid, valid
    /// The kernels do not cover it: libcrypto is to be asked.
    case open
}

/// A public key made ready for signatures that are verified many at once. Any number of threads may share one.
@safe package final class LanesKey: Sendable {
    /// Keys of one group are verified together.
    package enum Group: Hashable, Sendable {
        case rsa(bits: Int)
        case p256
    }

    nonisolated(unsafe) private let handle: OpaquePointer
    package let group: Group

    /// Nil for a key that the kernels of this machine do not cover.
    package init?(_ key: AsymmetricKey) {
        guard case .rsa = key.kind, let n = try? key.part(.n), let e = try? key.part(.e),
            let made = unsafe cjose_lanes_rsa_key_new(n, n.count, e, e.count)
        else { return nil }
        unsafe handle = made
        group = .rsa(bits: unsafe cjose_lanes_rsa_key_bits(made))
    }

    deinit { unsafe cjose_lanes_rsa_key_free(handle) }

    /// Whether this machine has kernels at all. Without them every answer is `open`.
    package static var isAvailable: Bool { cjose_lanes_form_current() != .openssl }

    /// Of keys of one group, each with its digest (of the scheme's hash) and its signature: both one after the other, without
    /// anything between them. Signatures are as long as keys of the group make them; one of another length is not valid, and
    /// is left out by the caller.
    package static func verify(
        _ scheme: SignatureScheme, keys: [LanesKey], digests: Span<UInt8>, signatures: Span<UInt8>
    ) -> [LaneResult] {
        [LaneResult](repeating: .open, count: keys.count)
    }
}
