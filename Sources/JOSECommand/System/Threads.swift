#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Threads of our own, and not tasks: one of them blocks in `read` for as long as a stream is silent.
enum Threads {
    /// Runs `body` on `count` threads and `main` on this one; comes back when all of them have.
    static func run<Failure: Error>(
        _ count: Int, _ body: @escaping @Sendable () -> Void, while main: () throws(Failure) -> Void
    ) throws(Failure) {
        let running = Monitor(0)
        var started = 0
        for _ in 0..<count {
            running.change { $0 += 1 }
            let begun = start {
                body()
                running.change { $0 -= 1 }
            }
            if begun { started += 1 } else { running.change { $0 -= 1 } }
        }
        guard started > 0 else {
            Output.complain("bulla: cannot start a thread")
            Process.endAtOnce(ExitStatus.unusable.rawValue)
        }
        defer { running.wait { $0 == 0 ? () : nil } }
        try main()
    }

    /// Works through `0..<count` in steps of `step`, on `jobs` threads.
    static func each(
        _ count: Int, step: Int, jobs: Int, _ body: @escaping @Sendable (Range<Int>) -> Void
    ) {
        let next = Monitor(0)
        run(jobs) {
            while true {
                let start = next.change { place in
                    defer { place += step }
                    return place
                }
                guard start < count else { return }
                body(start..<min(count, start + step))
            }
        } while: {
        }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Detached: where a write fails the process ends from one of them, and nobody is left to join the others. False where
    /// the system has none to give.
    private static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let context = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        #if canImport(Darwin)
            var made: pthread_t?
            let failure = unsafe pthread_create(
                &made, nil,
                { context in
                    unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                    return nil
                }, context)
        #else
            var made = pthread_t()
            let failure = unsafe pthread_create(
                &made, nil,
                { context in
                    if let context = unsafe context {
                        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                    }
                    return nil
                }, context)
        #endif
        guard failure == 0 else {
            unsafe Unmanaged<Body>.fromOpaque(context).release()
            return false
        }
        #if canImport(Darwin)
            if let made = unsafe made { _ = unsafe pthread_detach(made) }
        #else
            _ = pthread_detach(made)
        #endif
        return true
    }
}
