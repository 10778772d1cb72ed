import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A run of `bulla` with its peak memory and time.
struct Spawned {
    let status: Int32
    /// The peak memory in bytes.
    let memory: Int

    /// Runs `bulla`.
    ///
    /// - Parameters:
    ///   - input: The file for standard input.
    ///   - output: The file for standard output.
    init(_ arguments: [String], input: String, output: String = "/dev/null") throws {
        guard let tool = builtTool("bulla") else { throw Script.Complaint(description: "bulla is not built") }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([tool] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        #if canImport(Darwin)
            let environment = unsafe _NSGetEnviron().pointee
        #else
            let environment = unsafe environ
        #endif
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, tool, &actions, nil, &words, environment) == 0 else {
            throw Script.Complaint(description: "\(tool) does not start")
        }
        var ended: Int32 = 0
        var usage = rusage()
        while unsafe wait4(process, &ended, 0, &usage) < 0, errno == EINTR {}
        status = ended & 0x7F == 0 ? ended >> 8 & 0xFF : -(ended & 0x7F)
        #if canImport(Darwin)
            memory = usage.ru_maxrss
        #else
            memory = usage.ru_maxrss * 1024
        #endif
    }
}
