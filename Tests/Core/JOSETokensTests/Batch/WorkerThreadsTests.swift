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
        let begun = Atomic(0)
    }

    @Test("a job is not delayed by a busy thread while another thread may be started")
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

    @Test("no thread is started for a job that an idle thread will take") func idle() async throws {
        let seen = Seen()
        // The first thread alone begins, so that the second one stays idle.
        let threads = WorkerThreads(3) { body in
            if seen.begun.add(1, ordering: .relaxed).oldValue == 0 { Thread.detachNewThread(body) }
            return true
        }
        threads.run {
            seen.isHeld.store(true, ordering: .releasing)
            while !seen.isOver.load(ordering: .acquiring) { usleep(1000) }
        }
        try await until { seen.isHeld.load(ordering: .acquiring) }
        // A second thread is started for this job, which the first one takes once it is free.
        let isDone = Seen()
        threads.run {
            seen.ran.add(1, ordering: .relaxed)
            while !isDone.isOver.load(ordering: .acquiring) { usleep(1000) }
        }
        #expect(seen.begun.load(ordering: .relaxed) == 2)
        seen.isOver.store(true, ordering: .releasing)
        try await until { seen.ran.load(ordering: .relaxed) == 1 }
        threads.run { seen.ran.add(1, ordering: .relaxed) }
        #expect(seen.begun.load(ordering: .relaxed) == 2)
        isDone.isOver.store(true, ordering: .releasing)
        try await until { seen.ran.load(ordering: .relaxed) == 2 }
        #expect(seen.ran.load(ordering: .relaxed) == 2)
    }

    @Test("no more threads are started than there may be, however many jobs wait") func most() {
        for count in 1...3 {
            let seen = Seen()
            // The threads are counted, and run nothing.
            let threads = WorkerThreads(count) { _ in
                seen.begun.add(1, ordering: .relaxed)
                return true
            }
            for number in 1...10 {
                threads.run {}
                #expect(seen.begun.load(ordering: .relaxed) == min(number, count))
            }
        }
    }

    @Test("if no thread can be started, the caller runs its job and the jobs that it adds")
    func none() {
        let seen = Seen()
        let threads = WorkerThreads(2) { _ in
            seen.begun.add(1, ordering: .relaxed)
            return false
        }
        for number in 1...3 {
            threads.run {
                seen.ran.add(1, ordering: .relaxed)
                threads.run { seen.ran.add(1, ordering: .relaxed) }
            }
            #expect(seen.ran.load(ordering: .relaxed) == 2 * number)
        }
        #expect(seen.begun.load(ordering: .relaxed) >= 3)
    }

    @Test("if only one of two threads can be started, it runs all jobs") func one() async throws {
        let seen = Seen()
        let threads = WorkerThreads(2) { body in
            // The first alone is begun.
            guard seen.begun.add(1, ordering: .relaxed).oldValue == 0 else { return false }
            Thread.detachNewThread(body)
            return true
        }
        for _ in 0..<20 {
            threads.run {
                seen.ran.add(1, ordering: .relaxed)
                threads.run { seen.ran.add(1, ordering: .relaxed) }
            }
        }
        try await until { seen.ran.load(ordering: .relaxed) == 40 }
        #expect(seen.ran.load(ordering: .relaxed) == 40)
    }

    /// The thread that this is called on.
    private static func thread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

    @Test("a task that prefers a pool runs on its threads, after each wait too, and each thread is prepared once")
    func executor() async {
        let prepared = Mutex<[ObjectIdentifier]>([])
        let threads = WorkerThreads(2) { body in
            Thread.detachNewThread {
                prepared.withLock { $0.append(Self.thread()) }
                body()
            }
            return true
        }
        let used = await withTaskGroup(of: Set<ObjectIdentifier>.self) { group in
            for _ in 0..<40 {
                group.addTask(executorPreference: threads) {
                    var used = Set([Self.thread()])
                    for _ in 0..<3 {
                        try? await Task.sleep(for: .milliseconds(1))
                        used.insert(Self.thread())
                    }
                    return used
                }
            }
            var used: Set<ObjectIdentifier> = []
            for await some in group { used.formUnion(some) }
            return used
        }
        let known = prepared.withLock { $0 }
        #expect(!used.isEmpty && used.isSubset(of: known))
        #expect(known.count <= 2 && Set(known).count == known.count)
        // Without the preference it is another thread.
        let other = await Task.detached { Self.thread() }.value
        #expect(!known.contains(other))
    }
}
