#if Accelerated
    internal import CJOSEKernels

    /// A public key prepared for the verification of many signatures at once. Any number of threads may share one.
    @safe package final class KernelKey: Sendable {
        /// The key in C; nil for an Ed25519 key without a table.
        fileprivate nonisolated(unsafe) let handle: OpaquePointer?
        /// The encoding of an Ed25519 key; empty for other keys.
        fileprivate let encoding: [UInt8]
        package let group: KernelGroup

        /// Prepares a key; the result is nil for a key that the kernels of this machine do not cover. An EC key takes
        /// the memory of a table, and 0.3 ms or, in the portable form, 1.4 ms; the first of a process takes six times
        /// as long.
        package init?(_ key: AsymmetricKey) {
            encoding = []
            switch key.kind {
            case .rsa(let bits):
                guard let n = try? key.part(.n), let e = try? key.part(.e),
                    let made = unsafe cjose_kernel_rsa_key_new(n, n.count, e, e.count)
                else { return nil }
                unsafe handle = made
                group = .rsa(bits: bits)
            case .ec(.p256):
                guard Self.isAvailable, let (x, y) = try? key.point(), let made = unsafe cjose_kernel_p256_key_new(x, y)
                else { return nil }
                unsafe handle = made
                group = .p256
            case .ec, .raw: return nil
            }
        }

        /// Prepares an Ed25519 key; the result is nil where the kernels of this machine do not cover it. A table takes
        /// part of a millisecond and 300 KiB, and makes verifications several times faster.
        package init?(_ key: Ed25519PublicKey, hasTable: Bool) {
            guard Self.form == .vectorized, key.raw.count == 32 else { return nil }
            encoding = key.raw
            group = .ed25519
            unsafe handle = hasTable ? cjose_kernel_ed25519_key_new(key.raw) : nil
            if hasTable, unsafe handle == nil { return nil }
        }

        /// Whether verifications use a table of multiples of the key.
        package var hasTable: Bool { unsafe group != .ed25519 || handle != nil }

        deinit {
            switch group {
            case .ed25519: unsafe cjose_kernel_ed25519_key_free(handle)
            case .rsa: unsafe cjose_kernel_rsa_key_free(handle)
            case .p256: unsafe cjose_kernel_p256_key_free(handle)
            }
        }

        /// The number of bytes of memory that the key takes.
        package var byteCount: Int {
            guard let handle = unsafe handle else { return encoding.count }
            return switch group {
            case .rsa: unsafe cjose_kernel_rsa_key_bytes(handle)
            case .p256: unsafe cjose_kernel_p256_key_bytes(handle)
            case .ed25519: unsafe cjose_kernel_ed25519_key_bytes(handle)
            }
        }

        /// The implementation of the kernels on this machine.
        package static var form: KernelForm {
            switch cjose_kernel_form_current() {
            case .openssl: .unavailable
            case .portable: .portable
            case .ifma: .vectorized
            }
        }

        /// Verifies signatures of keys of one group.
        ///
        /// A call with six to eight RSA signatures takes as long as five verifications of single signatures, and one
        /// with fewer as long as these.
        ///
        /// - Parameters:
        ///   - keys: the key of each signature.
        ///   - digests: the digest of each signed text, by the scheme's hash, one after the other.
        ///   - signatures: the signatures, one after the other, each as long as the keys of the group make them. The
        ///     caller rejects a signature of another length.
        /// - Returns: one result for each key. All are `notCovered` where the scheme is not one of the group or the
        ///   lengths do not match.
        package static func verify(
            _ scheme: SignatureScheme, keys: [KernelKey], digests: [UInt8], signatures: [UInt8]
        ) -> [KernelResult] {
            let count = keys.count
            guard let group = keys.first?.group, let lengths = group.lengths(of: scheme),
                digests.count == count * lengths.digest, signatures.count == count * lengths.signature,
                keys.allSatisfy({ $0.group == group })
            else { return [KernelResult](repeating: .notCovered, count: count) }
            return unsafe results(of: keys) { handles, results in
                // Every key of these groups has a handle.
                let keys = unsafe UnsafeRawPointer(handles).assumingMemoryBound(to: OpaquePointer.self)
                if let scheme = scheme.rsaKernelScheme {
                    unsafe cjose_kernel_rsa_verify_batch(
                        scheme, keys, digests, lengths.digest, signatures, lengths.signature, count, results)
                } else {
                    unsafe cjose_kernel_p256_verify_batch(keys, digests, signatures, count, results)
                }
            }
        }

        /// Calls `verify` with the handles of the keys, of which there is at least one, and the memory of the results,
        /// and returns these. A result that is not written is `notCovered`.
        fileprivate static func results(
            of keys: [KernelKey],
            _ verify: (_ handles: UnsafePointer<OpaquePointer?>, _ results: UnsafeMutablePointer<UInt8>) -> Void
        ) -> [KernelResult] {
            typealias Handle = OpaquePointer?
            let count = keys.count
            // The results are in memory behind the handles.
            let end = unsafe count * MemoryLayout<Handle>.stride
            // A handle is freed with its key.
            defer { withExtendedLifetime(keys) {} }
            return unsafe withUnsafeTemporaryAllocation(
                byteCount: end + count, alignment: MemoryLayout<Handle>.alignment
            ) { memory in
                let handles = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<end]).bindMemory(to: Handle.self)
                let results = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end...]).bindMemory(to: UInt8.self)
                for index in 0..<count { unsafe handles.initializeElement(at: index, to: keys[index].handle) }
                unsafe results.initialize(repeating: KernelResult.notCovered.rawValue)
                unsafe verify(
                    UnsafePointer(handles.baseAddress.unsafelyUnwrapped), results.baseAddress.unsafelyUnwrapped)
                return unsafe results.map { KernelResult(rawValue: $0) ?? .notCovered }
            }
        }
    }

    extension KernelKey {
        /// Verifies Ed25519 signatures (RFC 8032, 5.1.7). A call with up to eight signatures takes as long as one with
        /// a single signature, if all keys have tables or none has.
        ///
        /// - Parameters:
        ///   - keys: the key of each signature.
        ///   - texts: the signed texts, one after the other.
        ///   - ends: the end of each text in `texts`, in ascending order.
        ///   - signatures: the signatures of 64 bytes, one after the other.
        /// - Returns: one result for each key. All are `notCovered` where a key is of another group or the lengths do
        ///   not match.
        package static func verify(
            keys: [KernelKey], texts: [UInt8], ends: [Int], signatures: [UInt8]
        ) -> [KernelResult] {
            let count = keys.count
            guard count > 0, ends.count == count, signatures.count == 64 * count, ends.last == texts.count,
                zip(ends, ends.dropFirst()).allSatisfy({ $0 <= $1 }), ends[0] >= 0,
                keys.allSatisfy({ $0.group == .ed25519 })
            else { return [KernelResult](repeating: .notCovered, count: count) }
            var encodings: [UInt8] = []
            encodings.reserveCapacity(32 * count)
            for key in keys { encodings += key.encoding }
            return unsafe results(of: keys) { tables, results in
                unsafe cjose_kernel_ed25519_verify_batch(encodings, tables, texts, ends, signatures, count, results)
            }
        }

        /// Verifies one ES256 signature over a SHA-256 digest, without memory of its own. The result is `notCovered`
        /// for a key of another group, and for a digest or signature of another length.
        package func verify(digest: Span<UInt8>, signature: Span<UInt8>) -> KernelResult {
            guard group == .p256, digest.count == 32, signature.count == 64 else { return .notCovered }
            // A key of this group has a handle, which is freed with it.
            var key = unsafe handle.unsafelyUnwrapped
            var result = KernelResult.notCovered.rawValue
            withExtendedLifetime(self) {
                unsafe withAddresses(digest, signature) { digest, signature in
                    unsafe cjose_kernel_p256_verify_batch(&key, digest, signature, 1, &result)
                }
            }
            return KernelResult(rawValue: result) ?? .notCovered
        }

        /// Verifies one Ed25519 signature. The result is `notCovered` for a key of another group, and for a signature
        /// that is not 64 bytes long.
        package func verify(_ text: Span<UInt8>, signature: Span<UInt8>) -> KernelResult {
            guard group == .ed25519, signature.count == 64 else { return .notCovered }
            var table = unsafe handle
            var end = text.count
            var result = KernelResult.notCovered.rawValue
            withExtendedLifetime(self) {
                unsafe withAddresses(text, signature) { text, signature in
                    unsafe cjose_kernel_ed25519_verify_batch(encoding, &table, text, &end, signature, 1, &result)
                }
            }
            return KernelResult(rawValue: result) ?? .notCovered
        }
    }

    extension KernelGroup {
        /// Returns the lengths of a digest and of a signature; nil for a scheme that is not one of the group.
        fileprivate func lengths(of scheme: SignatureScheme) -> (digest: Int, signature: Int)? {
            switch (self, scheme) {
            case (.rsa(let bits), .rs256), (.rsa(let bits), .ps256): (32, bits / 8)
            case (.rsa(let bits), .rs384), (.rsa(let bits), .ps384): (48, bits / 8)
            case (.rsa(let bits), .rs512), (.rsa(let bits), .ps512): (64, bits / 8)
            case (.p256, .es256): (32, 64)
            default: nil
            }
        }
    }

    extension SignatureScheme {
        fileprivate var rsaKernelScheme: cjose_kernel_rsa_scheme? {
            switch self {
            case .rs256: .rs256
            case .rs384: .rs384
            case .rs512: .rs512
            case .ps256: .ps256
            case .ps384: .ps384
            case .ps512: .ps512
            default: nil
            }
        }
    }

    /// Calls `body` with the addresses of two texts. The second is not empty; an empty first one need not have an
    /// address of its own.
    private func withAddresses(
        _ first: Span<UInt8>, _ second: Span<UInt8>,
        _ body: (_ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>) -> Void
    ) {
        unsafe first.withUnsafeBufferPointer { first in
            unsafe second.withUnsafeBufferPointer { second in
                let other = unsafe second.baseAddress.unsafelyUnwrapped
                unsafe body(first.baseAddress ?? other, other)
            }
        }
    }
#else
    /// A key without kernels: the build lacks the package trait `Accelerated`, so that libcrypto verifies every
    /// signature.
    package final class KernelKey: Sendable {
        package let group: KernelGroup

        /// Returns nil: no key is covered.
        package init?(_ key: AsymmetricKey) { return nil }
        /// Returns nil: no key is covered.
        package init?(_ key: Ed25519PublicKey, hasTable: Bool) { return nil }

        package var byteCount: Int { 0 }
        package var hasTable: Bool { false }
        package static var form: KernelForm { .unavailable }

        package static func verify(
            _ scheme: SignatureScheme, keys: [KernelKey], digests: [UInt8], signatures: [UInt8]
        ) -> [KernelResult] {
            [KernelResult](repeating: .notCovered, count: keys.count)
        }

        package static func verify(
            keys: [KernelKey], texts: [UInt8], ends: [Int], signatures: [UInt8]
        ) -> [KernelResult] {
            [KernelResult](repeating: .notCovered, count: keys.count)
        }

        package func verify(digest: Span<UInt8>, signature: Span<UInt8>) -> KernelResult { .notCovered }
        package func verify(_ text: Span<UInt8>, signature: Span<UInt8>) -> KernelResult { .notCovered }
    }
#endif
