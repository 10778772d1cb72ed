internal import JOSECrypto
internal import JOSESupport
internal import Synchronization

/// The signing key of an issuer in the form that the vectorized code takes. It is prepared once, and again when the
/// issuer signs with another key. Any number of threads may share one value.
package final class SigningKernels: Sendable {
    private struct Prepared: Sendable {
        let key: AsymmetricKey
        /// The prepared key; nil where the vectorized code does not cover it.
        let kernelKey: PrivateKernelKey?
    }
    private let latest = Mutex<Prepared?>(nil)

    /// Creates a value without a key; nil where this build or this machine lacks the vectorized code.
    package init?() {
        guard PrivateKernelKey.isAvailable else { return nil }
    }

    fileprivate func kernelKey(of key: AsymmetricKey) -> PrivateKernelKey? {
        if let latest = latest.withLock({ $0 }), latest.key === key { return latest.kernelKey }
        let prepared = Prepared(key: key, kernelKey: PrivateKernelKey(key))
        latest.withLock { $0 = prepared }
        return prepared.kernelKey
    }
}

/// Payloads that are signed together, each with its signer. It is used by one thread.
///
/// RSA signatures are computed by the vectorized code, up to four at a time, where there are `SigningKernels`.
/// libcrypto and libsodium compute all others, and one that is alone with its algorithm and key size.
package struct SigningBatch {
    private struct Job {
        let index: Int
        let kernelKey: PrivateKernelKey
        let digest: [UInt8]
    }
    private struct Group: Hashable {
        let scheme: SignatureScheme
        let modulus: Int
    }
    private let kernels: SigningKernels?
    private var signers: [JWSSigner] = []
    /// The signing input of each token, and the whole token once it is signed.
    private var results: [Result<[UInt8], JOSEError>] = []
    private var groups: [Group: [Job]] = [:]

    /// Creates a batch. Without `kernels`, libcrypto and libsodium compute all signatures.
    package init(_ kernels: SigningKernels?) { self.kernels = kernels }

    /// Adds a payload. Its result has the index of the call.
    package mutating func add(_ payload: Span<UInt8>, _ signer: JWSSigner) {
        do throws(JOSEError) {
            let input = try SigningInput.compact(signer.header, payload: payload)
            if let (group, key) = vectorized(signer), let digest = digest(input.span, signer) {
                groups[group, default: []].append(Job(index: results.count, kernelKey: key, digest: digest))
                results.append(.success(input))
            } else {
                results.append(.success(try Self.token(input, signer)))
            }
        } catch {
            results.append(.failure(error))
        }
        signers.append(signer)
    }

    private func vectorized(_ signer: JWSSigner) -> (Group, PrivateKernelKey)? {
        guard let kernels, case .asymmetric(let key, let scheme) = signer.engine, PrivateKernelKey.signs(scheme),
            let kernelKey = kernels.kernelKey(of: key)
        else { return nil }
        return (Group(scheme: scheme, modulus: kernelKey.byteCount), kernelKey)
    }

    private func digest(_ input: Span<UInt8>, _ signer: JWSSigner) -> [UInt8]? {
        try? signer.algorithm.core.traits.hash?.digest(input)
    }

    /// Returns the compact serialization of each token, or its error, in the order of the payloads.
    package consuming func end() -> [Result<[UInt8], JOSEError>] {
        let groups = groups
        for (group, jobs) in groups {
            for start in stride(from: 0, to: jobs.count, by: BatchSizes.privateOperations) {
                sign(jobs[start..<min(start + BatchSizes.privateOperations, jobs.count)], group.scheme)
            }
        }
        return results
    }

    private mutating func sign(_ jobs: ArraySlice<Job>, _ scheme: SignatureScheme) {
        // A pass over up to four tokens takes longer than one operation of libcrypto.
        let signatures =
            jobs.count > 1
            ? PrivateKernelKey.sign(scheme, keys: jobs.map(\.kernelKey), digests: jobs.map(\.digest))
            : [[UInt8]?](repeating: nil, count: jobs.count)
        for (job, signature) in zip(jobs, signatures) {
            guard case .success(var token) = results[job.index] else { continue }
            if let signature {
                SigningInput.finish(&token, signature)
                results[job.index] = .success(token)
            } else {
                do throws(JOSEError) {
                    results[job.index] = .success(try Self.token(token, signers[job.index]))
                } catch {
                    results[job.index] = .failure(error)
                }
            }
        }
    }

    private static func token(_ input: [UInt8], _ signer: JWSSigner) throws(JOSEError) -> [UInt8] {
        var token = input
        SigningInput.finish(&token, try signer.signature(input.span))
        return token
    }
}
