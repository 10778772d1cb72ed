import Foundation
import TestSupport
import Testing

/// Checks of the sources that no lock is held during a wait for the network. `Mutex.withLock` takes a closure that cannot
/// suspend, so it suffices that there is no other lock and nothing else that blocks.
@Suite("Locks of the key sets") struct LockTests {
    private static let root = Repository.root

    private static let blocking =
        #"\b(NS\w*Lock|NSCondition\w*|DispatchSemaphore|DispatchGroup|DispatchWorkItem|pthread_\w+|os_unfair_lock\w*|sem_wait|(poll|select|usleep)\s*\(|sleep\(\d)|\.sync\s*[({]"#

    private func sources(_ folder: String) throws -> [(name: String, code: String)] {
        let start = Self.root.appending(path: "Sources/\(folder)")
        let paths = FileManager.default.enumerator(atPath: start.path)?.compactMap { $0 as? String } ?? []
        try #require(!paths.isEmpty, "no folder \(folder)")
        return try paths.filter { $0.hasSuffix(".swift") }.map { path in
            let text = try String(contentsOf: start.appending(path: path), encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let code = lines.map { line in line.range(of: "//").map { line[..<$0.lowerBound] } ?? line }
            return (path, code.joined(separator: "\n"))
        }
    }

    @Test("the path from a token to its key uses no lock but Mutex, and no blocking call") func mutexAlone()
        throws
    {
        let word = try Regex(Self.blocking)
        #expect("DispatchSemaphore(value: 0)".contains(word) && "lock = NSLock()".contains(word))
        #expect("poll(&descriptors, 1, 0)".contains(word))
        #expect(!"Mutex(0)".contains(word) && !"selectively disclosable".contains(word))
        var locks = 0
        for folder in ["KeySets/JOSEKeySets", "KeySets/JOSEFetch", "Core/JOSE", "Core/JOSETokens"] {
            for source in try sources(folder) {
                #expect(!source.code.contains(word), "\(folder)/\(source.name)")
                locks += source.code.ranges(of: ".withLock").count
            }
        }
        #expect(locks > 10)
    }

    @Test("a verifier imports neither the remote key sets nor the transport") func layers() throws {
        let imports = try Regex(#"import (JOSEKeySets|JOSEFetch)\b"#)
        #expect("public import JOSEKeySets".contains(imports))
        for source in try sources("Core/JOSE") + sources("Core/JOSETokens") {
            #expect(!source.code.contains(imports), "\(source.name)")
        }
        // The key sets do not import our transport, but only use the protocol.
        for source in try sources("KeySets/JOSEKeySets") {
            #expect(!source.code.contains("import JOSEFetch"), "\(source.name)")
        }
    }
}
