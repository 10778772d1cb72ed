import JOSE
import JOSESettings

extension Options {
    static let keyTables = Option(
        "key-tables", "COUNT", "P-256 and Ed25519 keys with a table of up to 300 KiB, for speed, 0 to 65536 (256)",
        integer(0...65_536))
}

extension KeyTables {
    /// Sets the limit that the arguments have, if any.
    static func apply(_ arguments: Arguments) throws(CommandFailure) {
        if let count = try arguments.value(Options.keyTables) { limit = count }
    }
}
