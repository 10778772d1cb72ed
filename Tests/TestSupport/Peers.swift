internal import Foundation

/// The peers of other languages: the virtual environment of Python that `Tests/Scripts/peers.sh` makes.
package enum Peers {
    private static let environment = Repository.root.appending(path: ".build/peers")
    /// The interpreter of the environment.
    package static let python = environment.appending(path: "bin/python3").path
    /// Whether all peers are installed: the file exists that is written last.
    package static let areHere = FileManager.default.fileExists(atPath: environment.appending(path: "ready").path)

    /// Returns the path of a script of the peers.
    package static func script(_ name: String) -> String {
        Repository.tests.appending(path: "Interop/Peers/" + name).path
    }
}
