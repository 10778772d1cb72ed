import Foundation
import TestSupport
import Testing

/// Compares the tables of SOURCE-DOCUMENTS.md, whose last column names a test, with the tests that exist.
@Suite("Tests that documents name") struct NamedTestTests {
    /// A row of a table, with the heading of its section.
    private struct Row {
        let section: String
        let cells: [String]

        /// The suite and the function that the last cell names; nil for a cell of another form.
        var test: String? { cells.last?.wholeMatch(of: /`(\w+\.\w+)`/).map { String($0.output.1) } }
        /// Whether the row has no test.
        var hasNoTest: Bool { cells.last == "–" }
        /// Whether the row states why it has no test.
        var statesWhy: Bool {
            guard cells.count > 1 else { return false }
            return cells[cells.count - 2].hasPrefix("Duty of the ")
        }
    }

    private static func document() throws -> String {
        let file = Repository.root.appending(path: "Tests/Login/SOURCE-DOCUMENTS.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Returns the rows of all tables of a text whose header begins with `header`.
    private static func rows(of text: String, under header: String) -> [Row] {
        var rows: [Row] = []
        var (section, isInTable) = ("", false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            if !line.hasPrefix("|") {
                isInTable = false
            } else if line.hasPrefix(header) {
                isInTable = true
            } else if isInTable, !line.hasPrefix("|---") {
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                rows.append(Row(section: section, cells: cells))
            }
        }
        return rows
    }

    /// Returns the tests that exist, each as its suite and its function.
    private static func tests() throws -> Set<String> {
        let citations = try Regex(
            #"(@Test[(\s])|\bstruct (\w+Tests)\b|\bfunc (\w+)\("#,
            as: (Substring, Substring?, Substring?, Substring?).self)
        var found: Set<String> = []
        for folder in ["Tests/Login", "Tests/Command/AppLinksTests", "Tests/Command/JOSESandboxTests"] {
            let folder = Repository.root.appending(path: folder)
            let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                var (suite, isTest) = ("", false)
                for match in text.matches(of: citations) {
                    if match.output.1 != nil { isTest = true }
                    if let name = match.output.2 { suite = String(name) }
                    guard let name = match.output.3, isTest else { continue }
                    found.insert("\(suite).\(name)")
                    isTest = false
                }
            }
        }
        return found
    }

    /// Returns the first cells of the rows that name no existing test. Where a row may have no test, it must state why.
    private static func faults(_ rows: [Row], mayHaveNoTest: Bool) throws -> [String] {
        let tests = try Self.tests()
        let faulty = rows.filter { row in
            if row.hasNoTest { return !mayHaveNoTest || !row.statesWhy }
            return row.test.map { !tests.contains($0) } ?? true
        }
        return faulty.map { $0.cells.first ?? "" }
    }

    @Test("each function of DigiD names a test that exists") func digiD() throws {
        let rows = Self.rows(of: try Self.document(), under: "| function of DigiD")
        #expect(rows.count == 20)
        #expect(try Self.faults(rows, mayHaveNoTest: false) == [])
    }

    /// The least number of rows of each source document.
    private static let sourceDocuments = [
        "itsme, first generation": 52, "itsme, second generation": 36, "DigiD, from app to app": 20, "ZenKey": 35,
        "MitID, with a switch of apps": 21,
    ]

    @Test("each requirement of a source document names a test that exists, or whose duty it is, and none is lost")
    func requirements() throws {
        let rows = Self.rows(of: try Self.document(), under: "| the document requires of the service | how | test |")
        let counts = Dictionary(grouping: rows, by: \.section).mapValues(\.count)
        #expect(Set(counts.keys) == Set(Self.sourceDocuments.keys))
        for (document, least) in Self.sourceDocuments { #expect(counts[document] ?? 0 >= least, "\(document)") }
        for row in rows { #expect(row.cells.count == 3 && row.cells.allSatisfy { !$0.isEmpty }, "\(row.cells)") }
        #expect(try Self.faults(rows, mayHaveNoTest: true) == [])
    }

    @Test("an invented test, a cell of another form and a row that does not state why it has no test are found")
    func controls() throws {
        let text = """
            ## A section

            | requirement | how | test |
            |---|---|---|
            | right | Always. | `NamedTestTests.controls` |
            | no function | Always. | `NamedTestTests.invented` |
            | no suite | Always. | `InventedTests.controls` |
            | no test | Always. | `NamedTestTests.tests` |
            | other form | Always. | NamedTestTests.controls |
            | empty | Always. | |
            | duty | Duty of the app. | – |
            | no reason | Always. | – |

            | another table |
            |---|
            | of another kind |
            """
        let rows = Self.rows(of: text, under: "| requirement |")
        #expect(rows.count == 8 && rows.allSatisfy { $0.section == "A section" && $0.cells.count == 3 })
        let wrong = ["no function", "no suite", "no test", "other form", "empty"]
        #expect(try Self.faults(rows, mayHaveNoTest: true) == wrong + ["no reason"])
        #expect(try Self.faults(rows, mayHaveNoTest: false) == wrong + ["duty", "no reason"])
    }
}
