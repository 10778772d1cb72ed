#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension RelyingPartyError.Reason: LocalizedError {
    /// The name of the reason, so that `localizedDescription` is it as well.
    public var errorDescription: String? { "\(self)" }
}
