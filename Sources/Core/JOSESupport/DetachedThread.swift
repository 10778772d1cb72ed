internal import CJOSEBytes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A system thread for work that would block the few threads that tasks share.
package enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread that nobody joins. It returns false where the system has no thread to give.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
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

    /// Stops this thread, exactly to the microsecond as far as the system can.
    package static func sleep(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        guard seconds >= 0, attoseconds >= 0 else { return }
        cjose_clock_sleep(UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
    }

    /// The number of processors on which this thread may run: those of its affinity, where the system has one.
    package static var processors: Int { Int(cjose_processors()) }
}
