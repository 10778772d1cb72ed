internal import JOSEBytes
internal import JOSECrypto

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

    fileprivate struct Group: Hashable {
        let hash: Hash
        let modulus: Int
        let count: Int
    }
    fileprivate var group: Group { Group(hash: hash, modulus: key.byteCount, count: count) }
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
    /// The number of tokens that take as long as one.
    package static let width = 4
    /// The largest number of tokens that wait for others in a batch.
    package static let most = 128

    /// Decrypts the keys of a batch and returns their outcomes in the same order. Keys of different sizes and hashes are processed in
    /// groups. A key that would be alone is left to libcrypto.
    package static func run(_ jobs: [UnwrappingJob]) -> [UnwrappingOutcome] {
        var outcomes = [UnwrappingOutcome](repeating: .notCovered, count: jobs.count)
        var groups: [UnwrappingJob.Group: [Int]] = [:]
        for place in jobs.indices { groups[jobs[place].group, default: []].append(place) }
        for places in groups.values {
            for start in stride(from: 0, to: places.count, by: width) {
                pass(places[start..<min(start + width, places.count)], jobs, &outcomes)
            }
        }
        return outcomes
    }

    /// Decrypts up to four keys. A pass takes about as long as one operation of libcrypto, and takes one slot of each limiter. The slot
    /// covers the private-key operation; the contents are decrypted after it.
    private static func pass(_ places: ArraySlice<Int>, _ jobs: [UnwrappingJob], _ outcomes: inout [UnwrappingOutcome])
    {
        guard places.count > 1 else { return }
        var entered: [DecryptionLimiter] = []
        defer { for limiter in entered { limiter.leave() } }
        var admitted: [Int] = []
        for place in places {
            if let limiter = jobs[place].limiter, !entered.contains(where: { $0 === limiter }) {
                do throws(JOSEError) {
                    try limiter.enter()
                    entered.append(limiter)
                } catch {
                    outcomes[place] = .failed(error)
                    continue
                }
            }
            admitted.append(place)
        }
        if admitted.count > 1 { decrypt(admitted, jobs, &outcomes) }
    }

    private static func decrypt(_ places: [Int], _ jobs: [UnwrappingJob], _ outcomes: inout [UnwrappingOutcome]) {
        let first = jobs[places[0]]
        var texts = SecretBytes(capacity: places.count * first.count)
        var ciphertexts: [UInt8] = []
        for place in places { ciphertexts += jobs[place].encryptedKey }
        let keys = places.map { jobs[$0].key }
        // Random bytes are filled in first, so that the next steps are the same whether the decryption replaces them.
        let computed = unsafe texts.withMutableBytes { memory in
            guard (try? unsafe Random.fill(memory)) != nil else { return [Bool](repeating: false, count: places.count) }
            return unsafe PrivateKernelKey.oaepDecrypt(
                first.hash, keys: keys, ciphertexts: ciphertexts.span, into: memory)
        }
        texts.setCount(places.count * first.count)
        texts.withBytes { texts in
            for (number, place) in places.enumerated() where computed[number] {
                let text = texts.extracting(number * first.count..<(number + 1) * first.count)
                outcomes[place] = .unwrapped(UnwrappedKey(text))
            }
        }
    }
}
