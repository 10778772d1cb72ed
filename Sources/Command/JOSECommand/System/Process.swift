internal import JOSEBytes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// This process, as the system sees it.
enum Process {
    /// What a shell shows of a command that a closed pipe ended.
    static let closedPipe: Int32 = 141

    /// A reader that goes away ends the command as it does any other, even if whoever started it had that turned off.
    static func endQuietlyOnClosedPipe() { signal(SIGPIPE, SIG_DFL) }

    static func end(_ status: ExitStatus) -> Never { exit(status.rawValue) }

    /// While threads may be at work: nothing is cleaned up under their feet.
    static func endAtOnce(_ status: Int32) -> Never { _exit(status) }

    /// The text of the last system call's failure.
    static func fault() -> String { unsafe String(cString: strerror(errno)) }

    static var cores: Int { DetachedThread.processors }
}
