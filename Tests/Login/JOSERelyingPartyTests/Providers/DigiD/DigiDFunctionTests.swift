import Foundation
import TestSupport
import Testing

/// Compares the table of functions in the article about DigiD with the tests that it names.
@Suite("Functions of DigiD") struct DigiDFunctionTests {
    private static let article = "Sources/Login/JOSESAML/JOSESAML.docc/LoggingInWithDigiD.md"

    /// Returns the tests that exist, each as its suite and its function.
    private static func tests() throws -> Set<String> {
        let folder = Repository.root.appending(path: "Tests/Login")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let places = try Regex(
            #"(@Test\b)|\bstruct (\w+Tests)\b|\bfunc (\w+)\("#, as: (Substring, Substring?, Substring?, Substring?).self
        )
        var found: Set<String> = []
        for path in paths where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            var (suite, isTest) = ("", false)
            for match in text.matches(of: places) {
                if match.output.1 != nil { isTest = true }
                if let name = match.output.2 { suite = String(name) }
                guard let name = match.output.3, isTest else { continue }
                found.insert("\(suite).\(name)")
                isTest = false
            }
        }
        return found
    }

    @Test("each row of the table of functions names a test that exists") func table() throws {
        let text = try String(contentsOf: Repository.root.appending(path: Self.article), encoding: .utf8)
        let rows = text.split(separator: "\n").drop { !$0.hasPrefix("| function of DigiD") }.dropFirst(2)
            .prefix { $0.hasPrefix("|") }
        #expect(rows.count == 20)
        let tests = try Self.tests()
        for row in rows {
            let name = try #require(row.firstMatch(of: /\| `(\w+\.\w+)` \|$/), "\(row)").output.1
            #expect(tests.contains(String(name)), "\(name)")
        }
        #expect(!tests.contains("DigiDLoginTests.none"))
    }
}
