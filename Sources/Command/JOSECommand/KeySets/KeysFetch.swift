import JOSE
import JOSEKeySets
import JOSESettings
import JOSESupport
import JOSETokens

extension Command {
    static let keysFetch = Command(
        "keys fetch", operands: "[URL]", maximumOperands: 1,
        summary: "fetch a remote JWKS once, and print a report as JSON",
        details: """
            Fetches a URL, or the JWKS of --issuer by its metadata (OpenID Connect Discovery, RFC 8414). Exit status 0:
            the set has a usable key; 1: it has none, or was not fetched, and "error" states why, with a stable "code"
            and a "message"; 2: wrong usage. The report has every key, usable or not, also of a set that is refused as a
            whole ("refused"), how long the set is fresh, and each request with its time.
            """,
        options: [Options.issuerURL.spec, Options.maximumKeys.spec] + KeySetSource.options
    ) { (arguments) throws(CommandFailure) in
        let events = EventList()
        let source = try KeySetSource(try arguments.keySetLocation(), arguments, observer: events)
        let failure = source.warmUp()
        let report = KeySetReport(source, failure, events)
        Output.json(report.text + "\n")
        if let failure {
            Output.complain(
                "bulla keys fetch: \(Output.printable(source.location.text)): \(KeySetRemedy.text(failure))")
        }
        return report.isUsable ? .valid : .invalid
    }
}

extension Arguments {
    func keySetLocation() throws(CommandFailure) -> KeySetSource.Location {
        let issuer = try value(Options.issuerURL)
        switch (operands.first, issuer) {
        case (let url?, nil):
            guard KeySetSource.isURL(url) else { throw .usage("needs an https URL, not '\(url)'") }
            return .url(url)
        case (nil, let issuer?): return .issuer(issuer)
        case (nil, nil): throw .usage("needs a URL, or --issuer URL")
        case (_?, _?): throw .usage("a URL and --issuer cannot be combined")
        }
    }
}

/// The report of `keys fetch`.
struct KeySetReport {
    let text: String
    let isUsable: Bool

    init(_ source: KeySetSource, _ failure: KeySetError?, _ events: EventList) {
        let health = source.keys.health
        let set = try? source.keys.current()
        isUsable = set.map { !$0.keys.isEmpty } ?? false
        // Events are delivered by a separate task, so the report waits for the one that ends the fetch.
        for _ in 0..<100 where !events.events.contains(where: Self.endsFetch) { Process.sleep(milliseconds: 2) }
        var report: ClaimsBuilder = [
            source.location.kind: .string(source.location.text), "usable": .bool(isUsable),
            "status": .string(Self.word(health.status)),
        ]
        let exchanges = source.recorder.exchanges
        if case .success(let answer)? = exchanges.last?.result {
            report["http_status"] = .integer(Int64(answer.status))
        }
        if case .refused? = failure { report["refused"] = true }
        if let failure {
            report["error"] = [
                "code": .string(failure.code), "message": "\(failure)",
                "remedy": .string(KeySetRemedy.remedy(failure)),
            ]
        }
        report["keys"] = .array((set?.keys ?? []).map(Self.key))
        report["unusable"] = .list(of: set?.unusable ?? source.keys.rejectedKeys)
        report["freshness"] = Self.freshness(health, events.events)
        report["seconds"] = .number(exchanges.reduce(0) { $0 + $1.seconds })
        report["requests"] = .array(exchanges.map(Self.request))
        report["events"] = .array(events.events.map(\.members.value))
        text = String(decoding: report.json(), as: UTF8.self)
    }

    static func word(_ status: KeySetHealth.Status) -> String {
        switch status {
        case .empty: "empty"
        case .fresh: "fresh"
        case .stale: "stale"
        case .expired: "expired"
        case .closed: "closed"
        }
    }

    private static func endsFetch(_ event: KeySetEvent) -> Bool {
        switch event {
        case .fetched, .failed: true
        default: false
        }
    }

    private static func key(_ key: JWK) -> ClaimValue {
        var members = ClaimsBuilder()
        if let name = key.keyID { members["kid"] = .string(name) }
        members["kind"] = "\(key.kind)"
        if let algorithm = key.algorithm { members["alg"] = .string(algorithm) }
        if let use = key.use { members["use"] = .string(use.text) }
        if let thumbprint = try? key.publicKey?.thumbprint() {
            members["thumbprint"] = .string(KeyLine.base64URL(thumbprint))
        }
        return members.value
    }

    private static func freshness(_ health: KeySetHealth, _ events: [KeySetEvent]) -> ClaimValue {
        var members = ClaimsBuilder()
        for case .fetched(let fetch) in events where members["fresh_for"] == nil {
            members["fresh_for"] = .number(fetch.freshFor.inSeconds)
        }
        if let age = health.age { members["age"] = .number(age.inSeconds) }
        if let next = health.nextFetchIn { members["next_fetch_in"] = .number(next.inSeconds) }
        return members.value
    }

    private static func request(_ exchange: RecordingTransport.Exchange) -> ClaimValue {
        var members: ClaimsBuilder = ["url": .string(exchange.url), "seconds": .number(exchange.seconds)]
        switch exchange.result {
        case .success(let answer):
            members["status"] = .integer(Int64(answer.status))
            members["bytes"] = .integer(Int64(answer.bytes))
            for name in ["Cache-Control", "ETag", "Age", "Expires", "Content-Type"] {
                let field = TransportResponse(status: 0, headers: answer.headers).header(name)
                if let field { members[name.lowercased()] = .string(String(field.prefix(256))) }
            }
        case .failure(let error):
            members["error"] = .string(error.code)
            members["message"] = "\(error)"
        }
        return members.value
    }
}
