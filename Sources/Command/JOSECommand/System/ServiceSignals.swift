#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The signals of a command that runs as a service, beside those of `Signals`.
enum ServiceSignals {
    /// Ignores SIGPIPE: a client that closes its connection ends no service.
    static func ignoreClosedConnections() { signal(SIGPIPE, SIG_IGN) }

    /// Returns whether SIGHUP has arrived since the last call.
    static func takeReload() -> Bool {
        var pending = sigset_t()
        guard unsafe sigpending(&pending) == 0, unsafe sigismember(&pending, SIGHUP) == 1 else { return false }
        var set = hangUp()
        var number: Int32 = 0
        return unsafe sigwait(&set, &number) == 0
    }

    private static func hangUp() -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGHUP)
        return set
    }
}
