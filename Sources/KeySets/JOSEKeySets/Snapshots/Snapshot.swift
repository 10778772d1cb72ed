internal import JOSECrypto
internal import JOSESupport

/// An accepted response body as it is saved on disk for a later process, with its source and the time of its fetch.
package struct Snapshot: Equatable, Sendable {
    /// The URL or the issuer.
    package var source: String
    /// The time of the fetch, in seconds since 1970.
    package var fetchedAt: Double
    package var document: KeptDocument

    package init(source: String, fetchedAt: Double, document: KeptDocument) {
        self.source = source
        self.fetchedAt = fetchedAt
        self.document = document
    }

    /// The seconds by which the clock of a machine may differ before and after a restart.
    package static let slack: Double = 60
    /// The number of bytes that the first two lines may have.
    static let overhead = 16_384
    private static let magic = "bulla-snapshot 1 "
    /// The members of the second line that are header fields of the response.
    private static let fields = ["Expires", "Date", "ETag", "Last-Modified"]

    /// Returns the bytes of the snapshot file: a line with the version and the SHA-256 of the rest, a line of JSON, and
    /// the response body.
    package func written() throws(SnapshotFault) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("source", source)
        writer.name("fetched")
        writer.number(fetchedAt)
        writer.member("url", document.url)
        writer.name("lifetime")
        writer.number(document.lifetime)
        let header = document.header
        for (name, value) in zip(Self.fields, [header.expires, header.date, header.entityTag, header.lastModified]) {
            if let value { writer.member(name, value) }
        }
        if !header.cacheControl.isEmpty {
            writer.member("Cache-Control", header.cacheControl.joined(separator: ", "))
        }
        writer.endObject()
        guard writer.bytes.count < Self.overhead - 256 else { throw .tooLarge }
        let remainder = writer.bytes + [UInt8(ascii: "\n")] + document.body
        return Array(Self.magic.utf8) + (try Self.checksum(remainder.span)) + [UInt8(ascii: "\n")] + remainder
    }

    /// Parses a file that `written` returned, and rejects anything else.
    package init(reading file: [UInt8]) throws(SnapshotFault) {
        let start = Self.magic.utf8.count
        guard file.starts(with: Self.magic.utf8), file.count > start + 65, file[start + 64] == UInt8(ascii: "\n") else {
            throw .damaged
        }
        let remainder = Array(file[(start + 65)...])
        guard try Self.checksum(remainder.span) == Array(file[start..<(start + 64)]) else { throw .damaged }
        guard let line = remainder.firstIndex(of: UInt8(ascii: "\n")) else { throw .damaged }
        let json = Array(remainder[..<line])
        guard let object = try? JSONObject(parsing: json.span),
            let source = object.first("source", in: json.span)?.string(in: json.span),
            let fetchedAt = object.first("fetched", in: json.span)?.number(in: json.span),
            let url = object.first("url", in: json.span)?.string(in: json.span),
            let lifetime = object.first("lifetime", in: json.span)?.number(in: json.span)
        else { throw .damaged }
        // The fields are validated like those of a response.
        let fields = (Self.fields + ["Cache-Control"]).compactMap { name in
            object.first(name.utf8.span, in: json.span)?.string(in: json.span).map { TransportHeaderField(name, $0) }
        }
        self.source = source
        self.fetchedAt = fetchedAt
        document = KeptDocument(
            body: Array(remainder[(line + 1)...]),
            header: StoredHeader(TransportResponse(status: 200, headers: fields)), lifetime: lifetime, url: url)
    }

    /// Returns the seconds since the fetch. Throws `fromFuture` if the fetch is in the future.
    package func age(asOf now: Double) throws(SnapshotFault) -> Double {
        let age = now - fetchedAt
        guard age >= -Self.slack else { throw .fromFuture }
        return max(0, age)
    }

    /// Returns the SHA-256 in hexadecimal digits.
    static func checksum(_ bytes: Span<UInt8>) throws(SnapshotFault) -> [UInt8] {
        do throws(CryptoError) {
            return Array(try Hash.sha256.digest(bytes).hexadecimal.utf8)
        } catch {
            throw .damaged
        }
    }
}
