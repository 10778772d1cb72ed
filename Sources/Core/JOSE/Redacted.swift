/// A value whose description and mirror contain nothing secret or personal, so that it can be printed, interpolated and
/// dumped. By default its description is the name of its type.
package protocol Redacted: CustomStringConvertible, CustomReflectable {}

extension Redacted {
    /// The name of the type.
    public var description: String { "\(Self.self)" }
    /// An empty mirror, so that `dump(_:)` prints no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
