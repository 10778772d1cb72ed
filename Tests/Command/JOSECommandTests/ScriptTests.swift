import Foundation
import JOSE
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
}
