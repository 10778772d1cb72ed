import Foundation
import TestSupport
import Testing

/// Every Swift block of the README stands, line for line, in a file that is compiled: between `// README:` marks of
/// `ReadmeSamples.swift`, or as the manifest of a consumer package.
@Suite("README") struct ReadmeTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    private func lines(_ text: Substring) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test("holds only samples that are compiled") func samples() throws {
        let readme = try text("README.md")
        let compiled = try text("Tests/JOSETokensTests/Readme/ReadmeSamples.swift")
        let regions = compiled.components(separatedBy: "// README: ").dropFirst().map { region in
            lines(region.drop { $0 != "\n" })
        }
        let consumer = lines(Substring(try text("Tests/Consumers/ByURL/Package.swift")))
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst().map {
            lines(Substring($0.components(separatedBy: "```")[0]))
        }
        #expect(blocks.count >= 4)
        for block in blocks {
            // Only the address and the version differ from the package that the tests build by URL.
            let isManifestLine =
                block.count == 1 && block[0].hasPrefix(".package(url: ")
                && consumer.contains { $0.contains(".package(url: ") && $0.contains(", from: ") }
            #expect(regions.contains(block) || isManifestLine, "\(block.first ?? "")")
        }
    }

    @Test("names only make targets that exist") func targets() throws {
        let makefile = try text("Makefile")
        for word in try text("README.md").components(separatedBy: "`make ").dropFirst() {
            let target = word.prefix { $0.isLetter || $0 == "-" }
            #expect(makefile.contains("\n\(target):"), "make \(target)")
        }
    }
}
