/// A body as it can be kept over the life of a process. It is to be read as if a stranger had written it.
package struct KeptDocument: Equatable, Sendable {
    package var body: [UInt8]
    package var header: StoredHeader
    /// Seconds for which it was fresh when it came.
    package var lifetime: Double
    package var url: String

    package init(body: [UInt8], header: StoredHeader, lifetime: Double, url: String) {
        self.body = body
        self.header = header
        self.lifetime = lifetime
        self.url = url
    }
}

/// What there is to keep. It is said in the task of the fetch, under no lock, in order.
package enum DocumentKeeping: Sendable {
    /// A new body.
    case taken(KeptDocument)
    /// The body of before holds still: it is as young again as it was when it came.
    case confirmed(header: StoredHeader, lifetime: Double)
    /// What was held is not to be used again. Said by whoever drops it.
    case dropped

    package var isDropped: Bool {
        if case .dropped = self { true } else { false }
    }
}

extension RemoteDocument {
    /// Takes a body that was kept `age` seconds ago, and asks at once whether it holds still. Nothing happens where something is
    /// held already. Throws `refused`; it is `tooOld` where a life of this process would not serve it any more either.
    package func restore(_ kept: KeptDocument, age: Double) throws(KeySetError) {
        let longest = min(max(kept.lifetime, 0), options.ceiling.inSeconds)
        guard age >= 0, age < longest + options.outageLimit.inSeconds else { throw .refused(.tooOld) }
        guard kept.body.count <= options.bodyLimit else { throw .refused(.tooLarge) }
        var memory = reader.blank
        let now = surroundings.now()
        let taken = try reader.take(kept.body, over: nil, &memory, at: now - age)
        transact { state, effects, now in
            guard state.value == nil, !state.isClosed else { return }
            state.memory = memory
            state.generation += 1
            state.value = taken.value
            state.header = kept.header
            state.url = kept.url
            state.confirmedAt = now - age
            state.freshUntil = state.confirmedAt + longest
            state.usableUntil = state.freshUntil + options.outageLimit.inSeconds
            state.hasToldStale = false
            state.hasToldExpired = false
            state.isUsed = true
            state.pace.restored(refreshAt: now)
            effects.events += [.restored(age: age)] + taken.events
            pass(&state, &effects, now)
        }
    }
}
