internal import Synchronization

/// Where an issuer's keys are, as its metadata has it.
final class MetadataLocator: Sendable {
    private struct State {
        /// Asked where the metadata cannot be had: it said so the last time.
        var known: String?
        /// Fetches of the keys that were begun since one went well.
        var tries = 0
    }
    private let metadata: RemoteDocument<MetadataReader>
    private let options: KeySetOptions
    private let state = Mutex(State())

    init(_ metadata: RemoteDocument<MetadataReader>, options: KeySetOptions) {
        self.metadata = metadata
        self.options = options
    }

    func url() async throws(KeySetError) -> String {
        // Two addresses may be asked.
        let patience = options.deadline * 2
        let failed = state.withLock { state in
            defer { state.tries += 1 }
            return state.tries > 0
        }
        if failed {
            // The keys may have moved. That asks again no more often than a cooldown allows.
            metadata.reportMissing(keyID: nil)
            _ = try? await metadata.awaitRefresh(timeout: patience)
        }
        do throws(KeySetError) {
            guard let url = try await metadata.fetched(timeout: patience).keySetURL else {
                throw .discovery(.missing(.jwksURI))
            }
            state.withLock { $0.known = url }
            return url
        } catch {
            guard let known = state.withLock({ $0.known }) else { throw error }
            return known
        }
    }

    /// Of an earlier life of the process. Where metadata must pass a check, no address counts but one of metadata that have passed it.
    func suggest(_ url: String) {
        guard !metadata.reader.isChecked else { return }
        guard WebURL(url)?.mayBeAsked(loopbackHTTP: options.allowsLoopbackHTTP) == true else { return }
        state.withLock { $0.known = $0.known ?? url }
    }

    /// The keys came from where they were asked for.
    func arrived() { state.withLock { $0.tries = 0 } }
}
