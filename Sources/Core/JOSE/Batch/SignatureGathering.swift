internal import JOSECrypto

/// Signatures that wait to be verified together, each with its token. It is used by one thread.
///
/// Signatures that the kernels do not support are verified at once, and so is a single signature of RSA, which has a
/// kernel of its own, or of Ed25519 without a table, where the kernel takes as long for eight as for one. Where several
/// keys fit a token, each is tried in its order.
package struct SignatureGathering: ~Copyable {
    fileprivate struct Queue {
        let group: KernelGroup
        let scheme: BatchScheme
        var keys: [KernelKey] = []
        var tickets: [Int] = []
        /// The digests of the texts, or the texts where the scheme signs these.
        var digests: [UInt8] = []
        /// The end of each text; empty for digests.
        var ends: [Int] = []
        var signatures: [UInt8] = []

        /// The number of signatures that the kernels verify.
        var kernelCount: Int {
            guard tickets.count % BatchSizes.signatures == 1 else { return tickets.count }
            // A key that verifies single RSA signatures has its kernel, and libsodium is faster, except under a table.
            switch group {
            case .rsa: return tickets.count - 1
            case .ed25519: return keys[tickets.count - 1].hasTable ? tickets.count : tickets.count - 1
            case .p256: return tickets.count
            }
        }

        mutating func append(_ job: borrowing SignatureJob, _ kernelKey: KernelKey, _ ticket: Int) {
            keys.append(kernelKey)
            tickets.append(ticket)
            switch scheme {
            case .digest: job.append(digest: &digests, signature: &signatures)
            case .ed25519:
                job.append(text: &digests, signature: &signatures)
                ends.append(digests.count)
            }
        }

        mutating func empty() {
            keys.removeAll(keepingCapacity: true)
            tickets.removeAll(keepingCapacity: true)
            digests.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            signatures.removeAll(keepingCapacity: true)
        }
    }

    private var queues: [Queue] = []
    /// The tokens by ticket. They are changed in place, because a copy counts all their references.
    private var jobs: [SignatureJob] = []
    /// The tickets of the tokens whose signatures were verified, with either result.
    private var finished: [Int] = []
    /// The last token's key and its kernel key, if that is stable: it mostly is that of the next token too.
    private var latest: (key: VerificationKey, kernelKey: KernelKey)?

    private let isBatch: Bool

    /// Creates a value without tokens.
    ///
    /// - Parameter isBatch: Whether there may be several tokens, which have time to make the table of a key.
    package init(isBatch: Bool = true) { self.isBatch = isBatch }

    /// Adds a token. Its ticket, which `next()` returns once the signature was verified, is the number of tokens that
    /// were added before it since the last `reset()`.
    package mutating func add(_ job: consuming SignatureJob) {
        let full = advance(&job, jobs.count)
        jobs.append(job)
        if let full { empty(full) }
    }

    /// Verifies all signatures that are waiting.
    package mutating func finish() {
        while let index = queues.firstIndex(where: { !$0.tickets.isEmpty }) { empty(index) }
    }

    /// Verifies signatures together, or a single one alone, and returns them in the same order.
    package static func verify(_ jobs: [SignatureJob]) -> [SignatureJob] {
        var gathering = SignatureGathering(isBatch: jobs.count > 1)
        for job in jobs { gathering.add(job) }
        gathering.finish()
        return jobs.indices.map { gathering.take($0) }
    }

    /// Returns the ticket of a token that can be finished now, because its signature was verified, with either result.
    /// Each is returned once, in any order.
    package mutating func next() -> Int? { finished.popLast() }

    /// The token with a ticket, in place.
    package subscript(_ ticket: Int) -> SignatureJob {
        @inline(__always) _read { yield jobs[ticket] }
        @inline(__always) _modify { yield &jobs[ticket] }
    }

    /// Returns the token with a ticket, and leaves one without bytes.
    package mutating func take(_ ticket: Int) -> SignatureJob { jobs[ticket].take() }

    /// Removes all tokens. Tickets begin at 0 again.
    package mutating func reset() { jobs.removeAll(keepingCapacity: true) }

    /// Tries the keys from the next one on. Returns the index of the queue that is full now.
    private mutating func advance(_ job: inout SignatureJob, _ ticket: Int) -> Int? {
        while let key = job.key {
            if let kernelKey = kernelKey(of: key), let index = queue(job, kernelKey, ticket) {
                return queues[index].tickets.count == BatchSizes.signaturesInCall ? index : nil
            }
            if Self.verifyAlone(&job, key) { break }
        }
        finished.append(ticket)
        return nil
    }

    private mutating func kernelKey(of key: VerificationKey) -> KernelKey? {
        if let latest, latest.key === key { return latest.kernelKey }
        guard let batchKey = key.batchKey, let kernelKey = batchKey.forBatch(isBatch: isBatch) else { return nil }
        // The table of another key may be removed, and counts its uses.
        if case .rsa = batchKey.form { latest = (key, kernelKey) }
        return kernelKey
    }

    /// Adds the signature to a queue and returns its index, or nil where it does not have the length of the key's
    /// signatures.
    private mutating func queue(_ job: borrowing SignatureJob, _ kernelKey: KernelKey, _ ticket: Int) -> Int? {
        let group = kernelKey.group
        guard let scheme = job.allowed.scheme, job.signatureCount == group.signatureBytes else { return nil }
        for index in queues.indices where queues[index].scheme == scheme && queues[index].group == group {
            queues[index].append(job, kernelKey, ticket)
            return index
        }
        queues.append(Queue(group: group, scheme: scheme))
        queues[queues.count - 1].append(job, kernelKey, ticket)
        return queues.count - 1
    }

    private mutating func empty(_ index: Int) {
        var full = Queue(group: queues[index].group, scheme: queues[index].scheme)
        swap(&full, &queues[index])
        let count = full.kernelCount
        let answers = full.answers(count)
        for number in full.tickets.indices {
            let ticket = full.tickets[number]
            switch number < count ? answers[number] : .notCovered {
            case .valid:
                jobs[ticket].succeed()
                finished.append(ticket)
            case .invalid:
                jobs[ticket].fail(.signatureInvalid)
                tryNext(ticket)
            case .notCovered:
                if let key = jobs[ticket].key, Self.verifyAlone(&jobs[ticket], key) {
                    finished.append(ticket)
                } else {
                    tryNext(ticket)
                }
            }
        }
        // The memory is reused, unless another queue was begun meanwhile.
        full.empty()
        if queues[index].tickets.isEmpty { queues[index] = full }
    }

    /// Tries the keys that are left.
    private mutating func tryNext(_ ticket: Int) {
        var job = jobs[ticket].take()
        let full = advance(&job, ticket)
        jobs[ticket] = job
        if let full { empty(full) }
    }

    /// Verifies by the library. Where the signature is invalid, the next key becomes the next one to try.
    private static func verifyAlone(_ job: inout SignatureJob, _ key: VerificationKey) -> Bool {
        do throws(JOSEError) {
            try job.verifyAlone(key)
            job.succeed()
            return true
        } catch {
            job.fail(error)
            return false
        }
    }
}

extension SignatureGathering.Queue {
    fileprivate func answers(_ count: Int) -> [KernelResult] {
        guard count > 0 else { return [] }
        let signatureBytes = signatures.count / tickets.count
        let digestBytes = digests.count / tickets.count
        func prefix<Element>(_ all: [Element], _ count: Int) -> [Element] {
            count == all.count ? all : Array(all[..<count])
        }
        let keys = prefix(keys, count)
        let signatures = prefix(signatures, count * signatureBytes)
        guard case .digest(let scheme) = scheme else {
            return KernelKey.verify(
                keys: keys, texts: prefix(digests, ends[count - 1]), ends: prefix(ends, count), signatures: signatures
            ).map(\.confirmedByLibsodium)
        }
        return KernelKey.verify(
            scheme, keys: keys, digests: prefix(digests, count * digestBytes), signatures: signatures)
    }
}

extension KernelGroup {
    var signatureBytes: Int {
        switch self {
        case .rsa(let bits): bits / 8
        case .p256, .ed25519: 64
        }
    }
}
