#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension KeySetError: LocalizedError {
    /// The description, so that `localizedDescription` is it as well.
    public var errorDescription: String? { description }
}

extension TransportError: LocalizedError {
    /// The description, so that `localizedDescription` is it as well.
    public var errorDescription: String? { description }
}

extension DiscoveryFault: LocalizedError {
    /// The description, so that `localizedDescription` is it as well.
    public var errorDescription: String? { description }
}

extension SnapshotFault: LocalizedError {
    /// The description, so that `localizedDescription` is it as well.
    public var errorDescription: String? { description }
}

extension KeyRotationError: LocalizedError {
    /// The description, so that `localizedDescription` is it as well.
    public var errorDescription: String? { description }
}
