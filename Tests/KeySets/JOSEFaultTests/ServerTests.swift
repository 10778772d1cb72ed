import Foundation
import TestSupport
import Testing

/// Tests of the fault server with curl's command: a server without the faults would prove nothing.
@Suite("The HTTP server that simulates faults") struct ServerTests {
    private static let tool = ["/usr/bin/curl", "/usr/local/bin/curl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private func curl(_ url: String, _ more: String...) throws -> (status: Int32, out: String) {
        let server = try FaultServer.shared.get()
        let command = try #require(Self.tool)
        let result = try run(
            command, ["-sS", "-m", "1", "--cacert", server.place.ca] + more + [url], environment: ["no_proxy": "*"])
        return (result.status, result.stdout)
    }

    @Test(
        "the fault server returns the responses of a path in turn, and records requests",
        .enabled(if: tool != nil, "curl is not there"))
    func answers() throws {
        let server = try FaultServer.shared.get()
        let path = "/server/answers"
        try server.answer(path, .init("one", headers: ["ETag": #""1""#]), .init("two") { $0.chunked = true })
        #expect(try curl(server.url(path)).out == "one")
        #expect(try curl(server.url(path)).out == "two")
        #expect(try curl(server.url(path), "--http1.1", "-H", "X-Asked: this").out == "two")
        let seen = try server.seen(path)
        #expect(seen.requests == 3)
        #expect(seen.list.map { $0.header("x-asked") } == [nil, nil, "this"])
        #expect(seen.list[0].tls == "TLSv1.3")
        try server.answer(path, .init("one", headers: ["ETag": #""1""#]))
        #expect(try curl(server.url(path), "-w", "%{http_code}", "-H", #"If-None-Match: "1""#).out == "304")
        #expect(try curl(server.url("/server/nothing"), "-w", "%{http_code}").out == "404")
    }

    @Test(
        "the fault that a port simulates can be changed",
        .enabled(if: tool != nil, "curl is not there"))
    func kinds() throws {
        let server = try FaultServer.shared.get()
        try server.answer("/server/kinds", .init("here"))
        let port = try server.listen(.refused)
        // These are exit codes of curl: 7 connection, 28 timeout, 35 handshake, 52 empty response, 60 certificate.
        let kinds: [(FaultServer.Kind, Set<Int32>)] = [
            (.expired, [60]), (.wrongName, [60]), (.untrusted, [60]), (.clientRequired, [35, 52, 55, 56]),
            (.tls11, [35]), (.silent, [28]), (.refused, [7]), (.blackHole, [28]), (.https, [0]), (.tls12, [0]),
        ]
        for (kind, statuses) in kinds {
            try server.listen(kind, port: port)
            let result = try curl(server.url("/server/kinds", port: port))
            #expect(statuses.contains(result.status), "\(kind): \(result.status)")
            #expect((result.out == "here") == (result.status == 0), "\(kind)")
        }
    }

    @Test(
        "the fault server sends truncated, slow, huge and compressed bodies",
        .enabled(if: tool != nil, "curl is not there"))
    func bodies() throws {
        let server = try FaultServer.shared.get()
        let url = server.url("/server/bodies")
        try server.answer(
            "/server/bodies", .init("whole") { $0.cut = 42 }, .init("whole") { $0.dripBody = 300 },
            .init { $0.hangUp = true },
            .init {
                $0.fill = 1_000_000; $0.gzip = true
            }, .init("late") { $0.delay = 3000 }, .init("end") { $0.end = .quiet })
        #expect(try [18, 56].contains(curl(url).status))
        #expect(try curl(url).status == 28)
        // 52 is an empty response; curl 8.14 says 56, a TLS connection that ends without notice.
        #expect(try [52, 56].contains(curl(url).status))
        #expect(try curl(url, "-w", "%{size_download}", "-o", "/dev/null").out.count < 5)
        #expect(try curl(url).status == 28)
        #expect(try curl(url).out == "end")
    }
}
