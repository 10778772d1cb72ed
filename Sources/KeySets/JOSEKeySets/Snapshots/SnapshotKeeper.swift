internal import Dispatch
internal import Synchronization

/// A component that saves the accepted bodies of one document and restores the last one once. Files are written on a queue of
/// their own, so that a slow disk delays neither verifications nor fetches.
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

    /// Sets the document, which is referenced weakly.
    func attach(_ document: RemoteDocument<Reader>) { state.withLock { $0.document = document } }

    /// Restores the snapshot on the first call, and suggests its URL to `locator`.
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
            } catch .refused(let rejection) {
                throw .refused(rejection)
            } catch {
                throw .damaged
            }
            locator?.suggest(snapshot.document.url)
        } catch {
            document.report(.snapshotRefused(error))
        }
    }

    func keep(_ keeping: DocumentKeeping) {
        // Purged keys must not return in the next process.
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
                self.state.withLock { $0.document }?.report(.snapshotNotSaved(error))
            }
        }
    }
}

/// The queue on which files are written, in the order in which the bodies were accepted.
private let disk = DispatchQueue(label: "bulla.snapshots")
