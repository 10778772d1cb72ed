import JOSE
import JOSEBytes
import JOSEKeySets
import JOSETokens

/// The configuration of `bulla serve`, read from one JSON file.
struct GatewayConfiguration: Sendable {
    enum Mode: String, CaseIterable, Sendable {
        /// Responses have the status that describes the result.
        case http
        /// Responses have a status of which nginx's `auth_request` makes no 500.
        case nginx
    }
    enum Logged: String, CaseIterable, Sendable { case all, rejected, none }

    /// The names of the fields that the gateway sets.
    struct Fields: Sendable {
        var path = "X-Bulla-Path"
        var method = "X-Bulla-Method"
        var target = "X-Bulla-Target"
        /// The field that names the client; nil if the gateway sets none.
        var client: String?
    }

    var listen: [GatewayAddress] = []
    var mode = Mode.http
    var fields = Fields()
    var logged = Logged.rejected
    /// The names of the fields of an allowed request, each with a NUL at its end, and their number.
    var names: [UInt8] = []
    var nameCount = 0
    var headerBytes = 2048
    /// With the fields of a response this remains below 32,768 bytes, which libmicrohttpd takes from the heap and not from pages of their own.
    var headBytes = 28_672
    var connections = 1024
    var timeout = 10
    var requestTimeout = 10
    var threads = 1
    /// The largest number of keys with a table.
    var keyTables = 256
    var drain = Duration.seconds(5)
    var wait = Duration.milliseconds(500)
    var retryAfter = 1
    var concurrent = 1
    var queued = 64
    var queueTimeout = Duration.milliseconds(250)
    /// Whether the services distinguish upper and lower case in paths.
    var distinguishesCase = false
    /// The policies, those with the longest path first, in the normal form.
    var policies: [GatewayPolicy] = [] {
        didSet {
            readsCookies = policies.contains { $0.cookie != nil }
            readsProofs = policies.contains { $0.proofs != nil }
        }
    }
    /// Whether a policy takes tokens from a cookie, and whether one accepts proofs.
    private(set) var readsCookies = false
    private(set) var readsProofs = false
    /// Whether used proofs are marked in a store that other processes share.
    var sharesReplays = false
    /// The configuration file and the files that keys are read from, with their states when they were read.
    var files: [String: FileState] = [:]
    /// The text of the configuration file.
    var text: [UInt8] = []
    /// The issuers, by their names.
    var issuers: [String: GatewayIssuer] = [:]
    /// The cache of verified tokens, which all policies share, so that its limits are those of the process.
    var cache: TokenCache?

    /// The names of the remote key sets of the issuers.
    var remotes: Set<GatewayKeys.RemoteName> { Set(issuers.values.compactMap(\.remoteName)) }

    /// The largest number of bytes of the status line and the fields of a response: with claims, or with a challenge.
    var replyBytes: Int { max(fixedBytes + headerBytes, challengedBytes) }

    /// The status line, `Date`, `Connection` and the like, and the names of the fields with claims.
    private var fixedBytes: Int { 512 + names.count + 4 * nameCount }
    /// The bytes of a response with a challenge, which has no fields with claims.
    private var challengedBytes: Int { 512 + (policies.map(\.challengeBytes).max() ?? 0) }

    /// Lowers `headerBytes` so that a response has at most this number of bytes. Returns false if its other parts have more.
    mutating func shorten(to bytes: Int) -> Bool {
        headerBytes = min(headerBytes, max(0, bytes - fixedBytes))
        return replyBytes <= bytes
    }

    /// Returns the status and the text of the readiness probe. What is used may differ from what the files say: then the service is ready
    /// all the same, because all processes that read the same files would stop at once, and the text says so.
    func readiness(isCurrent: Bool) -> (status: UInt32, text: String) {
        let sources = policies.flatMap(\.sources)
        guard sources.isEmpty || sources.contains(where: { $0.hasKeys }) else { return (503, "no keys\n") }
        let faults = Set(sources.filter { $0.fault != nil }.map(\.name)).sorted()
        var text = faults.isEmpty && isCurrent ? "ok\n" : "ok, but not as the files say\n"
        if !isCurrent { text += "the configuration file was not adopted\n" }
        for name in faults { text += "issuer \(Output.printable(name)): its files were not adopted\n" }
        return (200, text)
    }

    /// Returns the policy for the path of a request: that with the longest matching prefix, in every reading of the path.
    func policy(for sent: [UInt8]) throws(GatewayRejection) -> GatewayPolicy {
        guard let path = GatewayPath(sent, distinguishesCase: distinguishesCase) else {
            throw .forbidden("path_not_normalized")
        }
        // A policy that applies to the path as it was sent applies in the normal form, too, and every reading is between these two.
        let policy = policies.first { GatewayPath.isWithin(path.normal, $0.normal) }
        let literal = policies.first { GatewayPath.isWithin(path.literal, $0.prefix) }
        guard !path.isOpen, policy === literal else { throw .forbidden("path_ambiguous") }
        guard let policy else { throw .forbidden("path_without_policy") }
        return policy
    }

    /// Decides on a request without its token, or returns the policy and the token to verify.
    func judge(
        _ request: GatewayRequest
    ) -> Result<(policy: GatewayPolicy, verifier: TokenVerifier, credentials: GatewayCredentials), GatewayAnswer.Early>
    {
        let general = GatewayChallenges(realm: "bulla", scopes: [], proofs: nil)
        guard !request.isRepeated else {
            return .failure(.init(general.answer(.badRequest("field_repeated"))))
        }
        guard let sent = request.path else { return .failure(.init(general.answer(.forbidden("path_missing")))) }
        let policy: GatewayPolicy
        do throws(GatewayRejection) { policy = try self.policy(for: sent) } catch {
            return .failure(.init(general.answer(error)))
        }
        guard let verifier = policy.verifier else {
            let answer: GatewayAnswer =
                request.isCall ? .claims(Array("{}".utf8)) : .allowed([UInt8](repeating: 0, count: nameCount))
            return .failure(.init(answer, policy))
        }
        switch policy.credentials(of: request) {
        case .success(let credentials): return .success((policy, verifier, credentials))
        case .failure(let rejection): return .failure(.init(policy.answer(rejection), policy))
        }
    }
}

extension GatewayAnswer {
    /// A decision that needs no verification of a token.
    struct Early: Error {
        let answer: GatewayAnswer
        let policy: GatewayPolicy?

        init(_ answer: GatewayAnswer, _ policy: GatewayPolicy? = nil) {
            self.answer = answer
            self.policy = policy
        }
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
