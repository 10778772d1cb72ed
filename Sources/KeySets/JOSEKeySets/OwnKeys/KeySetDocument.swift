public import JOSE
internal import JOSECrypto
internal import JOSESupport

/// A source of a service's own keys, whose public keys are published in a JWK Set.
public protocol PublishedKeySource: Sendable {
    /// Returns the keys that are published at this moment.
    func published() -> PublishedKeySnapshot
}

/// The keys that a ``PublishedKeySource`` publishes at one moment, and the time until which they do not change.
public struct PublishedKeySnapshot: Sendable {
    /// The public keys, in the order of the document.
    public let keys: [PublicKey]
    /// The time of the snapshot.
    package let now: NumericDate
    /// The time of the next planned change, or nil if none is planned.
    package let until: NumericDate?
    /// The longest time for which others may cache the keys.
    package let lifetime: Duration

    /// Creates a snapshot, for a custom ``PublishedKeySource``.
    ///
    /// - Parameters:
    ///   - keys: The public keys, in the order of the document.
    ///   - now: The time of the snapshot.
    ///   - until: The time of the next planned change, or nil if none is planned.
    ///   - lifetime: The longest time for which others may cache the keys.
    public init(keys: [PublicKey], now: NumericDate, until: NumericDate?, lifetime: Duration) {
        self.keys = keys
        self.now = now
        self.until = until
        self.lifetime = lifetime
    }
}

/// A JWK Set (RFC 7517, 5) of a service's own public keys, with the header fields for an HTTP response. It contains the
/// keys that are published at one moment: create a new document for each request.
public struct KeySetDocument: Sendable {
    /// The JSON text, which contains only public members. It is the same on every machine that has the same keys at the
    /// same stages.
    public let body: [UInt8]
    /// The strong entity tag of the body (RFC 9110, 8.8.3).
    public let eTag: String
    /// The `max-age` of the document in seconds: at most the rules' `documentLifetime` and 86,400, and never beyond the
    /// next planned change.
    public let maximumAge: Int

    /// Creates a document of the keys of several sources.
    ///
    /// - Throws: `keyIDMissing` if a key has no `kid`, and `keyIDTaken` if two keys have the same one.
    public init(_ sources: [any PublishedKeySource]) throws(KeyRotationError) {
        var keys: [PublicKey] = []
        var age = Double.infinity
        for source in sources {
            let published = source.published()
            keys += published.keys
            let remaining = (published.until?.secondsSince1970 ?? .infinity) - published.now.secondsSince1970
            age = min(age, published.lifetime.inSeconds, remaining)
        }
        var names: Set<[UInt8]> = []
        for key in keys {
            guard let name = key.keyIDBytes else { throw .keyIDMissing }
            guard names.insert(name).inserted else { throw .keyIDTaken }
        }
        self.init(keys, age: age)
    }

    /// Creates a document of the keys of one source.
    ///
    /// - Throws: `keyIDMissing` if a key has no `kid`, and `keyIDTaken` if two keys have the same one.
    public init(_ source: some PublishedKeySource) throws(KeyRotationError) { try self.init([source]) }

    /// Creates a document of keys that are managed elsewhere. Their `kid` is not checked.
    ///
    /// - Parameters:
    ///   - keys: The public keys.
    ///   - maximumAge: The `max-age` in seconds, limited to 0 to 86,400.
    public init(_ keys: [PublicKey], maximumAge: Int) { self.init(keys, age: Double(maximumAge)) }

    private init(_ keys: [PublicKey], age: Double) {
        let text = Array(KeySet(keys.map { .publicKey($0) }).jwks().utf8)
        body = text
        // If the digest fails, no request has this tag, and every response is complete.
        let digest = (try? Hash.sha256.digest(text.span)) ?? []
        eTag = "\"" + String(decoding: Base64URL.encode(digest.span), as: UTF8.self) + "\""
        maximumAge = age > 0 && age <= 86_400 ? Int(age) : age > 0 ? 86_400 : 0
    }

    /// The header fields `ETag` and `Cache-Control`, which a response has with status 200 and with status 304.
    package var validators: [TransportHeaderField] {
        [TransportHeaderField("ETag", eTag), TransportHeaderField("Cache-Control", "public, max-age=\(maximumAge)")]
    }

    /// Returns the response to a GET request.
    ///
    /// - Parameter ifNoneMatch: The value of the request's `If-None-Match`.
    /// - Returns: A 200 response with the body, or a 304 response without one if the entity tag matches (RFC 9110,
    ///   13.1.2).
    public func response(ifNoneMatch: String? = nil) -> TransportResponse {
        if let ifNoneMatch, EntityTags.match(eTag, ifNoneMatch) {
            return TransportResponse(status: 304, headers: validators)
        }
        return TransportResponse(
            status: 200, headers: [TransportHeaderField("Content-Type", "application/jwk-set+json")] + validators,
            body: body)
    }
}

/// The header field `If-None-Match` (RFC 9110, 13.1.2).
enum EntityTags {
    /// Returns whether a list of entity tags contains `tag` by the weak comparison (RFC 9110, 8.8.3.2). A malformed
    /// list matches nothing.
    static func match(_ tag: String, _ field: String) -> Bool {
        let wanted = Array(tag.utf8)
        var remaining = Array(field.utf8)[...]
        func skipSpace() { remaining = remaining.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") } }
        skipSpace()
        if remaining.elementsEqual("*".utf8) { return true }
        var isMatch = false
        while !remaining.isEmpty {
            if remaining.starts(with: "W/".utf8) { remaining = remaining.dropFirst(2) }
            guard remaining.first == UInt8(ascii: "\""),
                let end = remaining.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            else { return false }
            if remaining[...end].elementsEqual(wanted) { isMatch = true }
            remaining = remaining[(end + 1)...]
            skipSpace()
        }
        return isMatch
    }
}
