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

    /// Blocks SIGTERM alone, so that a stream can end with an answer to each line that was read.
    static func holdBackTermination() {
        var set = termination()
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Lets SIGTERM end the process again, also one that has arrived.
    static func releaseTermination() {
        var set = termination()
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Whether SIGTERM has arrived and is blocked.
    static var isTerminationPending: Bool {
        var pending = sigset_t()
        guard unsafe sigpending(&pending) == 0 else { return false }
        return unsafe sigismember(&pending, SIGTERM) == 1
    }

    private static func termination() -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGTERM)
        return set
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

extension Descriptor {
    /// Waits until there is something to read, or the end of the input. Returns false if SIGTERM has arrived, which must be blocked.
    func waitUnlessTerminated() -> Bool {
        var place = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while !Signals.isTerminationPending {
            // A pending signal does not end the call, because it is blocked.
            if unsafe poll(&place, 1, 100) != 0 { return !Signals.isTerminationPending }
        }
        return false
    }
}

extension Process {
    static func sleep(milliseconds: Int) {
        usleep(UInt32(milliseconds) * 1_000)
    }
}
