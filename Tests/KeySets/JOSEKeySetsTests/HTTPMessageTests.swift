import JOSEKeySets
import Testing

@Suite("HTTP messages") struct HTTPMessageTests {
    @Test("header field names are compared case-insensitively, and values are not (RFC 9110, 5.1)")
    func fieldNames() {
        let response = TransportResponse(
            status: 200,
            headers: [
                TransportHeaderField("ETag", "\"1\""), TransportHeaderField("cache-control", "no-cache"),
                TransportHeaderField("CACHE-CONTROL", "a"),
            ])
        #expect(response.header("etag") == "\"1\"")
        #expect(response.headers("Cache-Control") == ["no-cache", "a"])
        #expect(response.header("eta") == nil)
        // Unicode considers the Kelvin sign a K, and HTTP does not.
        #expect(TransportResponse(status: 200, headers: [TransportHeaderField("\u{212A}", "x")]).header("k") == nil)
        #expect(TransportResponse(status: 200, headers: [TransportHeaderField("K", "x")]).header("k") == "x")
        // `[` and `{` differ in the bit that distinguishes the case of letters.
        #expect(TransportResponse(status: 200, headers: [TransportHeaderField("[", "x")]).header("{") == nil)
    }

    @Test("a request has a size limit and deadlines by default")
    func defaults() {
        let request = TransportRequest(url: "https://id.test/jwks")
        #expect(request.method == .get)
        #expect(request.deadline == .seconds(5) && request.connectDeadline == .seconds(3))
        #expect(request.bodyLimit == 524_288 && request.redirectLimit == 0)
    }

    @Test("descriptions show method, host, path and sizes, and never a query, a header field or a body")
    func printing() {
        var request = TransportRequest(url: "https://u:secret@id.test:8443/token?code=secret#secret")
        request.method = .post
        request.headers = [TransportHeaderField("Authorization", "Basic secret")]
        request.body = Array("secret".utf8)
        #expect("\(request)" == "POST https://id.test:8443/token, 1 header fields, 6 bytes")
        #expect(
            "\(TransportRequest(url: "https://id.test/jwks"))" == "GET https://id.test/jwks, 0 header fields, 0 bytes")
        let response = TransportResponse(
            status: 302, headers: [TransportHeaderField("Location", "secret")], body: request.body)
        #expect("\(response)" == "302, 1 header fields, 6 bytes")
        #expect("\(request.headers[0])" == "Authorization")
        let bytes = "\(request.body)".dropFirst().dropLast()
        for value in [request, response, request.headers[0], [request], request.headers] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("secret") && !text.contains(bytes))
            }
        }
    }
}
