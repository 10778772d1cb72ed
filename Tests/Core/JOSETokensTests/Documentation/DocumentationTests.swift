import Foundation
import TestSupport
import Testing

/// Every Swift block of the README and of the articles is, line for line, in a file that is compiled and run: between
/// `// Sample:` marks beside this file, in an example or in `Tests/Consumers/Migrating`, as a whole file of
/// `Examples/basics`, or as the manifest of a consumer package. A block that begins with `// jwt-kit` or `// JWSETKit`
/// is of that library, and is in the article on migrating from it alone.
@Suite("Documentation") struct DocumentationTests {
    private static let root = Repository.root

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func paths(under folder: String, ending: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { $0.hasSuffix(ending) }.map { folder + "/" + $0 }.sorted()
    }

    private static func lines(_ text: Substring) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func documents() throws -> [String] {
        try ["README.md"] + paths(under: "Sources", ending: ".md")
    }

    /// Returns the samples by name.
    private static func samples() throws -> [String: [String]] {
        var samples: [String: [String]] = [:]
        let tests = try paths(under: "Tests", ending: "Samples.swift").filter { $0.contains("/Documentation/") }
        for path in try tests + examples() + paths(under: "Tests/Consumers/Migrating/Sources", ending: ".swift") {
            for region in try text(path).components(separatedBy: "// Sample: ").dropFirst() {
                let name = String(region.prefix { $0 != "\n" })
                guard name != "end" else { continue }
                #expect(samples[name] == nil, "two samples are called \(name)")
                samples[name] = lines(region.drop { $0 != "\n" })
            }
        }
        return samples
    }

    /// Returns the paths of the sources of the examples, without those that a build there has fetched.
    private static func examples() throws -> [String] {
        try paths(under: "Examples", ending: ".swift").filter { !$0.contains("/.build/") }
    }

    private static func blocks(_ document: String) -> [[String]] {
        document.components(separatedBy: "```swift\n").dropFirst().map {
            lines(Substring($0.components(separatedBy: "```")[0]))
        }
    }

    private static let foreign = ["// jwt-kit": "MigratingFromJWTKit.md", "// JWSETKit": "MigratingFromJWSETKit.md"]

    @Test("the documents contain only code that is compiled, and every compiled sample") func everySample() throws {
        let samples = try Self.samples()
        let manifest = Self.lines(Substring(try Self.text("Tests/Consumers/ByURL/Package.swift")))
        let files = try Self.examples().filter { $0.hasPrefix("Examples/basics/") }
            .map { Self.lines(Substring(try Self.text($0))) }
        let named = try #require(manifest.first { $0.hasPrefix(".package(url: ") })
        let dependency = try #require(named.components(separatedBy: ", traits: ").first)
        var unused = Set(samples.keys)
        var count = 0
        for path in try Self.documents() {
            for block in Self.blocks(try Self.text(path)) {
                count += 1
                if let article = Self.foreign[block.first ?? ""] {
                    #expect(path.hasSuffix("/" + article), "\(path): a sample of another library")
                }
                // The manifest is that of a package that the tests build, and a line may name other traits.
                let isManifest = block == manifest
                let isManifestLine = block.count == 1 && block[0].hasPrefix(dependency)
                let names = samples.filter { $0.value == block }.map(\.key)
                let isKnown = !names.isEmpty || isManifest || isManifestLine || files.contains(block)
                #expect(isKnown, "\(path): \(block.first ?? "")")
                unused.subtract(names)
            }
        }
        #expect(count > 30)
        #expect(unused.isEmpty, "in no document: \(unused.sorted())")
    }

    /// The documents for contributors.
    private static let contributors = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md"]

    @Test("files that ARCHITECTURE.md and CONTRIBUTING.md name exist in the repository") func files() throws {
        let folders = ["Sources/", "Tests/", "CShims/", "Benchmarks/", ".github/", ".ci/"]
        var count = 0
        for path in Self.contributors {
            // The odd pieces are code.
            for (place, piece) in try Self.text(path).components(separatedBy: "`").enumerated() where place % 2 == 1 {
                guard folders.contains(where: { piece.hasPrefix($0) }) else { continue }
                count += 1
                let file = Self.root.appending(path: piece).path
                #expect(FileManager.default.fileExists(atPath: file), "\(path): \(piece)")
            }
        }
        #expect(count > 50)
    }

    @Test("make targets that the documents name exist") func targets() throws {
        let makefile = try Self.text("Makefile")
        let others = ["SECURITY.md", "Tests/Security/THREATS.md", "CHANGELOG.md"]
        for path in try Self.documents() + Self.contributors + others {
            for word in try Self.text(path).components(separatedBy: "`make ").dropFirst() {
                let target = word.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
                #expect(makefile.contains("\n\(target):"), "\(path): make \(target)")
            }
        }
    }

    @Test("links in the documents of the top folder lead to files that exist") func links() throws {
        var count = 0
        for path in Self.contributors + ["README.md", "SECURITY.md"] {
            for piece in try Self.text(path).components(separatedBy: "](").dropFirst() {
                let target = piece.prefix { $0 != ")" }
                guard !target.hasPrefix("http"), !target.hasPrefix("#") else { continue }
                count += 1
                let file = Self.root.appending(path: String(target.prefix { $0 != "#" })).path
                #expect(FileManager.default.fileExists(atPath: file), "\(path): \(target)")
            }
        }
        #expect(count >= 2)
    }

    /// The lines of a document that are outside of its code blocks.
    private static func prose(_ path: String) throws -> [String] {
        try text(path).components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 0 }
            .flatMap { $0.element.components(separatedBy: "\n") }
    }

    @Test("articles are plain Markdown, whose links a forge can follow") func plainArticles() throws {
        var count = 0
        for path in try Self.paths(under: "Sources", ending: ".md") {
            let folder = Self.root.appending(path: path).deletingLastPathComponent()
            for line in try Self.prose(path) {
                #expect(!line.hasPrefix("@"), "\(path): a directive of DocC: \(line)")
                #expect(!line.contains(")-("), "\(path): a link with the parameter types of a symbol: \(line)")
                // Lists of topics are DocC's: it makes the navigation of them.
                let isLinked = line.contains("<doc:") && !line.hasPrefix("- <doc:")
                #expect(!isLinked, "\(path): a link of DocC, [title](Article.md) in its place: \(line)")
                for piece in line.components(separatedBy: "](").dropFirst() {
                    let target = String(piece.prefix { $0 != ")" })
                    guard !target.hasPrefix("https://") else { continue }
                    count += 1
                    // `make docs` makes links of DocC of names in the same folder alone.
                    let isFile = FileManager.default.fileExists(atPath: folder.appending(path: target).path)
                    #expect(isFile && !target.contains("/"), "\(path): \(target)")
                }
            }
        }
        #expect(count >= 10)
    }

    @Test("each article is on the front page of its module") func frontPages() throws {
        for path in try Self.paths(under: "Sources", ending: ".md") {
            let parts = path.split(separator: "/")
            let (group, module) = (parts[1], parts[2])
            let name = parts[4].dropLast(3)
            guard parts.count == 5, name != module else { continue }
            let page = try Self.text("Sources/\(group)/\(module)/\(module).docc/\(module).md")
            #expect(page.contains("- <doc:\(name)>"), "\(name)")
        }
    }
}
