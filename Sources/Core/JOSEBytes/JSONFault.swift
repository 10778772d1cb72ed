/// Why a text is not the JSON that we take, and where: the offset of the first byte that cannot stand, or the text's
/// length where more of it was needed.
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
    /// Containers inside one another, the outermost counted.
    package var depth: Int
    /// Members of any one object.
    package var members: Int

    package init(depth: Int = 32, members: Int = 1_000) {
        self.depth = depth
        self.members = members
    }

    /// For text that was scanned before.
    static let none = JSONLimits(depth: .max, members: .max)
}
