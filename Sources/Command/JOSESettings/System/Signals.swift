#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The signals that do not end a command, because it looks for them and finishes what it began.
package enum BlockedSignals: Sendable {
    /// No signal: the command ends at once.
    case none
    /// SIGTERM, after which a stream ends with an answer to each line that was read.
    case termination
    /// SIGINT and SIGTERM, which are the ordinary end of a command that runs until it is interrupted.
    case ends
    /// SIGINT, SIGTERM, and SIGHUP, after which a service reads its configuration again.
    case service

    fileprivate var numbers: [Int32] {
        switch self {
        case .none: []
        case .termination: [SIGTERM]
        case .ends: [SIGINT, SIGTERM]
        case .service: [SIGINT, SIGTERM, SIGHUP]
        }
    }
}

/// The signals that the process is sent.
package enum Signals {
    /// The mask that the process was started with. The first use blocks the signals of every command.
    private static let inherited: sigset_t = {
        var (all, old) = (set(of: BlockedSignals.service.numbers), sigset_t())
        unsafe pthread_sigmask(SIG_BLOCK, &all, &old)
        return old
    }()

    /// Blocks the signals of every command, until it is known which command this is. It must be called first of all in
    /// the process: a signal that arrives before ends it, and later threads inherit the mask.
    package static func blockAtStart() { _ = inherited }

    /// Lets all signals but `blocked` end the process, also those that have arrived, unless the process was started
    /// with them blocked. It must be called before any thread starts.
    package static func unblock(allBut blocked: BlockedSignals) {
        var mask = inherited
        for number in blocked.numbers { unsafe sigaddset(&mask, number) }
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    /// Lets SIGTERM end the process again, also one that has arrived.
    package static func unblockTermination() {
        var set = set(of: BlockedSignals.termination.numbers)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Whether SIGTERM has arrived and is blocked.
    package static var isTerminationPending: Bool { hasArrived(SIGTERM) ?? false }

    /// Ignores SIGPIPE: a client that closes its connection ends no service.
    package static func ignoreClosedConnections() { signal(SIGPIPE, SIG_IGN) }

    /// Returns whether SIGHUP has arrived since the last call.
    package static func takeReload() -> Bool {
        guard hasArrived(SIGHUP) ?? false else { return false }
        var (hangUp, number) = (set(of: [SIGHUP]), Int32(0))
        return unsafe sigwait(&hangUp, &number) == 0
    }

    private static func set(of numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        return set
    }

    /// Whether one of the signals has arrived.
    package static var isEndWanted: Bool { hasArrived(SIGINT, SIGTERM) ?? true }

    /// Returns whether one of the blocked signals has arrived, or nil if the system does not tell.
    private static func hasArrived(_ numbers: Int32...) -> Bool? {
        var pending = sigset_t()
        guard unsafe sigpending(&pending) == 0 else { return nil }
        return numbers.contains { unsafe sigismember(&pending, $0) == 1 }
    }
}

extension Descriptor {
    /// Waits until there is something to read, or the end of the input. Returns false if SIGTERM has arrived, which
    /// must be blocked.
    package func waitUnlessTerminated() -> Bool {
        var descriptor = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while !Signals.isTerminationPending {
            // A pending signal does not end the call, because it is blocked.
            if unsafe poll(&descriptor, 1, 100) != 0 { return !Signals.isTerminationPending }
        }
        return false
    }
}

extension Process {
    package static func sleep(milliseconds: Int) {
        usleep(UInt32(milliseconds) * 1_000)
    }
}
