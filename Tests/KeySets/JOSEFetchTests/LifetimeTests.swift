#if HTTP
    import Foundation
    import JOSEFetch
    import JOSEKeySets
    import TestSupport
    import Testing

    @Suite("Lifetime of the transport") struct LifetimeTests {
        private let fetching: Fetching
        private let server: FaultServer
        init() throws {
            fetching = try Fetching()
            server = fetching.server
            // The response is slow, so that the server notices that nobody reads.
            let never = FaultServer.Answer("") {
                $0.dripHeaders = 100
                $0.dripBody = 100
            }
            try server.answer("/never", never.filled(1000))
            try server.answer("/now", .init("x"))
        }

        /// The shortest of three durations, because a busy machine may delay any of them.
        private func quickest(_ body: (OwnThread) async throws -> Duration) async throws -> Duration {
            let thread = OwnThread()
            return try await withTaskExecutorPreference(thread) {
                var best = try await body(thread)
                for _ in 0..<2 where best >= .seconds(3) { best = min(best, try await body(thread)) }
                return best
            }
        }

        @Test("K22: a cancelled request fails at once, and its connection is closed")
        func cancellation() async throws {
            let transport = try fetching.transport()
            let took = try await quickest { thread in
                let port = try server.listen(.https)
                let url = fetching.url("/never", port: port)
                let task = Task(executorPreference: thread) { await transport.error(url) }
                while try server.traffic(port: port).open == 0 { try await Task.sleep(for: .milliseconds(5)) }
                let began = ContinuousClock.now
                task.cancel()
                #expect(await task.value == .cancelled)
                let took = ContinuousClock.now - began
                #expect(try await fetching.isDeserted(port: port))
                return took
            }
            #expect(took < .seconds(3))
            // A request that is cancelled before it begins is not sent.
            try server.answer("/early", .init("x"))
            let early = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await transport.error(fetching.url("/early"))
            }
            #expect(await early.value == .cancelled)
            #expect(try server.seen("/early").requests == 0)
            #expect(await transport.status(fetching.url("/early")) == 200)
        }

        @Test("K22: shutdown ends requests in progress within a second, and later requests fail")
        func shutdown() async throws {
            let took = try await quickest { thread in
                let transport = try fetching.transport()
                let port = try server.listen(.https)
                let hole = try server.listen(.blackHole)
                let tasks = (0..<20).map { number in
                    Task(executorPreference: thread) {
                        await transport.error(fetching.url("/never", port: number < 4 ? hole : port))
                    }
                }
                while try server.traffic(port: port).open < 8 { try await Task.sleep(for: .milliseconds(5)) }
                let began = ContinuousClock.now
                transport.shutdown()
                for task in tasks { #expect(await task.value == .closed) }
                let took = ContinuousClock.now - began
                #expect(try await fetching.isDeserted(port: port))
                transport.shutdown()
                #expect(await transport.error(fetching.url("/now")) == .closed)
                return took
            }
            #expect(took < .seconds(3))
            #expect(await (try fetching.transport()).status(fetching.url("/now")) == 200)
        }

        @Test("a transport that is deallocated on its own thread ends without waiting for itself")
        func letGoInside() async throws {
            let port = try server.listen(.https)
            let url = fetching.url("/now", port: port)
            let (task, kept) = try Self.begin(fetching, url)
            let (status, name) = await task.value
            #expect(status == 200)
            for _ in 0..<30_000 where kept.transport != nil { try await Task.sleep(for: .milliseconds(10)) }
            #expect(kept.transport == nil)
            #if os(Linux)
                #expect(name == "bulla-fetch")
            #endif
            #expect(try await fetching.isDeserted(port: port))
        }

        private struct Kept: Sendable {
            weak let transport: CurlTransport?
        }

        /// Only the task retains the transport, and its end releases it.
        private static func begin(_ fetching: Fetching, _ url: String) throws -> (Task<(Int?, String), Never>, Kept) {
            let transport = try fetching.transport()
            let task = Task(executorPreference: Inline()) { (await transport.status(url), threadName()) }
            return (task, Kept(transport: transport))
        }

        @Test("each of many concurrent tasks receives its own response, or its cancellation")
        func many() async throws {
            let transport = try fetching.transport { $0.hostConnectionLimit = 4 }
            for number in 0..<50 { try server.answer("/many\(number)", .init("\(number)")) }
            let url = fetching.plainURL("")
            try await withThrowingTaskGroup(of: (Int, CurlTransport.Answer).self) { group in
                for number in 0..<200 {
                    group.addTask {
                        if number % 5 == 4 {
                            let task = Task { await transport.result("\(url)/many\(number % 50)") }
                            if number % 10 == 4 { await Task.yield() }
                            task.cancel()
                            return (number, await task.value)
                        }
                        return (number, await transport.result("\(url)/many\(number % 50)"))
                    }
                }
                for try await (number, answer) in group {
                    switch answer {
                    case .success(let response): #expect(response.body == Array("\(number % 50)".utf8))
                    case .failure(let error): #expect(error == .cancelled && number % 5 == 4, "\(number)")
                    }
                }
            }
        }

        @Test("a request that is cancelled while it waits for a connection delays no other")
        func turns() async throws {
            let transport = try fetching.transport { $0.hostConnectionLimit = 2 }
            for number in 0..<40 { try server.answer("/turn\(number)", .init("\(number)") { $0.delay = 5 }) }
            let url = fetching.plainURL("")
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let task = Task {
                            await transport.result("\(url)/turn\(number)") { $0.deadline = .seconds(20) }
                        }
                        if number % 4 != 0 {
                            for _ in 0..<number { await Task.yield() }
                            task.cancel()
                        }
                        switch await task.value {
                        case .success(let response): #expect(response.body == Array("\(number)".utf8))
                        case .failure(let error): #expect(error == .cancelled && number % 4 != 0, "\(number)")
                        }
                    }
                }
            }
            #expect(await transport.status("\(url)/turn0") == 200)
        }

        @Test("creating and deallocating transports from several threads leaves no thread running")
        func races() async throws {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<24 {
                    group.addTask {
                        guard let transport = try? fetching.transport() else { return }
                        await withTaskGroup(of: Void.self) { inner in
                            for _ in 0..<4 {
                                inner.addTask {
                                    let error = await transport.error(fetching.url("/never"))
                                    #expect(error == .closed, "\(number)")
                                }
                            }
                            for _ in 0..<3 { inner.addTask { transport.shutdown() } }
                        }
                    }
                }
            }
        }
    }

    /// An executor that runs a job where it is enqueued: after a response, on the thread of the transport.
    private final class Inline: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Returns the name of the current thread on Linux.
    private func threadName() -> String {
        (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))?.filter { $0 != "\n" } ?? ""
    }
#endif
