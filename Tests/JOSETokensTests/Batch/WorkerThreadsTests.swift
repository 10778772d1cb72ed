import Foundation
import Synchronization
import TestSupport
import Testing

@testable import JOSETokens

@Suite("Threads of batches") struct WorkerThreadsTests {
    private final class Seen: Sendable {
        let isHeld = Atomic(false)
        let isOver = Atomic(false)
        let ran = Atomic(0)
    }

    @Test("a job that comes while a thread is busy does not wait for it, as long as there may be another thread")
    func busy() async throws {
        let threads = WorkerThreads(2)
        let seen = Seen()
        threads.run {
            seen.isHeld.store(true, ordering: .releasing)
            while !seen.isOver.load(ordering: .acquiring) { usleep(1000) }
        }
        try await until { seen.isHeld.load(ordering: .acquiring) }
        for _ in 0..<3 { threads.run { seen.ran.add(1, ordering: .relaxed) } }
        try await until { seen.ran.load(ordering: .relaxed) == 3 }
        #expect(seen.ran.load(ordering: .relaxed) == 3)
        seen.isOver.store(true, ordering: .releasing)
    }
}
