package import Foundation

/// Runs a program to its end. Standard streams go through files, so neither side can block on a full pipe.
///
/// - Parameter tool: A path, or a name that is searched in `PATH`; a missing one ends with status 127.
package func run(
    _ tool: String, _ arguments: [String] = [], stdin: String = "", environment: [String: String] = [:]
) throws -> (status: Int32, stdout: String, stderr: String) {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }  // its end removes the files
    let input = folder.url.appending(path: "in")
    let output = folder.url.appending(path: "out")
    let errors = folder.url.appending(path: "err")
    try Data(stdin.utf8).write(to: input)
    try Data().write(to: output)
    try Data().write(to: errors)

    let process = Process()
    process.executableURL = URL(filePath: tool.contains("/") ? tool : "/usr/bin/env")
    process.arguments = tool.contains("/") ? arguments : [tool] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return (
        process.terminationStatus,
        String(decoding: try Data(contentsOf: output), as: UTF8.self),
        String(decoding: try Data(contentsOf: errors), as: UTF8.self)
    )
}

/// An empty folder that is removed with the value.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "bulla-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Returns the path of a program of this build, beside the test bundle; nil where the build did not make it.
package func builtTool(_ name: String) -> String? {
    var place = Bundle.main.executableURL?.deletingLastPathComponent()
    if let inner = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
        place = inner.bundleURL.deletingLastPathComponent()
    }
    guard let path = place?.appending(path: name).path, FileManager.default.isExecutableFile(atPath: path) else {
        return nil
    }
    return path
}
