internal import Dispatch
internal import JOSESupport
internal import Synchronization

/// A component that saves the accepted bodies of one document and restores the last one once. Files are written on a
/// queue of their own, so that a slow disk delays no verification. It delays a fetch only where processes share
/// snapshots, because a fetch then locks and reads a file first.
final class SnapshotKeeper<Reader: DocumentReader>: Sendable {
    private struct State {
        weak var document: RemoteDocument<Reader>?
        var locator: MetadataLocator?
        var hasRestored = false
        /// The time of the fetch of the last body that was restored or saved, in seconds since 1970.
        var knownAt = -Double.infinity
        /// The number of turns that have not ended.
        var turns = 0
        var fault: SnapshotFault?
    }
    private let folder: SnapshotFolder
    private let source: String
    private let options: KeySetOptions
    private let environment: FetchEnvironment
    private let state = Mutex(State())

    init(_ folder: String, source: String, options: KeySetOptions, environment: FetchEnvironment) {
        self.folder = SnapshotFolder(path: folder)
        self.source = source
        self.options = options
        self.environment = environment
    }

    /// Sets the document, which is referenced weakly, and the locator to which the URLs of snapshots are suggested.
    func attach(_ document: RemoteDocument<Reader>, _ locator: MetadataLocator?) {
        state.withLock { state in
            state.document = document
            state.locator = locator
        }
    }

    /// The last reason for which a snapshot was not used or not saved.
    var fault: SnapshotFault? { state.withLock { $0.fault } }

    /// Restores the snapshot on the first call.
    func restore() {
        let document: RemoteDocument<Reader>? = state.withLock { state in
            defer { state.hasRestored = true }
            return state.hasRestored ? nil : state.document
        }
        guard let document else { return }
        do throws(SnapshotFault) {
            guard let copy = try load() else { return }
            do throws(KeySetError) {
                // The fetch that begins now needs the URL of the snapshot where the metadata cannot be fetched.
                try document.restore(copy.document, age: copy.age) { adopt(copy) }
            } catch .refused(.tooOld) {
                throw .tooOld
            } catch .refused(let rejection) {
                throw .refused(rejection)
            } catch {
                throw .damaged
            }
        } catch {
            refuse(error)
        }
    }

    private func load() throws(SnapshotFault) -> SharedCopy? {
        guard let snapshot = try folder.load(source, bodyLimit: options.bodyLimit) else { return nil }
        let age = try snapshot.age(asOf: environment.wall())
        return SharedCopy(document: snapshot.document, age: age, fetchedAt: snapshot.fetchedAt)
    }

    func adopt(_ copy: SharedCopy) {
        let locator = state.withLock { state in
            state.knownAt = copy.fetchedAt
            return state.locator
        }
        locator?.suggest(copy.document.url)
    }

    private func refuse(_ fault: SnapshotFault) {
        let document = state.withLock { state in
            state.fault = fault
            return state.document
        }
        document?.report(.snapshotRefused(fault))
    }

    func keep(_ keeping: DocumentKeeping) {
        let now = environment.wall()
        state.withLock { state in
            // Purged keys must not return in the next process.
            if case .dropped = keeping { state.hasRestored = true }
            state.knownAt = now
        }
        onDisk { keeper throws(SnapshotFault) in
            switch keeping {
            case .taken(let document):
                try keeper.folder.save(Snapshot(source: keeper.source, fetchedAt: now, document: document))
            case .confirmed(let digest, let header, let lifetime):
                try keeper.folder.confirm(
                    keeper.source, at: now, digest: digest, header: header, lifetime: lifetime,
                    bodyLimit: keeper.options.bodyLimit)
            case .dropped: try keeper.folder.remove(keeper.source)
            }
        }
    }

    private func onDisk(_ work: @escaping @Sendable (SnapshotKeeper) throws(SnapshotFault) -> Void) {
        disk.async {
            do throws(SnapshotFault) {
                try work(self)
            } catch {
                let document = self.state.withLock { state in
                    state.fault = error
                    return state.document
                }
                document?.report(.snapshotNotSaved(error))
            }
        }
    }
}

extension KeySetOptions {
    /// The longest time for which a fetch waits for that of another process.
    var turnLimit: Duration { deadline + .seconds(1) }
}

extension SnapshotKeeper: DocumentSharing {
    func takeTurn() async -> DocumentTurn {
        state.withLock { $0.turns += 1 }
        // Other processes take real time, whatever clock the document has.
        let end = ContinuousClock.now + options.turnLimit
        do {
            repeat {
                if let lock = try folder.lock(source) { return DocumentTurn(lock: lock) }
                try await Task.sleep(for: .milliseconds(5) + .milliseconds(10) * environment.chance())
            } while ContinuousClock.now < end
        } catch let fault as SnapshotFault {
            refuse(fault)
        } catch {
            // The fetch was cancelled, which it finds out itself.
        }
        return DocumentTurn(lock: nil)
    }

    func copy() -> SharedCopy? {
        do throws(SnapshotFault) {
            guard let copy = try load(), state.withLock({ copy.fetchedAt > $0.knownAt + 0.001 }) else { return nil }
            return copy
        } catch {
            // It would be rejected for the same reason.
            state.withLock { $0.hasRestored = true }
            refuse(error)
            return nil
        }
    }

    func end(_ turn: DocumentTurn) {
        disk.async {
            withExtendedLifetime(turn) {}
            self.state.withLock { $0.turns -= 1 }
        }
    }

    /// Returns when no turn is in progress, so that what was fetched is saved, or at the given time.
    func awaitSaved(until end: ContinuousClock.Instant) async {
        // The disk takes real time, whatever clock the document has.
        while state.withLock({ $0.turns > 0 }), ContinuousClock.now < end {
            guard (try? await Task.sleep(for: .milliseconds(1))) != nil else { return }
        }
    }
}

/// The queue on which files are written, in the order in which the bodies were accepted.
private let disk = DispatchQueue(label: "bulla.snapshots")
