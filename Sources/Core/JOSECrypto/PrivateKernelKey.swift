#if Accelerated
    internal import CJOSEOpenSSL
    internal import CJOSEPrivateKernels

    /// A private RSA key prepared for operations on several tokens at once. Any number of threads may share one. Its
    /// memory is wiped when it is released.
    @safe package final class PrivateKernelKey: Sendable {
        fileprivate nonisolated(unsafe) let handle: OpaquePointer
        /// The length of the modulus in bytes.
        package let byteCount: Int

        /// Whether this machine has the kernels.
        package static let isAvailable = cjose_private_kernels_present()

        /// The number of results of this process that the check with the public exponent rejected.
        package static var faultCount: UInt64 { cjose_private_fault_count() }

        /// Prepares a key. The result is nil for a key that the kernels do not cover, and for one whose numbers are
        /// kept by a provider of libcrypto.
        package init?(_ key: AsymmetricKey) {
            guard case .rsa = key.kind else { return nil }
            // The numbers are memory of the key.
            let made = unsafe withExtendedLifetime(key) {
                unsafe cjose_key_private_numbers(key.handle).flatMap { unsafe cjose_private_rsa_key_new($0) }
            }
            guard let made = unsafe made else { return nil }
            unsafe handle = made
            byteCount = unsafe cjose_private_rsa_key_bits(made) / 8
        }

        deinit { unsafe cjose_private_rsa_key_free(handle) }

        /// Decrypts with RSA-OAEP, MGF1 of the same hash and an empty label (RFC 7518, 4.3).
        ///
        /// - Parameters:
        ///   - keys: the key of each ciphertext. All have moduli of the same length.
        ///   - ciphertexts: the ciphertexts, one after the other, each as long as the modulus.
        ///   - texts: the memory for the texts, one after the other, all of the same length. Where a ciphertext is not
        ///     valid or its text has another length, the bytes stay unchanged.
        /// - Returns: for each ciphertext whether a result was computed, which does not reveal whether the ciphertext
        ///   was valid.
        package static func oaepDecrypt(
            _ hash: Hash, keys: [PrivateKernelKey], ciphertexts: Span<UInt8>, into texts: UnsafeMutableRawBufferPointer
        ) -> [Bool] {
            let count = keys.count
            guard count > 0, let size = keys.first?.byteCount, keys.allSatisfy({ $0.byteCount == size }),
                ciphertexts.count == count * size, texts.count % count == 0,
                let out = unsafe texts.bindMemory(to: UInt8.self).baseAddress
            else { return [Bool](repeating: false, count: count) }
            let length = texts.count / count
            var results = [UInt8](repeating: UInt8(cjose_private_failed), count: count)
            unsafe ciphertexts.withUnsafeBufferPointer { bytes in
                guard let first = bytes.baseAddress else { return }
                let handles = unsafe keys.map { unsafe $0.handle }
                let inputs = unsafe (0..<count).map { unsafe first + $0 * size }
                let outputs = unsafe (0..<count).map { unsafe out + $0 * length }
                unsafe cjose_private_oaep_decrypt(
                    hash.privateKernelHash, handles, inputs, count, outputs, length, &results)
            }
            return withExtendedLifetime(keys) { results.map { $0 != UInt8(cjose_private_failed) } }
        }

        /// Returns whether `sign` has the algorithm.
        package static func signs(_ scheme: SignatureScheme) -> Bool { scheme.privateKernelScheme != nil }

        /// Signs digests with RSASSA-PKCS1-v1_5 or RSASSA-PSS (RFC 7518, 3.3 and 3.5).
        ///
        /// - Parameters:
        ///   - keys: the key of each digest. All have moduli of the same length.
        ///   - digests: the digests by the hash of the algorithm.
        /// - Returns: the signature of each digest, verified with the public exponent; nil where none was computed.
        package static func sign(
            _ scheme: SignatureScheme, keys: [PrivateKernelKey], digests: [[UInt8]]
        ) -> [[UInt8]?] {
            let count = keys.count
            guard let (algorithm, hash) = scheme.privateKernelScheme, let size = keys.first?.byteCount,
                keys.allSatisfy({ $0.byteCount == size }), digests.count == count,
                digests.allSatisfy({ $0.count == hash.byteCount })
            else { return [[UInt8]?](repeating: nil, count: count) }
            let input = digests.flatMap { $0 }
            var output = [UInt8](repeating: 0, count: count * size)
            var results = [UInt8](repeating: UInt8(cjose_private_failed), count: count)
            unsafe input.withUnsafeBufferPointer { bytes in
                unsafe output.withUnsafeMutableBufferPointer { out in
                    guard let first = bytes.baseAddress, let start = out.baseAddress else { return }
                    let handles = unsafe keys.map { unsafe $0.handle }
                    let inputs = unsafe (0..<count).map { unsafe first + $0 * hash.byteCount }
                    let outputs = unsafe (0..<count).map { unsafe start + $0 * size }
                    unsafe cjose_private_rsa_sign(algorithm, handles, inputs, count, outputs, &results)
                }
            }
            return withExtendedLifetime(keys) {
                results.indices.map { number in
                    guard results[number] == UInt8(cjose_private_valid) else { return nil }
                    return Array(output[number * size..<(number + 1) * size])
                }
            }
        }
    }

    extension SignatureScheme {
        fileprivate var privateKernelScheme: (cjose_private_signature, Hash)? {
            switch self {
            case .rs256: (.rs256, .sha256)
            case .rs384: (.rs384, .sha384)
            case .rs512: (.rs512, .sha512)
            case .ps256: (.ps256, .sha256)
            case .ps384: (.ps384, .sha384)
            case .ps512: (.ps512, .sha512)
            case .es256, .es384, .es512, .es256k, .ed448, .mlDSA44, .mlDSA65, .mlDSA87: nil
            }
        }
    }

    extension Hash {
        fileprivate var privateKernelHash: cjose_private_oaep_hash {
            switch self {
            case .sha1: .sha1
            case .sha256: .sha256
            case .sha384: .sha384
            case .sha512: .sha512
            }
        }
    }
#else
    /// A key without kernels: the build lacks the package trait `Accelerated`, so that libcrypto computes every private
    /// operation.
    package final class PrivateKernelKey: Sendable {
        package let byteCount: Int
        package static let isAvailable = false
        package static let faultCount: UInt64 = 0

        /// Returns nil: no key is covered.
        package init?(_ key: AsymmetricKey) { return nil }

        package static func oaepDecrypt(
            _ hash: Hash, keys: [PrivateKernelKey], ciphertexts: Span<UInt8>, into texts: UnsafeMutableRawBufferPointer
        ) -> [Bool] {
            [Bool](repeating: false, count: keys.count)
        }

        /// Returns false: no algorithm is covered.
        package static func signs(_ scheme: SignatureScheme) -> Bool { false }

        package static func sign(
            _ scheme: SignatureScheme, keys: [PrivateKernelKey], digests: [[UInt8]]
        ) -> [[UInt8]?] {
            [[UInt8]?](repeating: nil, count: keys.count)
        }
    }
#endif
