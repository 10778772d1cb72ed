import Foundation
import TestSupport
import Testing

@testable import JOSECommand

/// Tests of which policy applies to the path of a request, for services that read paths in different ways.
@Suite("Paths of gateways") struct GatewayPathTests {
    /// Returns a router with public policies for these paths.
    private static func router(_ paths: [String], distinguishesCase: Bool = false) throws -> GatewayRouter {
        let policies = try paths.map { path -> GatewayPolicy in
            let prefix = try #require(GatewayPath(Array(path.utf8), distinguishesCase: distinguishesCase))
            return GatewayPolicy(name: path, normal: prefix.normal, claims: [], realm: "")
        }
        return GatewayRouter(policies, distinguishesCase: distinguishesCase)
    }

    /// Returns the path of the policy for a request, or the code of its rejection.
    private static func chosen(_ path: String, _ router: GatewayRouter) -> String {
        do throws(GatewayRejection) { return try router.policy(for: Array(path.utf8)).name } catch {
            return error.code
        }
    }

    private static let paths = ["/health/deep", "/admin/keys", "/health", "/admin", "/"]

    @Test(
        "G02 a path that services may read as one of another policy is rejected, and one of the same policy is not",
        arguments: PathReading.table)
    func readings(_ reading: PathReading) throws {
        let two = try Self.router(["/admin", "/"])
        #expect(Self.chosen(reading.example, two) == "path_ambiguous")
        #expect(Self.chosen("/admin/x", two) == "/admin")
        #expect(Self.chosen("/x/admin", two) == "/")
        // Where the same policy applies in every reading, the path is accepted, unless it has dot segments in one of
        // them.
        let climbs = reading.effect == .climbs || reading.effect == .decodes
        #expect(Self.chosen(reading.example, try Self.router(["/"])) == (climbs ? "path_ambiguous" : "/"))
        let article = try String(
            contentsOf: Repository.root.appending(path: "Sources/Core/JOSETokens/JOSETokens.docc/Gateways.md"),
            encoding: .utf8)
        #expect(article.contains("| \(reading.name) |"))
    }

    @Test("G02 readings in any combination select the same policy, or the path is ambiguous")
    func combinations() throws {
        let router = try Self.router(Self.paths)
        for path in [
            "/ADMIN.%20", "/x;v=1/..%20;a/admin", "/Admin%20/KEYS;x", "/%EF%BC%A1dmin", "/adm%C4%B1n",
            "/%E2%84%AAeys/../x",
            "/admin+", "/%20admin", "/admin%E2%80%8B/x", "/ad%C2%ADmin", "/ADMIN%C2%A0", "/a%CC%81dmin", "/admin%3Bx=1",
            "/health/DEEP", "/health;x/deep", "/health%E3%80%80", "/health/%ef%bc%8e%EF%BC%8E/x", "/%61dmin/keys",
            "/;/admin",
            "/admin/key%C5%BF", "/x/%E2%80%A5", "/x/%25%20%32%65", "/x/%EF%BC%85%32%65", "/x/%25u002e", "/admi%6e",
            "/x%EF%BC%8F..%EF%BC%8Fadmin", "/x/...", "/x/%E2%80%A6", "/x;%25%202fadmin",
        ] {
            let found = Self.chosen(path, router)
            #expect(["path_ambiguous", "path_not_normalized"].contains(found), "\(path): \(found)")
        }
        for (path, policy) in [
            ("/admin/x.", "/admin"), ("/admin/keys/A%20b", "/admin/keys"), ("/health/a;v=1", "/health"),
            ("/health/%41%42", "/health"),
            ("/admins", "/"), ("/healthy/x", "/"), ("/b%C3%BCro/%E6%9D%B1", "/"), ("/a/admin", "/"),
            ("/100%25%20dark", "/"),
            ("/health/", "/health"), ("/x/wait%E2%80%A6", "/"), ("/admin?x=/../health", "/admin"),
        ] {
            #expect(Self.chosen(path, router) == policy, "\(path)")
        }
    }

    @Test("with case-sensitive, paths that differ in case alone have policies of their own")
    func distinguishedCase() throws {
        let router = try Self.router(["/admin", "/Admin/x", "/"], distinguishesCase: true)
        for (path, policy) in [("/ADMIN", "/"), ("/admin/x", "/admin"), ("/Admin/x", "/Admin/x"), ("/Admin", "/")] {
            #expect(Self.chosen(path, router) == policy)
        }
        for path in ["/admin.", "/admin%20", "/%EF%BD%81dmin", "/admin;v=1", "/%61dmin", "/x/.%20./admin"] {
            #expect(Self.chosen(path, router) == "path_ambiguous", "\(path)")
        }
    }

    @Test("G03 a path that is not UTF-8, or has controls after it was decoded, is rejected (RFC 3629, 3)")
    func encodings() throws {
        let router = try Self.router(["/"])
        for path in [
            "/a/%c0%ae%c0%ae/b", "/a%ff", "/a%e2%80", "/%ed%a0%80", "/%f4%90%80%80", "/a%80", "/a%c2%80", "/a%C2%9F",
            "/a%01",
            "/a%1f", "/a%7F", "/a%00", "/a%0d%0ab",
        ] {
            #expect(Self.chosen(path, router) == "path_not_normalized", "\(path)")
        }
        for path in ["/a/%c2%ae%c3%ae/b", "/%ed%9f%bf", "/%f4%8f%bf%bf", "/a%c2%a0b", "/a%20b", "/ä/%E2%82%AC"] {
            #expect(Self.chosen(path, router) == "/", "\(path)")
        }
        let raw = GatewayPath([0x2F, 0xC0, 0xAE], distinguishesCase: false)
        #expect(raw == nil)
    }

    @Test(
        "G04 segments that become dot segments in a reading are rejected, whatever the policies are (RFC 3986, 5.2.4)")
    func dots() throws {
        for router in [try Self.router(["/"]), try Self.router(Self.paths)] {
            for path in [
                "/health/.%20./x", "/health/%20..", "/health/..;/x", "/health/..%3Bx", "/health/.+./x",
                "/health/%E2%80%A5/x",
                "/health/%EF%BC%8E%EF%BC%8E/x", "/health/.%E2%80%8B./x", "/health/.%C2%AD./x", "/health/...",
                "/health/.%CC%81./",
                "/health/a%EF%BC%8F..%EF%BC%8Fx", "/health/a%EF%BC%BC%EF%BC%8E%EF%BC%8E", "/health/%25%202e%25%202e",
            ] {
                #expect(Self.chosen(path, router) == "path_ambiguous", "\(path)")
            }
        }
        let router = try Self.router(["/"])
        for path in ["/health/. x", "/a..b", "/..a", "/.x", "/x.", "/a...b/x..", "/.%20x", "/health/%E2%80%A5x"] {
            #expect(Self.chosen(path, router) == "/", "\(path)")
        }
    }

    @Test("a path of a policy that services may read in another way, or as that of another policy, is an error")
    func policies() throws {
        for path in ["/a;b", "/a/ ", "/...", "/a\u{2025}/..", "/a\u{FF0F}b", "/a\u{FF1F}", "/a%20b", "/ /a", "/+"] {
            let prefix = GatewayPath(Array(path.utf8), distinguishesCase: false)
            let isUsable = prefix.map { $0.isWhole && !$0.isAmbiguous && $0.literal == Array(path.utf8) } ?? false
            #expect(!isUsable, "\(path)")
        }
        for path in ["/", "/a/", "/a b", "/C++", "/büro/東京", "/a.b", "/.well-known", "/@x/~y"] {
            let prefix = try #require(GatewayPath(Array(path.utf8), distinguishesCase: false))
            #expect(prefix.isWhole && !prefix.isAmbiguous && prefix.literal == Array(path.utf8), "\(path)")
        }
    }

    @Test("characters have the forms of NFKD without marks, formats and case, in every normalization (Unicode, 3.11)")
    func characters() {
        func form(_ text: String) -> [UInt32] {
            var output: [UInt32] = []
            for scalar in text.unicodeScalars where scalar != " " {
                guard scalar.value >= 0x80 else {
                    output.append(scalar.value)
                    continue
                }
                PathCharacters.shared.append(scalar.value, foldsCase: true, to: &output)
            }
            // ASCII letters are left to the caller.
            return output.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        }
        #expect(form("ÄﬁⅣ①ａＫ") == form("afiiv1ak"))
        #expect(form("한") == [0x1112, 0x1161, 0x11AB] && form("가") == [0x1100, 0x1161])
        #expect(form("ẞıſ") == form("ssis") && form("ΣΣς") == form("σσσ") && form("\u{200B}\u{3000}\u{E0041}").isEmpty)
        // Where characters have other forms than themselves.
        var count = 0
        for value in Array(0xA0..<0x3400) + Array(0xA640..<0xAC80) + Array(0xF900..<0x10600) + Array(0x1D100..<0x1F200)
        {
            guard let scalar = Unicode.Scalar(UInt32(value)), scalar.properties.generalCategory != .unassigned,
                let age = scalar.properties.age, age <= (15, 0)
            else { continue }
            let text = String(scalar)
            let found = form(text)
            count += 1
            let others = [
                text.uppercased(), text.lowercased(), text.decomposedStringWithCompatibilityMapping,
                text.precomposedStringWithCompatibilityMapping, text.decomposedStringWithCanonicalMapping,
            ]
            // A later version may have added an upper case letter to a lower case one.
            let known = others.filter { $0.unicodeScalars.allSatisfy { ($0.properties.age ?? (99, 0)) <= (15, 0) } }
            if let other = known.first(where: { form($0) != found }) { Issue.record("\(text) is not \(other)") }
        }
        #expect(count > 15_000)
    }

    @Test("the tables of characters are those of Unicode's data, as Python's unicodedata has them")
    func tables() throws {
        let script = Repository.root.appending(path: "Tests/Scripts/path_characters.py").path
        let done = try run("/usr/bin/env", ["python3", "-B", script, "--check"])
        #expect(done.status == 0 && done.stdout.contains("characters of Unicode \(PathCharacters.unicodeVersion)"))
    }

    /// The number of paths of a campaign; more of them are tried with the variable BULLA_PATHS.
    private static let count = ProcessInfo.processInfo.environment["BULLA_PATHS"].flatMap { Int($0) } ?? 2000

    @Test("G02 no random path that is accepted is one of another policy in any combination of readings")
    func campaign() throws {
        let router = try Self.router(Self.paths)
        var campaign = PathCampaign(seed: 34)
        var accepted = 0
        for round in 0..<Self.count {
            let path =
                switch round % 3 {
                case 0: campaign.hostile(below: ["/health/"])
                case 1: campaign.hostile(below: ["/", "/x/", "/admin/", "/health", "/admin"])
                default: campaign.respelled(Self.paths[round / 3 % 4] + ["", "/x"][round % 2])
                }
            let policy = Self.chosen(path, router)
            guard policy.hasPrefix("/") else { continue }
            accepted += 1
            var readers = [PathReader(steps: [], decodes: true)] + PathReader.latin1
            readers += PathReader.habits.map { PathReader(steps: [$0], decodes: true) }
            readers += (0..<12).map { _ in campaign.reader() }
            for reader in readers where reader.chosen(path, among: Self.paths) != policy {
                Issue.record("\(path) of \(policy): \(reader.name) reads \(reader.segments(path))")
            }
        }
        // The control: the campaign has paths that are accepted.
        #expect(accepted > Self.count / 12)
    }

    @Test("no path of ordinary applications is ambiguous") func ordinary() throws {
        let router = try Self.router(Self.paths + ["/api/v1", "/shop"])
        var campaign = PathCampaign(seed: 8)
        for round in 0..<(Self.count * 5) {
            let path = campaign.ordinary()
            let below = ["", "/api/v1", "/admin"][round % 3]
            #expect(Self.chosen(below + path, router) == (below.isEmpty ? "/" : below), "\(below + path)")
        }
    }
}
