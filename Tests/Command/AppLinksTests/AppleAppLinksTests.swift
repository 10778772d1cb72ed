import AppLinks
import Testing

@Suite("apple-app-site-association") struct AppleAppLinksTests {
    private static let good =
        #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.be.shop.app","paths":["/login/*","NOT /login/old/*","*"]}]}}"#

    private func problems(
        _ body: String = good, location: String = "https://shop.example/.well-known/apple-app-site-association",
        status: Int? = 200, type: String? = "application/json"
    ) -> [LinkFinding.Problem] {
        AppleAppLinks.check(
            LinkFile(.apple, location: location, status: status, contentType: type, body: Array(body.utf8))
        ).findings.map(\.problem)
    }

    /// Returns the valid file, padded with spaces to `count` bytes.
    private func padded(_ count: Int) -> String {
        Self.good + String(repeating: " ", count: count - Self.good.utf8.count)
    }

    @Test("itsme case 23: a file of 131 072 bytes is accepted, and one more byte is rejected") func size() {
        #expect(problems(padded(131_072)).isEmpty)
        #expect(problems(padded(131_073)) == [.tooLarge(131_073)])
    }

    @Test("itsme case 23: any Content-Type except application/json is reported") func contentType() {
        for type in ["application/json", "application/json; charset=utf-8", "Application/JSON ;x=y"] {
            #expect(problems(type: type).isEmpty, "\(type)")
        }
        for type in ["text/plain", "application/pkcs7-mime", "application/jsonp", "", nil] {
            #expect(problems(type: type) == [.contentType], "\(type ?? "none")")
        }
    }

    @Test("itsme case 23: a file name with .json, or outside the root and .well-known, is reported") func name() {
        for location in [
            "https://shop.example/apple-app-site-association",
            "https://shop.example:443/.well-known/apple-app-site-association",
        ] { #expect(problems(location: location).isEmpty, "\(location)") }
        for location in [
            "https://shop.example/apple-app-site-association.json", "https://shop.example/Apple-App-Site-Association",
            "https://shop.example/app/apple-app-site-association",
            "https://shop.example/apple-app-site-association?v=1",
        ] { #expect(problems(location: location) == [.name], "\(location)") }
        #expect(problems(location: "folder/apple-app-site-association", status: nil, type: nil).isEmpty)
        #expect(problems(location: "folder/apple-app-site-association.json", status: nil, type: nil) == [.name])
    }

    @Test("http, a redirect, and a status other than 200 are reported") func served() {
        #expect(problems(location: "http://shop.example/apple-app-site-association") == [.notHTTPS])
        #expect(problems(status: 301) == [.redirected])
        #expect(problems(status: 404) == [.status(404)])
        #expect(problems(status: 200).isEmpty)
    }

    @Test("a duplicate member is reported at any depth with its offset") func duplicates() {
        let twice = Self.good.replacing(#""apps":[]"#, with: #""apps":[],"apps":[]"#)
        #expect(problems(twice) == [.duplicateMember(at: 24)])
        #expect(problems(Self.good.replacing("}]}}", with: "}]},\"applinks\":{}}")).count == 1)
        #expect(problems().isEmpty)
    }

    @Test("invalid JSON and values of a wrong type are reported with their path") func types() throws {
        #expect(problems("<html>") == [.wrongType] || problems("<html>") == [.notJSON(at: 0)])
        #expect(problems("[]") == [.wrongType])
        for (body, finding) in [
            ("{}", "applinks: is missing"), (#"{"applinks":[]}"#, "applinks: is of a wrong type"),
            (#"{"applinks":{"apps":{},"details":[]}}"#, "applinks.apps: is of a wrong type"),
            (#"{"applinks":{"apps":["x"],"details":[]}}"#, "applinks.apps: must be empty"),
            (#"{"applinks":{"details":[]}}"#, "applinks.apps: is missing"),
            (#"{"applinks":{"apps":[],"details":{}}}"#, "applinks.details: is of a wrong type"),
            (
                #"{"applinks":{"apps":[],"details":[{"appID":7,"paths":["*"]}]}}"#,
                "applinks.details[0].appID: is of a wrong type"
            ),
            (
                #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.a","paths":"*"}]}}"#,
                "applinks.details[0].paths: is of a wrong type"
            ),
            (
                #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.a","paths":["*",1]}]}}"#,
                "applinks.details[0].paths[1]: is of a wrong type"
            ),
            (
                #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.a"}]}}"#,
                "applinks.details[0].paths: is missing"
            ),
        ] {
            let found = AppleAppLinks.check(
                LinkFile(.apple, location: "apple-app-site-association", body: Array(body.utf8)))
            #expect(found.findings.first?.description == finding, "\(body)")
            #expect(found.findings.first?.severity == .error)
        }
    }

    @Test("app IDs without team and bundle, and paths that do not begin with a slash or star, are reported")
    func forms() {
        func body(_ app: String, _ path: String) -> String {
            #"{"applinks":{"apps":[],"details":[{"appID":"\#(app)","paths":["\#(path)"]}]}}"#
        }
        #expect(problems(body("ABCDE12345.be.shop.app", "/a")).isEmpty)
        for app in [
            "be.shop.app", "abcde12345.be.shop", "ABCDE12345", "ABCDE12345.", "ABCDE12345.a..b", "ABCDE12345.a b",
        ] {
            #expect(problems(body(app, "*")) == [.appID], "\(app)")
        }
        for path in ["", "login", "/a#b", "NOT", "NOT login", "/a b"] {
            #expect(problems(body("ABCDE12345.a", path)) == [.path], "\(path)")
        }
        #expect(problems(body("ABCDE12345.a", "NOT /a")).isEmpty)
    }

    @Test("the first matching path applies, compared case-sensitively and without query and fragment")
    func paths() throws {
        let file = LinkFile(.apple, location: "apple-app-site-association", body: Array(Self.good.utf8))
        let everything = try #require(AppleAppLinks.check(file).links)
        #expect(everything.apps(opening: "https://shop.example/") == ["ABCDE12345.be.shop.app"])
        let links = AppleAppLinks([
            .init(appID: "ABCDE12345.one", paths: ["NOT /login/old/*", "/login/*", "/c?t"]),
            .init(appID: "ABCDE12345.two", paths: ["/login/old/*"]),
        ])
        for (url, apps) in [
            ("https://shop.example/login/back?code=1&state=2#x", ["ABCDE12345.one"]),
            ("https://shop.example/login/old/a", ["ABCDE12345.two"]), ("https://shop.example/Login/back", []),
            ("https://shop.example/login", []), ("https://shop.example/cat", ["ABCDE12345.one"]),
            ("https://shop.example/ct", []), ("https://shop.example", []), ("http://shop.example/login/back", []),
            ("shop:///login/back", []), ("https://a@shop.example/login/back", []),
        ] { #expect(links.apps(opening: url) == apps, "\(url)") }
    }

    @Test("matching a pattern of many stars with a long path takes less than exponential time") func stars() {
        let links = AppleAppLinks([
            .init(appID: "ABCDE12345.one", paths: ["/" + String(repeating: "*a", count: 200) + "b"])
        ])
        let path = String(repeating: "a", count: 2_000)
        #expect(links.apps(opening: "https://shop.example/" + path).isEmpty)
        #expect(links.apps(opening: "https://shop.example/" + path + "b") == ["ABCDE12345.one"])
    }

    @Test("written files pass the check, and invalid content throws") func made() throws {
        let links = AppleAppLinks([.init(appID: "ABCDE12345.be.shop.app", paths: ["/login/*"])])
        let body = try links.write()
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.be.shop.app","paths":["/login/*"]}]}}"#)
        let read = AppleAppLinks.check(LinkFile(.apple, location: "apple-app-site-association", body: body))
        #expect(read.links == links && read.findings.isEmpty)
        for bad in [
            AppleAppLinks([]), .init([.init(appID: "x", paths: ["*"])]),
            .init([.init(appID: "ABCDE12345.a", paths: [])]),
        ] {
            #expect(throws: LinkFileError.self) { try bad.write() }
        }
        let large = AppleAppLinks([.init(appID: "ABCDE12345.a", paths: (0..<20_000).map { "/\($0)/*" })])
        #expect(throws: LinkFileError.self) { try large.write() }
    }
}

@Suite("Associated domains") struct AssociatedDomainsTests {
    @Test("itsme case 24: an exact entry applies first, then the longest wildcard, which matches at least one label")
    func longest() {
        let domains = AssociatedDomains(["applinks:*.mywebsite.com", "applinks:*.users.mywebsite.com"])
        #expect(domains.entry(for: "emily.users.mywebsite.com") == "applinks:*.users.mywebsite.com")
        #expect(domains.entry(for: "mywebsite.com") == nil)
        #expect(domains.entry(for: "users.mywebsite.com") == "applinks:*.mywebsite.com")
        #expect(domains.entry(for: "EMILY.users.MyWebsite.com") == "applinks:*.users.mywebsite.com")
        #expect(domains.entry(for: "notmywebsite.com") == nil)
        let exact = AssociatedDomains(domains.entries + ["applinks:emily.users.mywebsite.com"])
        #expect(exact.entry(for: "emily.users.mywebsite.com") == "applinks:emily.users.mywebsite.com")
    }

    @Test(
        "more than 20 entries are a warning, and more than 30 an error in strict mode")
    func count() {
        func findings(_ count: Int, isStrict: Bool) -> [LinkFinding.Severity] {
            AssociatedDomains((0..<count).map { "applinks:h\($0).example" }).check(isStrict: isStrict).map(\.severity)
        }
        #expect(findings(20, isStrict: true).isEmpty)
        #expect(findings(21, isStrict: true) == [.warning] && findings(30, isStrict: true) == [.warning])
        #expect(findings(31, isStrict: true) == [.error] && findings(31, isStrict: false) == [.warning])
    }

    @Test("entries that are not applinks:, lack a host or are duplicate are reported") func forms() {
        for entry in [
            "webcredentials:a.example", "applinks:", "applinks:a b", "applinks:*a.example",
            "applinks:https://a.example", "a.example",
        ] {
            #expect(AssociatedDomains([entry]).check().map(\.problem) == [.entitlement], "\(entry)")
        }
        #expect(AssociatedDomains(["applinks:a.example", "applinks:a.example"]).check().map(\.problem) == [.repeated])
        #expect(AssociatedDomains(["applinks:a.example", "applinks:*.a.example"]).check().isEmpty)
    }
}
