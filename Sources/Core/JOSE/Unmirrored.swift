/// A type whose mirror has no children, so that `dump` and string interpolation of a value that contains it print its
/// description, and none of its content.
package protocol Unmirrored: CustomReflectable {}

extension Unmirrored {
    public var customMirror: Mirror { Mirror(self, children: []) }
}
