/// A type whose `description` is the text of `summary`.
package protocol Described: CustomStringConvertible {
    /// The description of the value.
    var summary: String { get }
}

extension Described {
    /// A description of one line.
    public var description: String { summary }
}

/// A value whose description and mirror contain nothing secret or personal, so that it can be printed, interpolated and
/// dumped. By default its description is the name of its type.
package protocol Redacted: Described, CustomReflectable {
    /// The children of the mirror.
    var shownProperties: [(label: String, value: Any)] { get }
}

extension Redacted {
    /// The name of the type.
    package var summary: String { "\(Self.self)" }
    /// No properties, so that `dump(_:)` prints no content.
    package var shownProperties: [(label: String, value: Any)] { [] }
    /// A mirror of the properties that may be shown.
    public var customMirror: Mirror {
        let shown = shownProperties
        return Mirror(
            self, children: shown.map { (label: $0.label, value: $0.value) },
            displayStyle: shown.isEmpty ? nil : .struct)
    }
}
