public import JOSE
internal import JOSEBytes
internal import JOSECrypto

/// Keys of ours whose public halves others fetch.
public protocol PublishedKeySource: Sendable {
    /// As of now.
    func published() -> PublishedKeySnapshot
}

/// What is to be seen of some keys, and for how long that is certain.
public struct PublishedKeySnapshot: Sendable {
    /// In the document's order.
    public let keys: [PublicKey]
    /// When this was true, in seconds since 1970.
    public let now: Double
    /// The next time at which it changes by plan; infinite: none is planned.
    public let until: Double
    /// Most time for which the keys' rules let others hold it.
    public let lifetime: Duration

    /// For keys that change by other rules than those here.
    public init(keys: [PublicKey], now: Double, until: Double, lifetime: Duration) {
        self.keys = keys
        self.now = now
        self.until = until
        self.lifetime = lifetime
    }
}

/// The JWK Set (RFC 7517, 5) of our public halves as an HTTP server answers it, for this moment: ask for a new one each time.
public struct KeySetDocument: Sendable {
    /// Public members alone. The same bytes on every machine with the same keys at the same stages.
    public let body: [UInt8]
    /// Strong (RFC 9110, 8.8.3), and of the body alone.
    public let eTag: String
    /// Seconds for which it may be held: up to the rules' `documentLifetime`, and never beyond the next planned change.
    public let maximumAge: Int

    /// Of the keys of several rotations together, which must differ in their `kid`: throws `keyIDTaken` where two do not, and
    /// `keyIDMissing`.
    public init(_ sources: [any PublishedKeySource]) throws(KeyRotationError) {
        var keys: [PublicKey] = []
        var age = Double.infinity
        for source in sources {
            let published = source.published()
            keys += published.keys
            age = min(age, published.lifetime.inSeconds, published.until - published.now)
        }
        var names: Set<[UInt8]> = []
        for key in keys {
            guard let name = key.keyIDBytes else { throw .keyIDMissing }
            guard names.insert(name).inserted else { throw .keyIDTaken }
        }
        self.init(keys, age: age)
    }

    /// Of one rotation.
    public init(_ source: some PublishedKeySource) throws(KeyRotationError) { try self.init([source]) }

    /// Of keys that are looked after elsewhere, whatever their names. `maximumAge`: in seconds, 0 to 86 400.
    public init(_ keys: [PublicKey], maximumAge: Int) { self.init(keys, age: Double(maximumAge)) }

    private init(_ keys: [PublicKey], age: Double) {
        let text = Array(KeySet(keys.map { .publicKey($0) }).jwks().utf8)
        body = text
        // Without a digest no request has this tag, and every answer is whole.
        let digest = (try? Hash.sha256.digest(text.span)) ?? []
        eTag = "\"" + String(decoding: Base64URL.encode(digest.span), as: UTF8.self) + "\""
        maximumAge = age > 0 && age <= 86_400 ? Int(age) : age > 0 ? 86_400 : 0
    }

    /// `ETag` and `Cache-Control`: what a 304 has, and a 200 too.
    public var validators: [TransportHeaderField] {
        [TransportHeaderField("ETag", eTag), TransportHeaderField("Cache-Control", "public, max-age=\(maximumAge)")]
    }

    /// The answer to a GET: 200 with the body, or 304 without where the request's `If-None-Match` has this document's tag
    /// (RFC 9110, 13.1.2).
    public func response(ifNoneMatch: String? = nil) -> TransportResponse {
        if let ifNoneMatch, EntityTags.match(eTag, ifNoneMatch) {
            return TransportResponse(status: 304, headers: validators)
        }
        return TransportResponse(
            status: 200, headers: [TransportHeaderField("Content-Type", "application/jwk-set+json")] + validators, body: body)
    }
}

/// `If-None-Match` (RFC 9110, 13.1.2).
enum EntityTags {
    /// By the weak comparison (RFC 9110, 8.8.3.2). What is no list of tags matches nothing.
    static func match(_ tag: String, _ field: String) -> Bool {
        let wanted = Array(tag.utf8)
        var rest = Array(field.utf8)[...]
        func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") } }
        skipSpace()
        if rest.elementsEqual("*".utf8) { return true }
        var isMatch = false
        while !rest.isEmpty {
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else {
                return false
            }
            if rest[...end].elementsEqual(wanted) { isMatch = true }
            rest = rest[(end + 1)...]
            skipSpace()
        }
        return isMatch
    }
}
