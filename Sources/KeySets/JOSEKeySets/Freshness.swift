internal import JOSESupport

/// The header fields of a response that determine its freshness and its revalidation. Those of a 304 replace the stored
/// ones name by name (RFC 9111, 3.2).
package struct StoredHeader: Equatable, Sendable {
    package var cacheControl: [String] = []
    package var expires: String?
    package var date: String?
    package var entityTag: String?
    package var lastModified: String?

    package init() {}

    package init(_ response: TransportResponse) {
        cacheControl = response.headers("Cache-Control")
        expires = response.header("Expires")
        date = response.header("Date")
        entityTag = response.header("ETag").flatMap(Self.sendable)
        lastModified = response.header("Last-Modified").flatMap(Self.sendable)
    }

    /// Returns the header with the fields of a 304 response in place of its own.
    package func updated(by response: TransportResponse) -> StoredHeader {
        let new = StoredHeader(response)
        var header = self
        if !new.cacheControl.isEmpty { header.cacheControl = new.cacheControl }
        header.expires = new.expires ?? expires
        header.date = new.date ?? date
        header.entityTag = new.entityTag ?? entityTag
        header.lastModified = new.lastModified ?? lastModified
        return header
    }

    /// The fields of a conditional request (RFC 9110, 13.1).
    package var conditions: [TransportHeaderField] {
        var fields: [TransportHeaderField] = []
        if let entityTag { fields.append(TransportHeaderField("If-None-Match", entityTag)) }
        if let lastModified { fields.append(TransportHeaderField("If-Modified-Since", lastModified)) }
        return fields
    }

    /// Returns a value that may be sent back, or nil for one that could end its line.
    private static func sendable(_ value: String) -> String? {
        let isPlain = value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        return isPlain && !value.isEmpty && value.utf8.count <= 256 ? value : nil
    }
}

/// The freshness lifetime of responses (RFC 9111, 4.2), between a floor and a ceiling. The system clock is never read:
/// `Expires` without `Date` counts as absent.
package struct Freshness: Sendable {
    package let floor: Double
    package let ceiling: Double
    package let otherwise: Double

    package init(_ options: KeySetOptions) {
        floor = options.floor.inSeconds
        ceiling = options.ceiling.inSeconds
        otherwise = options.defaultLifetime.inSeconds
    }

    /// Returns the seconds for which a response is fresh after its arrival.
    ///
    /// - Parameters:
    ///   - header: The header fields of the response.
    ///   - ageFields: The `Age` fields of the response.
    ///   - delay: The seconds from the request to the response.
    package func lifetime(_ header: StoredHeader, ageFields: [String], delay: Double) -> Double {
        guard let total = Self.total(header) else { return clamped(otherwise) }
        // The first of several values counts, and a malformed one does not (RFC 9111, 5.1).
        let first = ageFields.first?.utf8.prefix { $0 != UInt8(ascii: ",") }.filter { $0 != 0x20 }
        let age = first.flatMap(deltaSeconds) ?? 0
        return clamped(total - age - delay)
    }

    private func clamped(_ seconds: Double) -> Double { min(max(seconds, floor), max(ceiling, floor)) }

    /// Returns the lifetime that the response states, or nil if it states none.
    private static func total(_ header: StoredHeader) -> Double? {
        let control = CacheControl(header.cacheControl)
        if control.isAlreadyStale { return 0 }
        if let maxAge = control.maxAge { return maxAge }
        guard let expires = header.expires, let date = header.date.flatMap(HTTPDate.seconds) else { return nil }
        // A malformed date, such as 0, counts as one in the past (RFC 9111, 5.3).
        guard let end = HTTPDate.seconds(expires) else { return 0 }
        return end - date
    }
}

extension StoredHeader {
    /// Returns the seconds that `Retry-After` asks to wait (RFC 9110, 10.2.3), or nil if it is absent or cannot be
    /// read.
    package static func retryAfter(_ response: TransportResponse) -> Double? {
        guard let value = response.header("Retry-After") else { return nil }
        if let seconds = deltaSeconds(value.utf8) { return seconds }
        guard let end = HTTPDate.seconds(value), let date = response.header("Date").flatMap(HTTPDate.seconds) else {
            return nil
        }
        return max(0, end - date)
    }
}
