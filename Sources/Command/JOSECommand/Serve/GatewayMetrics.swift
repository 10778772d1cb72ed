import JOSEKeySets
import JOSESettings
import JOSESupport
import JOSETokens
import Synchronization

/// The counters of a service, in Prometheus' text format. They contain nothing of a token.
final class GatewayMetrics: Sendable {
    private struct Key: Hashable {
        let status: Int
        let code: String
    }
    private struct State {
        var counts: [Key: Int] = [:]
        var buckets = [Int](repeating: 0, count: GatewayMetrics.bounds.count + 1)
        var seconds = 0.0
        var rejected: [String: Int] = [:]
        var reloads = 0
        var failedReloads = 0
        var isConfigurationCurrent = true
    }

    /// The upper bounds of the histogram's buckets, in seconds.
    private static let bounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

    private let state = Mutex(State())

    func record(_ response: GatewayResponse, seconds: Double) {
        let index = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        let key = Key(status: response.status, code: response.code ?? "ok")
        state.withLock { state in
            state.counts[key, default: 0] += 1
            state.buckets[index] += 1
            state.seconds += seconds
        }
    }

    func recordReload(isSuccess: Bool) {
        state.withLock { if isSuccess { $0.reloads += 1 } else { $0.failedReloads += 1 } }
    }

    /// Notes whether the configuration in use is that of the file when it was read last.
    func setConfigurationCurrent(_ isCurrent: Bool) { state.withLock { $0.isConfigurationCurrent = isCurrent } }

    var isConfigurationCurrent: Bool { state.withLock { $0.isConfigurationCurrent } }

    /// Returns all metrics.
    ///
    /// - Parameters:
    ///   - configuration: The configuration in use.
    ///   - logDrops: The number of lines of the log that could not be written.
    ///   - closed: The numbers of connections that were closed because they were slow, and because all were taken.
    ///   - isReplayStoreUsable: Whether the last command to the shared store of used proofs succeeded; nil without one.
    ///   - clockRejections: The number of proofs that were rejected because the clock was set back.
    func text(
        _ configuration: GatewayConfiguration, logDrops: Int, closed: (slow: Int, displaced: Int),
        isReplayStoreUsable: Bool? = nil, clockRejections: Int = 0
    ) -> String {
        let workers = configuration.workers
        let pools = [("decryption", workers.decryptions), ("proof", workers.proofs)]
        let (counts, buckets, sum, reloads, failed, rejected) = state.withLock { state in
            // A limiter takes a rejection back when the token begins to wait, and a counter never falls.
            for (name, limiter) in pools { state.rejected[name] = max(state.rejected[name] ?? 0, limiter.rejected) }
            return (state.counts, state.buckets, state.seconds, state.reloads, state.failedReloads, state.rejected)
        }
        var text = ""
        func family(_ name: String, _ type: String, _ help: String) {
            text += "# HELP bulla_serve_\(name) \(help)\n# TYPE bulla_serve_\(name) \(type)\n"
        }
        func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
            let list = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
            text += "bulla_serve_\(name)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
        }
        family("requests_total", "counter", "Requests by status and reason.")
        let sorted = counts.sorted { ($0.key.status, $0.key.code) < ($1.key.status, $1.key.code) }
        for (key, count) in sorted {
            sample("requests_total", [("status", "\(key.status)"), ("code", key.code)], "\(count)")
        }
        family("request_seconds", "histogram", "Time from the request to its decision.")
        var total = 0
        for (index, count) in buckets.enumerated() {
            total += count
            let bound = index < Self.bounds.count ? "\(Self.bounds[index])" : "+Inf"
            sample("request_seconds_bucket", [("le", bound)], "\(total)")
        }
        sample("request_seconds_sum", [], "\(sum)")
        sample("request_seconds_count", [], "\(total)")
        keySets(configuration, family, sample)
        family("limiter_running", "gauge", "Tokens in work on the threads of the limiter.")
        for (name, limiter) in pools { sample("limiter_running", [("work", name)], "\(limiter.running)") }
        family("limiter_queued", "gauge", "Tokens in the queue of the limiter.")
        for (name, limiter) in pools { sample("limiter_queued", [("work", name)], "\(limiter.queued)") }
        family("limiter_rejected_total", "counter", "Tokens that the limiter did not admit in time.")
        for (name, _) in pools { sample("limiter_rejected_total", [("work", name)], "\(rejected[name] ?? 0)") }
        family("cache_lookups_total", "counter", "Lookups in the cache of verified tokens.")
        if let cache = configuration.cache {
            let lookups = cache.lookups
            sample("cache_lookups_total", [("result", "hit")], "\(lookups.hits)")
            sample("cache_lookups_total", [("result", "miss")], "\(lookups.misses)")
        }
        family("cache_entries", "gauge", "Entries of the cache of verified tokens.")
        if let cache = configuration.cache { sample("cache_entries", [], "\(cache.count)") }
        family("cache_bytes", "gauge", "Bytes of the entries of the cache of verified tokens.")
        if let cache = configuration.cache { sample("cache_bytes", [], "\(cache.bytes)") }
        family("replay_store_usable", "gauge", "Whether the shared store of used proofs can be used: 1, or 0.")
        if let isReplayStoreUsable { sample("replay_store_usable", [], isReplayStoreUsable ? "1" : "0") }
        family("clock_rejections_total", "counter", "Proofs that were rejected because the clock was set back.")
        sample("clock_rejections_total", [], "\(clockRejections)")
        family("reloads_total", "counter", "Readings of the configuration by their result.")
        sample("reloads_total", [("result", "success")], "\(reloads)")
        sample("reloads_total", [("result", "failure")], "\(failed)")
        family("connections_closed_total", "counter", "Connections closed for slowness or to make room.")
        sample("connections_closed_total", [("reason", "slow")], "\(closed.slow)")
        sample("connections_closed_total", [("reason", "displaced")], "\(closed.displaced)")
        family("configuration_current", "gauge", "Whether the configuration in use is that of the file: 1, or 0.")
        sample("configuration_current", [], isConfigurationCurrent ? "1" : "0")
        family("log_lines_dropped_total", "counter", "Lines of the log that could not be written in time.")
        sample("log_lines_dropped_total", [], "\(logDrops)")
        return text
    }

    private func keySets(
        _ configuration: GatewayConfiguration, _ family: (String, String, String) -> Void,
        _ sample: (String, [(String, String)], String) -> Void
    ) {
        var sources: [String: IssuerKeyState] = [:]
        for source in configuration.router.policies.flatMap(\.sources) { sources[source.name] = source }
        let all = sources.values.sorted { $0.name < $1.name }
        let remotes = all.compactMap { source in
            source.remote.map { ([("issuer", source.name)], $0.health, $0.counters) }
        }
        family("key_set_usable", "gauge", "Whether the issuer's keys can be used: 1, or 0.")
        for source in all { sample("key_set_usable", [("issuer", source.name)], source.hasKeys ? "1" : "0") }
        family("key_set_current", "gauge", "Whether the issuer's keys in use are those of its files: 1, or 0.")
        for source in all { sample("key_set_current", [("issuer", source.name)], source.fault == nil ? "1" : "0") }
        family("key_set_keys", "gauge", "Keys of the remote key set.")
        for (labels, health, _) in remotes { sample("key_set_keys", labels, "\(health.keys)") }
        family("key_set_age_seconds", "gauge", "Time since the server sent or confirmed the remote key set.")
        for (labels, health, _) in remotes {
            if let age = health.age { sample("key_set_age_seconds", labels, "\(age.inSeconds)") }
        }
        family("key_set_fetches_total", "counter", "Fetches of the remote key set.")
        for (labels, _, counters) in remotes { sample("key_set_fetches_total", labels, "\(counters.fetches)") }
        family("key_set_failures_total", "counter", "Failed fetches of the remote key set.")
        for (labels, _, counters) in remotes { sample("key_set_failures_total", labels, "\(counters.failed)") }
    }

    private static func escaped(_ value: String) -> String {
        value.flatMap { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(character)
            }
        }.map(String.init).joined()
    }
}
