package import Foundation

/// Where the repository is, found from the place of this file, for tests that read its documents or run its scripts.
package enum Repository {
    /// The top folder.
    package static let root = tests.deletingLastPathComponent()
    /// The folder `Tests`.
    package static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
}
