internal import JOSECrypto
internal import JOSESupport

/// A content encryption key to be decrypted with RSA-OAEP, together with those of other tokens.
package struct UnwrappingJob: Sendable {
    let key: PrivateKernelKey
    let hash: Hash
    let encryptedKey: [UInt8]
    /// The length of the content encryption key in bytes.
    let count: Int
    let limiter: DecryptionLimiter?

    /// The length of the RSA modulus in bytes. Only keys of one length are decrypted together.
    package var modulusBytes: Int { key.byteCount }

    /// The properties that keys share which are decrypted together.
    struct Group: Hashable, Sendable {
        let hash: Hash
        let modulus: Int
        let count: Int
    }
    var group: Group { Group(hash: hash, modulus: key.byteCount, count: count) }
}

/// A content encryption key, or random bytes in its place. It is wiped when it is released.
package final class UnwrappedKey: Sendable {
    let bytes: SecretBytes
    init(_ bytes: Span<UInt8>) { self.bytes = SecretBytes(copying: bytes) }
}

/// The outcome of an attempt to decrypt a content encryption key together with others.
package enum UnwrappingOutcome: Sendable {
    case unwrapped(UnwrappedKey)
    case failed(JOSEError)
    /// libcrypto decrypts the key.
    case notCovered
}

/// Decrypts the content encryption keys of several tokens with the vectorized code, four at a time.
package enum KeyUnwrapping {
    /// Decrypts the keys of a batch and returns their outcomes in the same order. Keys of different sizes and hashes
    /// are processed in groups. A key that would be alone is left to libcrypto.
    package static func run(_ jobs: [UnwrappingJob]) -> [UnwrappingOutcome] {
        var outcomes = [UnwrappingOutcome](repeating: .notCovered, count: jobs.count)
        var groups: [UnwrappingJob.Group: [Int]] = [:]
        for index in jobs.indices { groups[jobs[index].group, default: []].append(index) }
        for indices in groups.values {
            for start in stride(from: 0, to: indices.count, by: BatchSizes.privateOperations) {
                pass(indices[start..<min(start + BatchSizes.privateOperations, indices.count)], jobs, &outcomes)
            }
        }
        return outcomes
    }

    /// Decrypts up to four keys of one size and hash, whose caller has a slot of the limiter. One that is alone is left
    /// to libcrypto.
    static func runTogether(_ jobs: [UnwrappingJob]) -> [UnwrappingOutcome] {
        var outcomes = [UnwrappingOutcome](repeating: .notCovered, count: jobs.count)
        if jobs.count > 1 { decrypt(Array(jobs.indices), jobs, &outcomes) }
        return outcomes
    }

    /// Decrypts up to four keys. A pass takes about as long as one operation of libcrypto, and takes one slot of each
    /// limiter. The slot covers the private-key operation; the contents are decrypted after it.
    private static func pass(_ indices: ArraySlice<Int>, _ jobs: [UnwrappingJob], _ outcomes: inout [UnwrappingOutcome])
    {
        guard indices.count > 1 else { return }
        var entered: [DecryptionLimiter] = []
        defer { for limiter in entered { limiter.leave() } }
        var ready: [Int] = []
        for index in indices {
            if let limiter = jobs[index].limiter, !entered.contains(where: { $0 === limiter }) {
                do throws(JOSEError) {
                    try limiter.enter()
                    entered.append(limiter)
                } catch {
                    outcomes[index] = .failed(error)
                    continue
                }
            }
            ready.append(index)
        }
        if ready.count > 1 { decrypt(ready, jobs, &outcomes) }
    }

    private static func decrypt(_ indices: [Int], _ jobs: [UnwrappingJob], _ outcomes: inout [UnwrappingOutcome]) {
        let first = jobs[indices[0]]
        var texts = SecretBytes(capacity: indices.count * first.count)
        var ciphertexts: [UInt8] = []
        for index in indices { ciphertexts += jobs[index].encryptedKey }
        let keys = indices.map { jobs[$0].key }
        // Random bytes are filled in first, so that the next steps are the same whether the decryption replaces them.
        let computed = unsafe texts.withMutableBytes { memory in
            guard (try? unsafe Random.fill(memory)) != nil else {
                return [Bool](repeating: false, count: indices.count)
            }
            return unsafe PrivateKernelKey.oaepDecrypt(
                first.hash, keys: keys, ciphertexts: ciphertexts.span, into: memory)
        }
        texts.setCount(indices.count * first.count)
        texts.withBytes { texts in
            for (number, index) in indices.enumerated() where computed[number] {
                let text = texts.extracting(number * first.count..<(number + 1) * first.count)
                outcomes[index] = .unwrapped(UnwrappedKey(text))
            }
        }
    }
}
