#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// SIGINT and SIGTERM as the ordinary end of a command that has none of its own.
enum Signals {
    /// To be called before any thread is there: those that begin later take over what is held back.
    static func holdBack() {
        var set = held()
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Whether one has come since.
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
        var rest = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        unsafe nanosleep(&rest, nil)
    }
}
