/// A level of assurance whose raw values are in the order of the levels.
package protocol RankedLevel: Comparable, RawRepresentable where RawValue == Int {}

extension RankedLevel {
    /// Returns whether `left` is a lower level than `right`.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
