#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The signals of a command that runs as a service, beside those of `Signals`.
enum ServiceSignals {
    /// Blocks SIGHUP, and ignores SIGPIPE: a client that closes its connection ends no service. It must be called before any
    /// thread starts.
    static func holdBack() {
        Signals.holdBack()
        signal(SIGPIPE, SIG_IGN)
        var set = hangUp()
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

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
