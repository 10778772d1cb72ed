package import Foundation

/// The folders of the repository, found from the path of this file, for tests that read its documents or run its scripts.
package enum Repository {
    /// The top folder.
    package static let root = tests.deletingLastPathComponent()
    /// The folder `Tests`.
    package static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
}
