internal import JOSECrypto

/// Signatures that wait to be verified together, each with its token. One thread's.
///
/// What the kernels do not cover is verified by libcrypto at once, and so is an RSA signature that is alone: they take as long for
/// eight as for one. Of several keys that a token may be of, each is tried in its turn.
package struct SignatureGathering: ~Copyable {
    /// As many are verified at once: eight times eight lanes, and enough for ES256 to share one inversion.
    static let most = 64
    private static let rsaLanes = 8

    fileprivate struct Queue {
        let group: LanesKey.Group
        let scheme: SignatureScheme
        var keys: [LanesKey] = []
        var tickets: [Int] = []
        var digests: [UInt8] = []
        var signatures: [UInt8] = []

        /// How many of them go to the kernels.
        var lanesCount: Int {
            guard case .rsa = group, tickets.count % rsaLanes == 1 else { return tickets.count }
            return tickets.count - 1
        }

        mutating func append(_ jws: borrowing PendingJWS, _ lanes: LanesKey, _ ticket: Int) {
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
    /// By ticket. What is used of one is read in its place: a copy counts the references of all that it holds.
    private var waiting: [PendingJWS] = []
    private var settled: [(ticket: Int, holds: Bool)] = []

    package init() {}

    /// Gives the token a ticket: 0, 1, 2 and so on.
    package mutating func add(_ jws: consuming PendingJWS) {
        waiting.append(jws)
        advance(waiting.count - 1)
    }

    /// Nothing waits any more after this.
    package mutating func finish() {
        while let place = queues.firstIndex(where: { !$0.tickets.isEmpty }) { empty(place) }
    }

    /// A token whose signature was looked at, each once, in any order.
    package mutating func next() -> (ticket: Int, jws: PendingJWS, holds: Bool)? {
        guard let last = settled.popLast() else { return nil }
        return (last.ticket, waiting[last.ticket].take(), last.holds)
    }

    /// Tickets begin at 0 again.
    package mutating func reset() { waiting.removeAll(keepingCapacity: true) }

    /// From the key that is next on.
    private mutating func advance(_ ticket: Int) {
        while let key = waiting[ticket].key {
            if let lanes = key.lanes?.forBatch(), queue(ticket, lanes) { return }
            if holdsAlone(ticket) { return settled.append((ticket, true)) }
        }
        settled.append((ticket, false))
    }

    /// False for a signature that is not as long as the key makes them.
    private mutating func queue(_ ticket: Int, _ lanes: LanesKey) -> Bool {
        guard let scheme = waiting[ticket].allowed.scheme,
            waiting[ticket].signatureCount == lanes.group.signatureBytes
        else { return false }
        let place: Int
        if let found = queues.firstIndex(where: { $0.scheme == scheme && $0.group == lanes.group }) {
            place = found
        } else {
            place = queues.count
            queues.append(Queue(group: lanes.group, scheme: scheme))
        }
        queues[place].append(waiting[ticket], lanes, ticket)
        if queues[place].tickets.count == Self.most { empty(place) }
        return true
    }

    private mutating func empty(_ place: Int) {
        var full = Queue(group: queues[place].group, scheme: queues[place].scheme)
        swap(&full, &queues[place])
        let count = full.lanesCount
        let answers = full.answers(count)
        for (number, ticket) in full.tickets.enumerated() {
            switch number < count ? answers[number] : .open {
            case .valid: settled.append((ticket, true))
            case .invalid:
                waiting[ticket].fail(.signatureInvalid)
                advance(ticket)
            case .open:
                if holdsAlone(ticket) { settled.append((ticket, true)) } else { advance(ticket) }
            }
        }
        // Its memory is of use again, unless another was begun meanwhile.
        full.empty()
        if queues[place].tickets.isEmpty { queues[place] = full }
    }

    /// By libcrypto. Otherwise the next key is the next.
    private mutating func holdsAlone(_ ticket: Int) -> Bool {
        guard let key = waiting[ticket].key else { return false }
        do throws(JOSEError) {
            try waiting[ticket].verifyAlone(key)
            return true
        } catch {
            waiting[ticket].fail(error)
            return false
        }
    }
}

extension SignatureGathering.Queue {
    fileprivate func answers(_ count: Int) -> [LaneResult] {
        guard count > 0 else { return [] }
        let digest = digests.count / tickets.count
        let signature = signatures.count / tickets.count
        let hashes = digests.span
        let proofs = signatures.span
        return LanesKey.verify(
            scheme, keys: count == keys.count ? keys : Array(keys[..<count]),
            digests: hashes.extracting(0..<count * digest), signatures: proofs.extracting(0..<count * signature))
    }
}

extension LanesKey.Group {
    var signatureBytes: Int {
        switch self {
        case .rsa(let bits): bits / 8
        case .p256: 64
        }
    }
}
