#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reason why an operation failed, with a code for programs, and a description and a remedy for people. All three
/// are safe to log.
public protocol CodedReason: CustomStringConvertible, Sendable {
    /// A stable identifier of the reason for logs, metrics and programs in other languages. The article "Error codes"
    /// of `JOSETokens` lists all identifiers.
    ///
    /// An error that wraps the failure of a layer, a claim or a transport has the code of that failure, and one that
    /// lists several failures has the code of the first.
    var code: String { get }
    /// A description of how to correct the failure, for developers and operators.
    var remedy: String { get }
}

/// An error with a code, a description of one line and a remedy.
///
/// The errors of all modules conform, so that one `catch let error as any CodedError` can log any of them.
public protocol CodedError: CodedReason, LocalizedError {
    /// A Boolean value that indicates whether the same call may succeed later, without a change of the input, the
    /// configuration or the keys that were given.
    var isRetryable: Bool { get }
}

// All requirements of `LocalizedError` are here, so that files of the conforming types need not import Foundation.
extension CodedError {
    /// The description, so that `localizedDescription` is it as well.
    public var errorDescription: String? { description }
    /// The remedy.
    public var recoverySuggestion: String? { remedy }
    /// The value is nil, because the description states the reason.
    public var failureReason: String? { nil }
    /// The value is nil.
    public var helpAnchor: String? { nil }
}
