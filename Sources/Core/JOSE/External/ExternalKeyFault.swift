/// What a key outside the process came to.
@nonexhaustive public enum ExternalKeyFault: Equatable, Sendable {
    /// It threw. What it threw stands in the cause, and in no description.
    case failed(ExternalCause)
    /// Its signature has not the length or the form that the algorithm gives it: DER, say, where `r || s` was announced.
    case signatureForm
    /// Its signature does not verify under the public key that it goes by.
    case signatureInvalid
}

/// An error of a key outside the process. Equal to another where both are of one type and, if the type can tell, equal.
public struct ExternalCause: Equatable, Sendable {
    /// As it was thrown.
    public let error: any Error

    /// Also for a comparison in a test.
    public init(_ error: any Error) { self.error = error }

    /// Whether both are of one type and, if that is `Equatable`, equal.
    public static func == (left: Self, right: Self) -> Bool {
        if let error = left.error as? any Equatable { return equals(error, right.error) }
        return type(of: left.error) == type(of: right.error)
    }

    private static func equals<E: Equatable>(_ left: E, _ right: any Error) -> Bool { right as? E == left }
}

extension ExternalCause: CustomStringConvertible, CustomReflectable {
    /// Not the error itself: what is in that, nobody here knows.
    public var description: String { "ExternalCause(\(type(of: error)))" }
    /// Without children, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The one way out of the process. A task that is cancelled asks no more, and its `CancellationError` passes through;
/// everything else that the other side throws is `externalKey(.failed)`.
func askExternalKey<Answer: ~Copyable>(_ question: () async throws -> Answer) async throws -> Answer {
    try Task.checkCancellation()
    do {
        return try await question()
    } catch let error as CancellationError where Task.isCancelled {
        throw error
    } catch {
        throw JOSEError.externalKey(.failed(ExternalCause(error)))
    }
}
