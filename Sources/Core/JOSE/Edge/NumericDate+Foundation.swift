#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension NumericDate {
    /// Creates a NumericDate from a Foundation date.
    ///
    /// - Parameter date: The date. Its fraction of a second is preserved as exactly as a `Double` can represent it.
    public init(_ date: Date) { self.init(secondsSince1970: date.timeIntervalSince1970) }
}

extension Date {
    /// Creates a Foundation date from a NumericDate.
    ///
    /// - Parameter date: The NumericDate. Whole seconds are exact; a fraction may be rounded, because a `Date` stores
    ///   the seconds since 2001.
    public init(_ date: NumericDate) { self.init(timeIntervalSince1970: date.secondsSince1970) }
}
