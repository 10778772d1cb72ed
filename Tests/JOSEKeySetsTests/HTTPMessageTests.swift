import JOSEKeySets
import Testing

@Suite("HTTP messages") struct HTTPMessageTests {
    @Test("a field's name is compared without regard to case, and nothing else is, RFC 9110, 5.1")
    func fieldNames() {
        let response = HTTPResponse(
            status: 200,
            headers: [
                HTTPField("ETag", "\"1\""), HTTPField("cache-control", "no-cache"), HTTPField("CACHE-CONTROL", "a"),
            ])
        #expect(response.header("etag") == "\"1\"")
        #expect(response.headers("Cache-Control") == ["no-cache", "a"])
        #expect(response.header("eta") == nil)
        // The Kelvin sign is a K to Unicode, and none to HTTP.
        #expect(HTTPResponse(status: 200, headers: [HTTPField("\u{212A}", "x")]).header("k") == nil)
        #expect(HTTPResponse(status: 200, headers: [HTTPField("K", "x")]).header("k") == "x")
        // `[` and `{` differ in the bit by which letters do.
        #expect(HTTPResponse(status: 200, headers: [HTTPField("[", "x")]).header("{") == nil)
    }

    @Test("a request is bounded as it comes")
    func defaults() {
        let request = HTTPRequest(url: "https://id.test/jwks")
        #expect(request.method == .get)
        #expect(request.deadline == .seconds(5) && request.connectDeadline == .seconds(3))
        #expect(request.bodyLimit == 524_288 && request.redirectLimit == 0)
    }
}
