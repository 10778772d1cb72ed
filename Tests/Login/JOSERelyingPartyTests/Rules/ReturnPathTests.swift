import Testing

@testable import JOSEItsme
@testable import JOSERelyingParty

@Suite("Return paths") struct ReturnPathTests {
    @Test(
        "R47 a return path with a segment that a server, a proxy or a browser removes is rejected",
        arguments: [
            "/..//evil.test", "/a/..//evil.test", "/.//evil.test", "/a//evil.test", "/a/../b", "/./a", "/..", "/.",
            "/a/..", "/a/.", "/a/.?b", "/a/..#b", "/%2e%2e//evil.test", "/.%2E//evil.test", "/a/%2e%2e%2f%2fevil.test",
            "/%252e%252e//evil.test", "/%25252e%25252e%25252f/evil.test", "/a/..%2f/evil.test", "/a%2f..//evil.test",
            "/a/..;/b", "/a/..;x=1//evil.test", "/a/..%3b//evil.test", "/a%3f/%2e%2e/%2e%2e//evil.test",
            "/a%23/..//evil.test", "/a/%5c..%5cb", "/..\\/evil.test", "/\t/evil.test", "/a/..\t//evil.test",
            "/%09/evil.test", "/a/.%09./b", "/%c0%ae%c0%ae//evil.test", "/a/..%00//evil.test",
            "/;/evil.test", "/;x=1/evil.test", "/%3b/evil.test",
        ])
    func removed(_ path: String) { #expect(!LocalPath.isLocal(path)) }

    @Test(
        "a return path with ordinary segments is accepted",
        arguments: [
            "/", "/a", "/a/", "/a/b/", "/...", "/.a", "/a.", "/..a/b", "/a..b", "/a;x=1/b", "/a?b=/../c", "/a#/..//b",
            "/a?b=..%2f..%2fc", "/caf%C3%A9/%C3%BC", "/a+b/c", "/@user/~home/%24", "/a/b?next=https%3A%2F%2Fx//y",
        ])
    func kept(_ path: String) { #expect(LocalPath.isLocal(path)) }

    @Test("R47 a login with a return path that becomes another host is not begun") func begin() async throws {
        let fixture = try LoginFixture.itsmeV1()
        for (path, error) in [
            ("/a/..//evil.test", RelyingPartyError.request(.invalidParameter("return_to"))), ("/a/evil.test", nil),
        ] {
            var request = fixture.request
            request.returnTo = path
            #expect(try await refusal { try await fixture.party.beginLogin(request) } == error, "\(path)")
        }
    }
}
