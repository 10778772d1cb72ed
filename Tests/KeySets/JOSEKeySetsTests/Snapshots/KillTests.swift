import Foundation
import JOSEKeySets
import TestSupport
import Testing

@Suite("Snapshots of a process that is killed") struct KillTests {
    @Test("K23: a process that is killed at any moment leaves a complete snapshot or none")
    func kill9() throws {
        // At least this many, and more until enough processes were killed before the end of a save: how often that happens depends on
        // the machine and its disk.
        let rounds = 100
        let most = 1000
        let writer = try #require(builtTool("TestProcess"))
        let source = "https://id.test/jwks"
        var (whole, interrupted, round) = (0, 0, 0)
        while round < rounds || interrupted <= 3 && round < most {
            defer { round += 1 }
            let temporary = try TemporaryFolder()
            let child = Process()
            child.executableURL = URL(filePath: writer)
            child.arguments = ["snapshots", temporary.url.path, source]
            child.standardError = FileHandle.nullDevice
            try child.run()
            // The delay counts from the first output of the process, and in every second round from its first snapshot, however slow
            // the machine and its disk are.
            let isAwaited: (String) -> Bool = round.isMultiple(of: 2) ? { !$0.hasSuffix(".tmp") } : { _ in true }
            let giveUp = ContinuousClock.now + .seconds(60)
            while try !FileManager.default.contentsOfDirectory(atPath: temporary.url.path).contains(where: isAwaited),
                ContinuousClock.now < giveUp
            {
                usleep(200)
            }
            usleep(UInt32.random(in: 0...10_000))
            #expect(kill(child.processIdentifier, SIGKILL) == 0)
            child.waitUntilExit()
            #expect(child.terminationReason == .uncaughtSignal && child.terminationStatus == SIGKILL, "round \(round)")
            let names = try FileManager.default.contentsOfDirectory(atPath: temporary.url.path)
            interrupted += names.contains { $0.hasSuffix(".tmp") } ? 1 : 0
            guard let found = try SnapshotFolder(path: temporary.url.path).load(source, bodyLimit: 65_536) else {
                continue
            }
            let saved = Int(found.fetchedAt)
            #expect(found.document.body.count == 1_000 + saved * 7_919 % 60_000, "round \(round)")
            #expect(found.document.body.allSatisfy { $0 == UInt8(ascii: "a") + UInt8(saved % 26) }, "round \(round)")
            whole += 1
        }
        // Some processes must have been killed after the first snapshot, and some while saving one; otherwise the test shows
        // nothing.
        #expect(whole > 10 && interrupted > 3, "\(whole) whole, \(interrupted) in the middle, of \(round)")
    }
}
