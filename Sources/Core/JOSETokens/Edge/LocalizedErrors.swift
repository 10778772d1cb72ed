#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension TokenError: LocalizedError {
    /// The description, so that `localizedDescription` is it as well.
    public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
    /// The description, so that `localizedDescription` is it as well.
    public var errorDescription: String? { description }
}
