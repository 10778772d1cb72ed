import Foundation
import JOSE
import TestSupport
import Testing

@Suite("Scripts of commands with their expected output") struct ScriptTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts")

    static let names: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter { $0.hasSuffix(".txt") }
            .filter { $0 != "zip.txt" || EncryptionPolicy.compressionIsBuilt }
            .filter { !["keysets.txt", "logins.txt"].contains($0) || servesAndFetches }.sorted()
    }()

    private static var servesAndFetches: Bool {
        #if Server && HTTP
            true
        #else
            false
        #endif
    }

    @Test("the folder contains scripts") func found() { #expect(!Self.names.isEmpty) }

    @Test("each command of a script prints the expected output", arguments: names) func script(_ name: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        for complaint in try Script(text).run() { Issue.record("\(name), \(complaint)") }
    }

    /// The blocks of the page, in one folder. Those that need a network are left out.
    @Test("the commands of the page on using the command run as printed, in its order") func page() throws {
        let tool = try #require(builtTool("bulla"))
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let place = "Sources/Core/JOSETokens/JOSETokens.docc/UsingTheCommand.md"
        let page = try String(contentsOf: root.appending(path: place), encoding: .utf8)
        let blocks = page.components(separatedBy: "```sh\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        let local = blocks.filter { !$0.contains("--issuer ") }
        #expect(blocks.count == local.count + 1 && local.count > 2)
        let folder = try TemporaryFolder()
        let path = (tool as NSString).deletingLastPathComponent + ":/usr/bin:/bin"
        for block in local {
            let done = try run(
                "/bin/sh", ["-c", "cd '\(folder.url.path)'\nset -e\n" + block], environment: ["PATH": path])
            #expect(done.status == 0, "\(block)\(done.stderr)")
            // What a command prints follows it as a comment.
            let printed = block.split(separator: "\n").filter { $0.hasPrefix("# ") }.map { $0.dropFirst(2) + "\n" }
            #expect(printed.isEmpty || done.stdout == printed.joined(), "\(block)\(done.stdout)")
        }
    }
}
