internal import JOSESupport

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension Process {
    /// The name by which the program was started, without a folder.
    static var name: String { CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "" }

    /// The exit status that a shell reports for a command that a closed pipe ended.
    package static let closedPipe: Int32 = 141

    /// Lets SIGPIPE end the process, as usual for a command, even if the parent process had it ignored.
    package static func endQuietlyOnClosedPipe() { signal(SIGPIPE, SIG_DFL) }

    package static func end(_ status: ExitStatus) -> Never { exit(status.rawValue) }

    /// Ends the process at once, without cleaning up what other threads may still use.
    package static func endAtOnce(_ status: Int32) -> Never { _exit(status) }

    /// The number of processors that this process may use: those of its affinity, and no more than the quota of its
    /// control groups.
    package static var cores: Int {
        let quota = ProcessorQuota.processors { path in try? Descriptor.contents(of: path, maximumBytes: 65_536) }
        return min(DetachedThread.processors, quota ?? .max)
    }
}
