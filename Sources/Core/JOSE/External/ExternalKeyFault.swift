/// A failure of a key outside the process.
@nonexhaustive public enum ExternalKeyFault: Equatable, Sendable {
    /// The external key threw an error, which the cause contains. Descriptions leave it out.
    case failed(ExternalCause)
    /// The signature is not one of the algorithm, by a frequent mistake; for instance it is DER although `ecdsaForm` is
    /// `joined`, or its length is that of another algorithm.
    case signature(SignatureMistake)
    /// The signature does not verify under the signer's own public key.
    case signatureInvalid
}

/// An error that a key outside the process threw. Two causes are equal if their errors have the same type and, if that
/// type is `Equatable`, the errors are equal.
public struct ExternalCause: Equatable, Sendable {
    /// The error that was thrown.
    public let error: any Error

    /// Creates a cause, for instance to compare it with another one in a test.
    public init(_ error: any Error) { self.error = error }

    /// Returns whether both errors have the same type and, if that type is `Equatable`, are equal.
    public static func == (left: Self, right: Self) -> Bool {
        if let error = left.error as? any Equatable { return equals(error, right.error) }
        return type(of: left.error) == type(of: right.error)
    }

    private static func equals<E: Equatable>(_ left: E, _ right: any Error) -> Bool { right as? E == left }
}

extension ExternalCause: Redacted {
    /// The type of the error. The error itself is left out, because the library does not know its contents.
    public var description: String { "ExternalCause(\(type(of: error)))" }
}

/// Calls the external key. Every error that it throws becomes `externalKey(.failed)`; a cancelled task makes no call,
/// and the `CancellationError` of the key of a cancelled task becomes `cancelled`.
func askExternalKey<Answer: ~Copyable>(_ question: () async throws -> Answer) async throws(JOSEError) -> Answer {
    if Task.isCancelled { throw .cancelled }
    do {
        return try await question()
    } catch {
        throw error is CancellationError && Task.isCancelled ? .cancelled : .externalKey(.failed(ExternalCause(error)))
    }
}
