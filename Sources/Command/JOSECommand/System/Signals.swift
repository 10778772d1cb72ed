#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Treats SIGINT and SIGTERM as the ordinary end of a command that runs until it is interrupted.
enum Signals {
    /// Blocks the signals. It must be called before any thread starts, because later threads inherit the mask.
    static func holdBack() {
        var set = held()
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Whether one of the signals has arrived.
    static var isEndWanted: Bool {
        var pending = sigset_t()
        guard unsafe sigpending(&pending) == 0 else { return true }
        return unsafe sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1
    }

    private static func held() -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGINT)
        unsafe sigaddset(&set, SIGTERM)
        return set
    }
}

extension Process {
    static func sleep(milliseconds: Int) {
        usleep(UInt32(milliseconds) * 1_000)
    }
}
