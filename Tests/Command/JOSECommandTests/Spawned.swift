import Foundation
import TestSupport

/// A run of `bulla` with its peak memory.
struct Spawned {
    let status: Int32
    /// The peak resident memory in bytes.
    let memory: Int

    /// Runs `bulla`.
    ///
    /// The peak that the system reports for a process includes that of the process which spawned it, until `exec`. The test
    /// process is large and grows while other tests run, so a small one in between spawns `bulla` and reports.
    ///
    /// - Parameters:
    ///   - input: The file for standard input.
    ///   - output: The file for standard output.
    init(_ arguments: [String], input: String, output: String = "/dev/null") throws {
        guard let tool = builtTool("bulla") else { throw Script.Complaint(description: "bulla is not built") }
        let report = try run("/usr/bin/env", ["python3", "-c", Self.script, input, output, tool] + arguments)
        let numbers = report.stdout.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard report.status == 0, numbers.count == 2, let status = Int32(exactly: numbers[0]) else {
            throw Script.Complaint(description: "\(tool) does not start: \(report.stderr)")
        }
        self.status = status
        #if canImport(Darwin)
            memory = numbers[1]
        #else
            memory = numbers[1] * 1024
        #endif
    }

    private static let script = """
        import resource, subprocess, sys
        with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as target:
            status = subprocess.call(sys.argv[3:], stdin=source, stdout=target, stderr=subprocess.DEVNULL)
        print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        """
}
