import JOSE
import JOSESettings
import JOSETokens

/// The configuration of `bulla serve`, read from one JSON file.
struct GatewayConfiguration: Sendable {
    var settings = GatewaySettings()
    /// The names of the fields of an allowed request, each with a NUL at its end, and their number.
    var names: [UInt8] = []
    var nameCount = 0
    /// The limiters and threads: those of the configuration before, if there was one.
    var workers = GatewayWorkers(concurrent: 1)
    var router = GatewayRouter([], distinguishesCase: false)
    /// Whether used proofs are marked in a store that other processes share.
    var sharesReplays = false
    /// The configuration file and the files that keys are read from, with their states when they were read.
    var files: [String: FileState] = [:]
    /// The text of the configuration file.
    var text: [UInt8] = []
    /// The issuers, by their names.
    var issuers: [String: ConfiguredIssuer] = [:]
    /// The cache of verified tokens, which all policies share, so that its limits are those of the process.
    var cache: TokenCache?

    /// The names of the remote key sets of the issuers.
    var remotes: Set<RemoteKeySets.Name> { Set(issuers.values.compactMap(\.remoteName)) }

    /// The largest number of bytes of the status line and the fields of a response: with claims, or with a challenge.
    var replyBytes: Int { max(fixedBytes + settings.headerBytes, challengedBytes) }

    /// The status line, `Date`, `Connection` and the like, and the names of the fields with claims.
    private var fixedBytes: Int { GatewayResponse.maximumFixedBytes + names.count + 4 * nameCount }
    /// The bytes of a response with a challenge, which has no fields with claims.
    private var challengedBytes: Int {
        GatewayResponse.maximumFixedBytes + (router.policies.map(\.challenges.maximumBytes).max() ?? 0)
    }

    /// Lowers `settings.headerBytes` so that a response has at most this number of bytes. Returns false if its other
    /// parts have more.
    mutating func shorten(to bytes: Int) -> Bool {
        settings.headerBytes = min(settings.headerBytes, max(0, bytes - fixedBytes))
        return replyBytes <= bytes
    }
}

/// An address to listen on.
enum GatewayAddress: Sendable, Equatable {
    case unix(String)
    case loopback(String, UInt16)

    /// Reads `unix:/path`, `127.0.0.1:9292` or `[::1]:9292`.
    init?(_ text: String) {
        if text.hasPrefix("unix:/") {
            self = .unix(String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard host.hasPrefix("127.") || host == "::1" else { return nil }
        self = .loopback(host, port)
    }
}
