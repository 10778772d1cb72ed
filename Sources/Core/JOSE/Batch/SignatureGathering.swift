internal import JOSECrypto

/// Signatures that wait to be verified together, each with its token. One thread's.
///
/// What the kernels do not cover is verified by libcrypto at once, and so is an RSA signature that is alone: they take as long for
/// eight as for one. Of several keys that a token may be of, each is tried in its turn.
package struct SignatureGathering: ~Copyable {
    /// As many are verified at once: eight times eight lanes, and enough for ES256 to share one inversion.
    static let most = 64
    private static let rsaKernelScheme = 8

    fileprivate struct Queue {
        let group: KernelKey.Group
        let scheme: SignatureScheme
        var keys: [KernelKey] = []
        var tickets: [Int] = []
        var digests: [UInt8] = []
        var signatures: [UInt8] = []

        /// How many of them go to the kernels.
        var kernelCount: Int {
            guard case .rsa = group, tickets.count % rsaKernelScheme == 1 else { return tickets.count }
            return tickets.count - 1
        }

        mutating func append(_ jws: borrowing PendingJWS, _ lanes: KernelKey, _ ticket: Int) {
            keys.append(lanes)
            tickets.append(ticket)
            jws.append(digest: &digests, signature: &signatures)
        }

        mutating func empty() {
            keys.removeAll(keepingCapacity: true)
            tickets.removeAll(keepingCapacity: true)
            digests.removeAll(keepingCapacity: true)
            signatures.removeAll(keepingCapacity: true)
        }
    }

    private var queues: [Queue] = []
    /// By ticket. Changed in its place: a copy counts the references of all that it holds.
    private var waiting: [PendingJWS] = []
    private var settled: [(ticket: Int, holds: Bool)] = []
    /// What the key of the token before has, where that stays: mostly it is the next one's too.
    private var latest: (key: VerificationKey, lanes: KernelKey)?

    package init() {}

    /// Gives the token a ticket: 0, 1, 2 and so on.
    package mutating func add(_ jws: consuming PendingJWS) {
        let full = advance(&jws, waiting.count)
        waiting.append(jws)
        if let full { empty(full) }
    }

    /// Nothing waits any more after this.
    package mutating func finish() {
        while let place = queues.firstIndex(where: { !$0.tickets.isEmpty }) { empty(place) }
    }

    /// A token whose signature was looked at, each once, in any order.
    package mutating func next() -> (ticket: Int, holds: Bool)? { settled.popLast() }

    /// That one, in its place.
    package subscript(_ ticket: Int) -> PendingJWS {
        @inline(__always) _read { yield waiting[ticket] }
        @inline(__always) _modify { yield &waiting[ticket] }
    }

    /// The same token, for whoever gave it.
    package mutating func take(_ ticket: Int) -> PendingJWS { waiting[ticket].take() }

    /// Tickets begin at 0 again.
    package mutating func reset() { waiting.removeAll(keepingCapacity: true) }

    /// From the key that is next on. Gives the place of the queue that is full now.
    private mutating func advance(_ jws: inout PendingJWS, _ ticket: Int) -> Int? {
        while let key = jws.key {
            if let lanes = lanes(of: key), let place = queue(jws, lanes, ticket) {
                return queues[place].tickets.count == Self.most ? place : nil
            }
            if Self.holdsAlone(&jws, key) {
                settled.append((ticket, true))
                return nil
            }
        }
        settled.append((ticket, false))
        return nil
    }

    private mutating func lanes(of key: VerificationKey) -> KernelKey? {
        if let latest, latest.key === key { return latest.lanes }
        guard let held = key.lanes, let lanes = held.forBatch() else { return nil }
        // A P-256 key's may be taken away, and counts its uses.
        if case .rsa = held.form { latest = (key, lanes) }
        return lanes
    }

    /// Nil for a signature that is not as long as the key makes them.
    private mutating func queue(_ jws: borrowing PendingJWS, _ lanes: KernelKey, _ ticket: Int) -> Int? {
        let group = lanes.group
        guard let scheme = jws.allowed.scheme, jws.signatureCount == group.signatureBytes else { return nil }
        for place in queues.indices where queues[place].scheme == scheme && queues[place].group == group {
            queues[place].append(jws, lanes, ticket)
            return place
        }
        queues.append(Queue(group: group, scheme: scheme))
        queues[queues.count - 1].append(jws, lanes, ticket)
        return queues.count - 1
    }

    private mutating func empty(_ place: Int) {
        var full = Queue(group: queues[place].group, scheme: queues[place].scheme)
        swap(&full, &queues[place])
        let count = full.kernelCount
        let answers = full.answers(count)
        for number in full.tickets.indices {
            let ticket = full.tickets[number]
            switch number < count ? answers[number] : .open {
            case .valid: settled.append((ticket, true))
            case .invalid:
                waiting[ticket].fail(.signatureInvalid)
                goOn(ticket)
            case .open:
                if let key = waiting[ticket].key, Self.holdsAlone(&waiting[ticket], key) {
                    settled.append((ticket, true))
                } else {
                    goOn(ticket)
                }
            }
        }
        // Its memory is of use again, unless another was begun meanwhile.
        full.empty()
        if queues[place].tickets.isEmpty { queues[place] = full }
    }

    /// With the keys that are left.
    private mutating func goOn(_ ticket: Int) {
        var jws = waiting[ticket].take()
        let full = advance(&jws, ticket)
        waiting[ticket] = jws
        if let full { empty(full) }
    }

    /// By libcrypto. Otherwise the next key is the next.
    private static func holdsAlone(_ jws: inout PendingJWS, _ key: VerificationKey) -> Bool {
        do throws(JOSEError) {
            try jws.verifyAlone(key)
            return true
        } catch {
            jws.fail(error)
            return false
        }
    }
}

extension SignatureGathering.Queue {
    fileprivate func answers(_ count: Int) -> [KernelResult] {
        guard count > 0 else { return [] }
        let digest = digests.count / tickets.count
        let signature = signatures.count / tickets.count
        let hashes = digests.span
        let proofs = signatures.span
        return KernelKey.verify(
            scheme, keys: count == keys.count ? keys : Array(keys[..<count]),
            digests: hashes.extracting(0..<count * digest), signatures: proofs.extracting(0..<count * signature))
    }
}

extension KernelKey.Group {
    var signatureBytes: Int {
        switch self {
        case .rsa(let bits): bits / 8
        case .p256: 64
        }
    }
}
