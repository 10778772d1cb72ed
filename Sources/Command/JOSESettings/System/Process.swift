#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// This process, as the operating system sees it.
package enum Process {
    /// Returns the description of the last error of a system call.
    package static func fault() -> String { unsafe String(cString: strerror(errno)) }
}
