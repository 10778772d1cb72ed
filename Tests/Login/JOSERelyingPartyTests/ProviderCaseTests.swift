import Foundation
import JOSEMitID
import JOSEZenKey
import TestSupport
import Testing

/// Compares the cases of CASES.md with the names of the tests.
@Suite("Cases of the providers") struct ProviderCaseTests {
    private static func matches(_ pattern: String, in folder: String, _ ending: String) throws -> Set<String> {
        let folder = Repository.root.appending(path: folder)
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let expression = try Regex(pattern, as: (Substring, Substring).self)
        var found: Set<String> = []
        for path in paths where path.hasSuffix(ending) {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            // A test of several cases names each of them before its colon.
            for match in text.matches(of: expression) {
                for name in match.output.1.split(separator: ", ") { found.insert(String(name)) }
            }
        }
        return found
    }

    @Test("each case of CASES.md has a test that names it, and each named case is listed") func cases() throws {
        let listed = try Self.matches(
            #"\| ((?:itsme|ZenKey|CIBA|MitID|DigiD|Entra) case \d+) \|"#, in: "Tests/Login", "CASES.md")
        let named = try ["Tests/Login", "Tests/Command/AppLinksTests"].reduce(into: Set<String>()) { found, folder in
            try found.formUnion(
                Self.matches(
                    #"@Test\(\s*"((?:(?:, )?(?:itsme|ZenKey|CIBA|MitID|DigiD|Entra) case \d+)+):"#, in: folder, ".swift"
                ))
        }
        #expect(listed.symmetricDifference(named) == [] && listed.count == 191)
    }
}
