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
        let started = (0..<count).compactMap { _ in Thread(body) }
        guard !started.isEmpty else {
            Output.complain("bulla: cannot start a thread")
            Process.endAtOnce(ExitStatus.unusable.rawValue)
        }
        defer { for thread in started { thread.join() } }
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
}

/// A thread that has begun.
@safe private struct Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    private let handle: pthread_t

    /// Nil where the system has none to give.
    init?(_ body: @escaping @Sendable () -> Void) {
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
            return nil
        }
        #if canImport(Darwin)
            guard let made = unsafe made else { return nil }
            unsafe handle = made
        #else
            handle = made
        #endif
    }

    func join() {
        #if canImport(Darwin)
            _ = unsafe pthread_join(handle, nil)
        #else
            _ = pthread_join(handle, nil)
        #endif
    }
}
