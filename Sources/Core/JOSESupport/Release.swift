/// The package's name and version, for the command, its bill of materials, and `User-Agent`.
package enum Release {
    package static let version = "0.1.0"
}
