internal import Dispatch
internal import Synchronization

/// Keeps what one document accepts, and brings it back once. Files are written on a queue of their own: a slow disk delays neither
/// those who verify nor those who fetch.
final class SnapshotKeeper<Reader: DocumentReader>: Sendable {
    private struct State {
        weak var document: RemoteDocument<Reader>?
        var hasRestored = false
    }
    private let folder: SnapshotFolder
    private let source: String
    private let options: KeySetOptions
    private let wall: @Sendable () -> Double
    private let state = Mutex(State())

    init(_ folder: String, source: String, options: KeySetOptions, wall: @escaping @Sendable () -> Double) {
        self.folder = SnapshotFolder(path: folder)
        self.source = source
        self.options = options
        self.wall = wall
    }

    /// The document that is kept, which must not be kept alive by this.
    func attach(_ document: RemoteDocument<Reader>) { state.withLock { $0.document = document } }

    /// The first time, what is on disk is taken if it may be, and `locator` hears where that came from.
    func restore(_ locator: MetadataLocator?) {
        let document: RemoteDocument<Reader>? = state.withLock { state in
            defer { state.hasRestored = true }
            return state.hasRestored ? nil : state.document
        }
        guard let document else { return }
        do throws(SnapshotFault) {
            guard let snapshot = try folder.load(source, bodyLimit: options.bodyLimit) else { return }
            let age = try snapshot.age(asOf: wall())
            do throws(KeySetError) {
                try document.restore(snapshot.document, age: age)
            } catch .refused(.tooOld) {
                throw .tooOld
            } catch .refused(let refusal) {
                throw .refused(refusal)
            } catch {
                throw .damaged
            }
            locator?.suggest(snapshot.document.url)
        } catch {
            document.tell(.snapshotRefused(error))
        }
    }

    func keep(_ keeping: DocumentKeeping) {
        // What was purged must not come back with the next life of the process.
        if case .dropped = keeping { state.withLock { $0.hasRestored = true } }
        let now = wall()
        onDisk { keeper throws(SnapshotFault) in
            switch keeping {
            case .taken(let document):
                try keeper.folder.save(Snapshot(source: keeper.source, fetchedAt: now, document: document))
            case .confirmed(let header, let lifetime):
                try keeper.folder.confirm(
                    keeper.source, at: now, header: header, lifetime: lifetime, bodyLimit: keeper.options.bodyLimit)
            case .dropped: try keeper.folder.remove(keeper.source)
            }
        }
    }

    private func onDisk(_ work: @escaping @Sendable (SnapshotKeeper) throws(SnapshotFault) -> Void) {
        disk.async {
            do throws(SnapshotFault) {
                try work(self)
            } catch {
                self.state.withLock { $0.document }?.tell(.snapshotNotSaved(error))
            }
        }
    }
}

/// One after the other, in the order in which they were accepted.
private let disk = DispatchQueue(label: "bulla.snapshots")
