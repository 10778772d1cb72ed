import JOSEKeySets
import Testing

@Suite("Freshness of responses (RFC 9111)") struct FreshnessTests {
    private static let freshness = Freshness(KeySetOptions())
    private static let date = TransportHeaderField("Date", "Sat, 21 Nov 2026 03:00:00 GMT")

    private func lifetime(_ fields: TransportHeaderField..., age: [String] = [], delay: Double = 0) -> Double {
        let header = StoredHeader(TransportResponse(status: 200, headers: fields))
        return Self.freshness.lifetime(header, ageFields: age, delay: delay)
    }
    private func lifetime(_ control: String, age: [String] = [], delay: Double = 0) -> Double {
        lifetime(TransportHeaderField("Cache-Control", control), age: age, delay: delay)
    }

    @Test("the lifetime is max-age less Age and the delay of the response (RFC 9111, 4.2.3)")
    func maxAge() {
        #expect(lifetime("public, max-age=3600") == 3600)
        #expect(lifetime("MAX-AGE=\"3600\"") == 3600)
        #expect(lifetime("private=\"a, max-age=5\", max-age=3600") == 3600)
        #expect(lifetime("max-age=3600", age: ["600"]) == 3000)
        #expect(lifetime("max-age=3600", age: ["600, 5", "7"], delay: 2) == 2998)
        // A malformed Age is ignored (RFC 9111, 5.1).
        #expect(lifetime("max-age=3600", age: ["-600"]) == 3600)
        #expect(lifetime("max-age=3600", age: ["3590"]) == 60)
        // `s-maxage` is for shared caches (RFC 9111, 5.2.2.10), and this one is private.
        #expect(lifetime("s-maxage=900, max-age=3600") == 3600)
        #expect(lifetime("s-maxage=900") == 600)
        #expect(lifetime("must-revalidate") == 600)
    }

    @Test("invalid and extreme lifetimes are limited to between a minute and a day")
    func clamped() {
        for odd in [
            "max-age=0", "max-age=-1", "max-age=59", "no-store", "no-cache", "no-store, max-age=3600", "max-age=1.5",
            "max-age=", "max-age", "max-age=3600, max-age=7200", "max-age=\"3600", "max-age=0x10",
        ] { #expect(lifetime(odd) == 60, "\(odd)") }
        for long in ["max-age=315360000", "max-age=86401", "max-age=99999999999999999999999999"] {
            #expect(lifetime(long) == 86_400, "\(long)")
        }
        // A `no-cache` with field names applies only to these (RFC 9111, 5.2.2.4).
        #expect(lifetime("no-cache=\"Set-Cookie\", max-age=3600") == 3600)
        #expect(lifetime("") == 600)
        #expect(lifetime() == 600)
    }

    @Test("without max-age, Expires counts from the server's own Date (RFC 9111, 5.3)")
    func expires() {
        let expires = TransportHeaderField("Expires", "Sat, 21 Nov 2026 04:00:00 GMT")
        #expect(lifetime(expires, Self.date) == 3600)
        #expect(lifetime(expires, Self.date, age: ["600"]) == 3000)
        #expect(lifetime(expires, Self.date, TransportHeaderField("Cache-Control", "max-age=120")) == 120)
        // The system clock is never read.
        #expect(lifetime(expires) == 600)
        #expect(lifetime(TransportHeaderField("Expires", "0"), Self.date) == 60)
        #expect(lifetime(TransportHeaderField("Expires", "Fri, 20 Nov 2026 04:00:00 GMT"), Self.date) == 60)
    }

    @Test("the three HTTP date formats are accepted, and no other (RFC 9110, 5.6.7)")
    func dates() {
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Sun Nov  6 08:49:37 1994") == 784_111_777)
        #expect(HTTPDate.seconds("Thu, 29 Feb 2024 23:59:60 GMT") == 1_709_251_200)
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        for wrong in [
            "", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 31 Apr 2026 08:49:37 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06 Nov 1994 08:49:37:00 GMT", "Wed, 31 Dec 1969 23:59:59 GMT", "Sunday, 06-Nov 08:49:37 GMT",
            "Sun,\u{0} 06 Nov 1994 08:49:37 GMT", "٠", "1994-11-06T08:49:37Z",
        ] { #expect(HTTPDate.seconds(wrong) == nil, "\(wrong)") }
    }

    @Test("a 304 replaces the header fields that it contains and keeps the others (RFC 9111, 3.2)")
    func renewed() {
        let first = StoredHeader(
            TransportResponse(
                status: 200,
                headers: [
                    TransportHeaderField("Cache-Control", "max-age=900"), TransportHeaderField("ETag", "\"1\""),
                    Self.date,
                ]))
        #expect(first.conditions == [TransportHeaderField("If-None-Match", "\"1\"")])
        let renewed = first.updated(
            by: TransportResponse(status: 304, headers: [TransportHeaderField("Last-Modified", "yesterday")]))
        #expect(Self.freshness.lifetime(renewed, ageFields: [], delay: 0) == 900)
        #expect(
            renewed.conditions == [
                TransportHeaderField("If-None-Match", "\"1\""), TransportHeaderField("If-Modified-Since", "yesterday"),
            ])
        let other = first.updated(
            by: TransportResponse(status: 304, headers: [TransportHeaderField("Cache-Control", "max-age=120")]))
        #expect(Self.freshness.lifetime(other, ageFields: [], delay: 0) == 120)
        // A value that is sent back must not be able to end its line.
        let hostile = StoredHeader(
            TransportResponse(status: 200, headers: [TransportHeaderField("ETag", "\"1\"\r\nHost: evil.test")]))
        #expect(hostile.conditions.isEmpty)
    }

    @Test("Retry-After may be seconds, or a date that is relative to the server's Date (RFC 9110, 10.2.3)")
    func retryAfter() {
        func wait(_ value: String, _ more: TransportHeaderField...) -> Double? {
            StoredHeader.retryAfter(
                TransportResponse(status: 429, headers: [TransportHeaderField("Retry-After", value)] + more))
        }
        #expect(wait("120") == 120)
        #expect(wait("Sat, 21 Nov 2026 03:02:00 GMT", Self.date) == 120)
        #expect(wait("Sat, 21 Nov 2026 02:00:00 GMT", Self.date) == 0)
        #expect(wait("Sat, 21 Nov 2026 03:02:00 GMT") == nil)
        #expect(wait("-1") == nil && wait("soon") == nil && wait("") == nil && wait("soon", Self.date) == nil)
        #expect(StoredHeader.retryAfter(TransportResponse(status: 429)) == nil)
    }

    @Test("K05: freshness is limited to between 60 seconds and a day, whatever Cache-Control says")
    func odd() async throws {
        for (control, lifetime) in [("max-age=0", 60.0), ("max-age=315360000", 86_400), ("max-age=-5", 60)] {
            let issuer = Issuer()
            let source = try await issuer.source(
                holding: [Issuer.key("a")], TransportHeaderField("Cache-Control", control),
                TransportHeaderField("ETag", "\"1\""))
            #expect(
                await issuer.observer.hears {
                    if case .fetched(let f) = $0 { f.freshFor == .seconds(Int(lifetime)) } else { false }
                })
            issuer.server.answer(TransportResponse(status: 304))
            let due = max(60, lifetime * 0.825)
            await issuer.clock.advance(by: due - 1)
            #expect(issuer.server.requests.count == 1, "\(control)")
            await issuer.clock.advance(by: 1.5)
            #expect(await eventually { source.counters.notModified == 1 }, "\(control)")
            #expect(
                issuer.server.requests.last?.headers.contains(TransportHeaderField("If-None-Match", "\"1\"")) == true)
            #expect(issuer.server.requests.count == 2 && source.names == ["a"])
            // The 304 has no lifetime of its own, so that the lifetime begins again.
            await issuer.clock.advance(by: due - 2)
            #expect(issuer.server.requests.count == 2, "\(control)")
        }
    }
}
