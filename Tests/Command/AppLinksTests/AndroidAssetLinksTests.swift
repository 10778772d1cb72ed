import AppLinks
import Testing

@Suite("assetlinks.json") struct AndroidAssetLinksTests {
    private static let print = (0..<32).map { _ in "A9" }.joined(separator: ":")
    private static let relation = "delegate_permission/common.handle_all_urls"

    private func body(
        relation: String = #"["\#(relation)"]"#, namespace: String = "android_app", package: String = "be.shop.app",
        prints: String = #"["\#(print)"]"#
    ) -> String {
        #"[{"relation":\#(relation),"target":{"namespace":"\#(namespace)","package_name":"\#(package)","sha256_cert_fingerprints":\#(prints)}}]"#
    }

    private func findings(
        _ body: String, location: String = "https://shop.example/.well-known/assetlinks.json", status: Int? = 200,
        type: String? = "application/json"
    ) -> [LinkFinding] {
        AndroidAssetLinks.check(
            LinkFile(.android, location: location, status: status, contentType: type, body: Array(body.utf8))
        ).findings
    }

    @Test("the file must be at its one path, by https, as JSON and without a redirect") func served() {
        #expect(findings(body()).isEmpty)
        for location in ["https://shop.example/assetlinks.json", "https://shop.example/.well-known/assetlinks"] {
            #expect(findings(body(), location: location).map(\.problem) == [.name], "\(location)")
        }
        #expect(
            findings(body(), location: "http://shop.example/.well-known/assetlinks.json").map(\.problem) == [.notHTTPS])
        #expect(findings(body(), status: 302).map(\.problem) == [.redirected])
        #expect(findings(body(), type: "text/plain").map(\.problem) == [.contentType])
    }

    @Test("only the relations of App Links are accepted") func relations() {
        for name in ["handle_all_urls", "get_login_creds", "use_as_origin"] {
            #expect(findings(body(relation: #"["delegate_permission/common.\#(name)"]"#)).isEmpty, "\(name)")
        }
        #expect(findings(body(relation: #"["handle_all_urls"]"#)).map(\.problem) == [.relation])
        #expect(findings(body(relation: "[]")).map(\.problem) == [.empty])
        #expect(
            findings(body(relation: #""\#(Self.relation)""#)).map(\.description) == ["[0].relation: is of a wrong type"]
        )
    }

    @Test("a package name and fingerprints of 32 upper-case hexadecimal pairs are required") func targets() {
        for package in ["be.shop.app", "a.b_1"] { #expect(findings(body(package: package)).isEmpty, "\(package)") }
        for package in ["shop", "be..shop", "be.1shop", "be.shop app", ""] {
            #expect(findings(body(package: package)).map(\.problem) == [.packageName], "\(package)")
        }
        for print in [
            Self.print.lowercased(), Self.print.replacing(":", with: ""), String(Self.print.dropLast(3)),
            Self.print + ":00",
        ] { #expect(findings(body(prints: #"["\#(print)"]"#)).map(\.problem) == [.fingerprint], "\(print)") }
        #expect(findings(body(prints: "[]")).map(\.problem) == [.empty])
        #expect(findings(body(namespace: "ios_app")).map(\.problem) == [.namespace])
    }

    @Test("duplicate members, wrong types and invalid JSON are errors, and statements about sites a warning")
    func malformed() {
        let twice = body().replacing(#""namespace":"#, with: #""namespace":"web","namespace":"#)
        guard case .duplicateMember? = findings(twice).first?.problem else {
            Issue.record("\(findings(twice))")
            return
        }
        #expect(findings("{}").map(\.problem) == [.wrongType])
        #expect(findings("[]").map(\.problem) == [.empty])
        #expect(findings("[1]").map(\.description) == ["[0]: is of a wrong type"])
        #expect(findings("[").first?.severity == .error)
        let site = #"{"relation":["\#(Self.relation)"],"target":{"namespace":"web","site":"https://other.example"}}"#
        let both = findings("[\(site),\(body().dropFirst())")
        #expect(both.map(\.severity) == [.warning] && both.map(\.problem) == [.namespace])
    }

    @Test("a written file passes the check, and its package and certificate match the app") func made()
        throws
    {
        let links = AndroidAssetLinks([
            .init(
                packageName: "be.shop.app", fingerprints: [Self.print], relations: [.handleAllURLs, .loginCredentials])
        ])
        let body = try links.write()
        let read = AndroidAssetLinks.check(LinkFile(.android, location: "assetlinks.json", body: body))
        #expect(read.links == links && read.findings.isEmpty)
        #expect(links.opens(packageName: "be.shop.app", fingerprint: Self.print))
        #expect(!links.opens(packageName: "be.shop.other", fingerprint: Self.print))
        #expect(!links.opens(packageName: "be.shop.app", fingerprint: Self.print.replacing("A9", with: "00")))
        for bad in [
            AndroidAssetLinks([]), .init([.init(packageName: "shop", fingerprints: [Self.print])]),
            .init([.init(packageName: "a.b", fingerprints: [])]),
        ] {
            #expect(throws: LinkFileError.self) { try bad.write() }
        }
    }
}
