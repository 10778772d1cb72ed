import TestSupport
import Testing

@Suite("nginx", .enabled(if: NginxServer.tool != nil, "nginx is not there")) struct NginxTests {
    @Test("nginx serves a file with an ETag over HTTP/2 to the curl command") func curl() async throws {
        let server = try NginxServer()
        try server.put("jwks.json", #"{"keys":[]}"#)
        let answer = try run("curl", ["-sSi", "-m", "3", "--cacert", server.ca, server.url("jwks.json")])
        #expect(answer.stdout.contains("max-age=300"), "\(answer)")
        #expect(answer.stdout.contains("application/jwk-set+json"))
        let tag = try #require(answer.stdout.split(separator: "\r\n").first { $0.lowercased().hasPrefix("etag") })
        let again = try run(
            "curl",
            [
                "-sSi", "-m", "3", "--cacert", server.ca, "-H", "If-None-Match" + tag.dropFirst(4),
                server.url("jwks.json"),
            ])
        #expect(again.stdout.contains(" 304"), "\(again)")
        try server.reload()
        let log = try await server.log(2)
        #expect(log.map(\.status) == [200, 304])
        #expect(log.map(\.version) == ["HTTP/2.0", "HTTP/2.0"])
    }
}
