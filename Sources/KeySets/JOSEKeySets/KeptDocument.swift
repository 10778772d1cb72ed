internal import JOSECrypto
internal import JOSESupport

/// A response body with the data that is saved with it on disk, for a later process. It is read as untrusted input.
package struct KeptDocument: Equatable, Sendable {
    package var body: [UInt8]
    package var header: StoredHeader
    /// The seconds for which the body was fresh when it was received.
    package var lifetime: Double
    package var url: String

    package init(body: [UInt8], header: StoredHeader, lifetime: Double, url: String) {
        self.body = body
        self.header = header
        self.lifetime = lifetime
        self.url = url
    }
}

/// A change to save. Changes are reported in order, by the task of the fetch and without a lock.
package enum DocumentKeeping: Sendable {
    /// A new body was accepted.
    case taken(KeptDocument)
    /// The previous body, which has this SHA-256 digest, was confirmed, and is as fresh as when it was received.
    case confirmed(digest: [UInt8], header: StoredHeader, lifetime: Double)
    /// The document was dropped by the caller and must not be used again.
    case dropped

    package var isDropped: Bool {
        if case .dropped = self { true } else { false }
    }
}

extension RemoteDocument {
    /// Restores a body that was saved `age` seconds ago, and revalidates it at once, or when it is due if snapshots are
    /// shared. Does nothing if there is a value already. Throws `refused`; it is `tooOld` if the body exceeds the
    /// outage limit of this process.
    ///
    /// - Parameter accepted: Is called if the body can be read, even if there is a value already, before this function
    ///   begins a fetch.
    package func restore(_ kept: KeptDocument, age: Double, accepted: () -> Void = {}) throws(KeySetError) {
        let longest = min(max(kept.lifetime, 0), options.ceiling.inSeconds)
        guard age >= 0, age < longest + options.outageLimit.inSeconds else { throw .refused(.tooOld) }
        guard kept.body.count <= options.bodyLimit else { throw .refused(.tooLarge) }
        var memory = reader.blank
        let now = environment.now()
        let taken = try reader.take(kept.body, over: nil, &memory, at: now - age)
        let digest = (try? Hash.sha256.digest(kept.body.span)) ?? []
        accepted()
        transact { state, effects, now in
            guard state.value == nil, !state.isClosed else { return }
            state.memory = memory
            state.generation += 1
            state.digest = digest
            state.value = taken.value
            state.header = kept.header
            state.url = kept.url
            state.confirmedAt = now - age
            state.freshUntil = state.confirmedAt + longest
            state.usableUntil = state.freshUntil + options.outageLimit.inSeconds
            state.hasReportedStale = false
            state.hasReportedExpired = false
            state.isUsed = true
            if options.sharesSnapshots {
                state.schedule.succeeded(at: now - age, lifetime: longest, chance: environment.chance())
            } else {
                state.schedule.restored(refreshAt: now)
            }
            effects.events += [.restored(age: Duration(saturatingSeconds: age))] + taken.events
            advance(&state, &effects, now)
        }
    }
}
