internal import Synchronization

/// The URL of an issuer's keys, as its metadata names it.
final class MetadataLocator: Sendable {
    private struct State {
        /// The last known URL, which is used if the metadata cannot be fetched.
        var known: String?
        /// The number of fetches of the keys that were begun since the last successful one.
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
        // The metadata may be at either of two URLs.
        let timeout = options.deadline * 2
        let failed = state.withLock { state in
            defer { state.tries += 1 }
            return state.tries > 0
        }
        if failed {
            // The keys may have moved. The metadata is fetched at most once for each cooldown.
            metadata.reportMissing(keyID: nil)
            _ = try? await metadata.awaitRefresh(timeout: timeout)
        }
        do throws(KeySetError) {
            guard let url = try await metadata.fetched(timeout: timeout).keySetURL else {
                throw .discovery(.missing(.jwksURI))
            }
            state.withLock { $0.known = url }
            return url
        } catch {
            guard let known = state.withLock({ $0.known }) else { throw error }
            return known
        }
    }

    /// Suggests a URL of an earlier process. If the metadata must pass a check, only a URL of metadata that has passed
    /// it is used.
    func suggest(_ url: String) {
        guard !metadata.reader.isChecked else { return }
        guard WebURL(url)?.mayBeAsked(loopbackHTTP: options.allowsLoopbackHTTP) == true else { return }
        state.withLock { $0.known = $0.known ?? url }
    }

    /// Notes that the keys were fetched from the URL.
    func arrived() { state.withLock { $0.tries = 0 } }
}
