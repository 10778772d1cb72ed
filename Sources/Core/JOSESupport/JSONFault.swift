/// The reason why a text is not accepted as JSON, and the offset of the first byte that is not allowed, or the text's
/// length where the text ends too early.
package struct JSONFault: Error, Equatable, Sendable {
    package enum Reason: UInt8, Sendable {
        case notAnObject, notAnArray
        case syntax, badUTF8, controlCharacter, loneSurrogate, badEscape, trailingText
        case duplicateName, numberOutOfRange
        case tooDeep, tooManyMembers, tooLong
    }

    package let reason: Reason
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

package struct JSONLimits: Sendable {
    /// The largest number of nested containers, including the outermost.
    package var depth: Int
    /// The largest number of members of an object.
    package var members: Int

    package init(depth: Int = 32, members: Int = 1_000) {
        self.depth = depth
        self.members = members
    }

    /// No limits, for text that was scanned before.
    static let none = JSONLimits(depth: .max, members: .max)
}
