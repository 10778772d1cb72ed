import JOSE
import JOSEBytes
import JOSEKeySets
import JOSESettings

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
        var writer = JSONWriter()
        writer.beginObject()
        switch source.location {
        case .url(let url): writer.member("url", url)
        case .issuer(let issuer): writer.member("issuer", issuer)
        }
        writer.name("usable")
        writer.bool(isUsable)
        writer.member("status", Self.word(health.status))
        let exchanges = source.recorder.exchanges
        if case .success(let answer)? = exchanges.last?.result { writer.member("http_status", Int64(answer.status)) }
        if case .refused? = failure {
            writer.name("refused")
            writer.bool(true)
        }
        if let failure {
            writer.name("error")
            writer.beginObject()
            writer.member("code", failure.code)
            writer.member("message", "\(failure)")
            writer.member("remedy", KeySetRemedy.remedy(failure))
            writer.endObject()
        }
        Self.keys(set?.keys ?? [], unusable: set?.unusable ?? source.keys.rejectedKeys, &writer)
        Self.freshness(health, events.events, &writer)
        Self.requests(exchanges, &writer)
        writer.name("events")
        writer.beginArray()
        for event in events.events {
            writer.beginObject()
            EventLine.write(event, to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        text = String(decoding: writer.bytes, as: UTF8.self)
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

    private static func keys(_ keys: [JWK], unusable: [UnusableKey], _ writer: inout JSONWriter) {
        writer.name("keys")
        writer.beginArray()
        for key in keys {
            writer.beginObject()
            if let name = key.keyID { writer.member("kid", name) }
            writer.member("kind", "\(key.kind)")
            if let algorithm = key.algorithm { writer.member("alg", algorithm) }
            switch key.use {
            case .signature: writer.member("use", "sig")
            case .encryption: writer.member("use", "enc")
            case .other(let use): writer.member("use", use)
            case nil: break
            }
            if let thumbprint = try? key.publicKey?.thumbprint() {
                writer.member("thumbprint", KeyLine.base64URL(thumbprint))
            }
            writer.endObject()
        }
        writer.endArray()
        writer.name("unusable")
        writer.array(of: unusable)
    }

    private static func freshness(_ health: KeySetHealth, _ events: [KeySetEvent], _ writer: inout JSONWriter) {
        writer.name("freshness")
        writer.beginObject()
        for event in events {
            if case .fetched(let fetch) = event {
                writer.name("fresh_for")
                writer.number(fetch.freshFor.inSeconds)
                break
            }
        }
        if let age = health.age {
            writer.name("age")
            writer.number(age.inSeconds)
        }
        if let next = health.nextFetchIn {
            writer.name("next_fetch_in")
            writer.number(next.inSeconds)
        }
        writer.endObject()
    }

    private static func requests(_ exchanges: [RecordingTransport.Exchange], _ writer: inout JSONWriter) {
        writer.name("seconds")
        writer.number(exchanges.reduce(0) { $0 + $1.seconds })
        writer.name("requests")
        writer.beginArray()
        for exchange in exchanges {
            writer.beginObject()
            writer.member("url", exchange.url)
            writer.name("seconds")
            writer.number(exchange.seconds)
            switch exchange.result {
            case .success(let answer):
                writer.member("status", Int64(answer.status))
                writer.member("bytes", Int64(answer.bytes))
                for name in ["Cache-Control", "ETag", "Age", "Expires", "Content-Type"] {
                    let field = TransportResponse(status: 0, headers: answer.headers).header(name)
                    if let field { writer.member(name.lowercased(), String(field.prefix(256))) }
                }
            case .failure(let error):
                writer.member("error", error.code)
                writer.member("message", "\(error)")
            }
            writer.endObject()
        }
        writer.endArray()
    }
}
