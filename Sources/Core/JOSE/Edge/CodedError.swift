#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reason why an operation failed, with a code for programs, and a description and a remedy for people. They
/// contain nothing of a token or a key, so that they are safe to log.
public protocol CodedReason: CustomStringConvertible, Sendable {
    /// A stable identifier of the reason for logs, metrics and programs in other languages. The article "Error codes"
    /// of `JOSETokens` lists all identifiers.
    ///
    /// A reason that contains another one has the code of that one. A reason that lists several has the code of the
    /// first.
    var code: String { get }
    /// A description of how to correct the failure, for developers and operators.
    var remedy: String { get }
}

/// An error with a code, a description of one line and a remedy. All public errors of the package conform, so that one
/// `catch` can log any of them.
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
