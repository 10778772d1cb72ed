import Foundation
import TestSupport
import Testing

/// Compares the table of known attacks in Tests/Security/THREATS.md with the names of the tests.
@Suite("The table of known attacks") struct RowTests {
    private static let root = Repository.root

    /// Returns the names of tests that begin with a row's number, with the number. Numbers of logins (D, R) may be
    /// anywhere in a name.
    private static func named(in text: String) throws -> [(row: String, name: String)] {
        let names = text.matches(of: try Regex(#"@Test\(\s*"([^"\n]*)""#, as: (Substring, Substring).self))
        let first = try Regex(#"^[A-Z]\d\d(?=[ :])"#, as: Substring.self)
        let anywhere = try Regex(#"\b[DR]\d\d\b"#, as: Substring.self)
        return names.flatMap { match -> [(row: String, name: String)] in
            let name = match.output.1
            var rows = name.matches(of: anywhere).map { String($0.output) }
            if let row = name.firstMatch(of: first)?.output, !rows.contains(String(row)) { rows.append(String(row)) }
            return rows.map { ($0, String(name.dropFirst(3))) }
        }
    }

    private static func tests() throws -> [(row: String, name: String)] {
        let folder = root.appending(path: "Tests")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".swift") && !$0.hasSuffix("/RowTests.swift") }.flatMap { path in
            try named(in: String(contentsOf: folder.appending(path: path), encoding: .utf8))
        }
    }

    /// Returns the rows of the table; `T03, T04` and `T22 to T25` stand for several.
    private static func tabled(in text: String) -> [String] {
        let lines = text.split(separator: "\n").filter { $0.prefixMatch(of: /\| [DGKRTX]\d\d/) != nil }
        return lines.flatMap { line -> [String] in
            let cell = line.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
            let ends = cell.split(separator: " to ").map { String($0) }
            guard ends.count == 2, let first = Int(ends[0].dropFirst()), let last = Int(ends[1].dropFirst())
            else { return cell.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
            return (first...last).map { cell.prefix(1) + ($0 < 10 ? "0" : "") + "\($0)" }
        }
    }

    @Test("every row of the table has a test, and every row that a test names is in the table")
    func sideBySide() throws {
        let tests = try Self.tests()
        let named = Set(tests.map(\.row)).filter { $0.first.map { "DGKRTX".contains($0) } ?? false }
        let table = try String(contentsOf: Self.root.appending(path: "Tests/Security/THREATS.md"), encoding: .utf8)
        #expect(Self.tabled(in: table).sorted() == named.sorted())
        #expect(named.count > 180 && tests.count > 130)
        // A name is more than the number of its row.
        for test in tests { #expect(test.name.split(separator: " ").count > 3, "\(test.row) \(test.name)") }
    }

    @Test("finds rows in names of tests and in the table") func control() throws {
        let source = "@Test(\"T01 alg none in any spelling is refused\")\n@Test(\n \"X02: more\", .enabled(if: true))"
        #expect(try Self.named(in: source).map(\.row) == ["T01", "X02"])
        #expect(try Self.named(in: "@Test(\"a case of theirs, R02 and D03\")").map(\.row) == ["R02", "D03"])
        #expect(try Self.named(in: "// T03 is not tested\nfunc T04() {}\n@Test(\"none of T05\")").isEmpty)
        #expect(
            Self.tabled(in: "| T01 | x |\n| T03, T04 | y |\n| X01 to X03 | z |\n|---|") == [
                "T01", "T03", "T04", "X01", "X02", "X03",
            ])
    }
}
