internal import JOSESupport
internal import Synchronization

/// A failure of a key outside the process.
@nonexhaustive public enum ExternalKeyFault: Equatable, Sendable {
    /// A key is outside the process, and the call does not wait for it. Call the method with a `timeout`.
    case awaitRequired
    /// The external key did not answer within the timeout. The error is retryable.
    case timedOut
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
    package init(_ error: any Error) { self.error = error }

    /// Returns whether both errors have the same type and, if that type is `Equatable`, are equal.
    public static func == (left: Self, right: Self) -> Bool {
        if let error = left.error as? any Equatable { return equals(error, right.error) }
        return type(of: left.error) == type(of: right.error)
    }

    private static func equals<E: Equatable>(_ left: E, _ right: any Error) -> Bool { right as? E == left }
}

extension ExternalCause: Redacted {
    /// The type of the error. The error itself is left out, because the library does not know its contents.
    package var summary: String { "ExternalCause(\(type(of: error)))" }
}

/// Calls the external key, and waits for its answer until `end`; without one, until it answers.
///
/// With an end, the caller goes on at once when it is reached or its task is cancelled, and the task of the call is
/// cancelled, so that a key which ignores cancellation delays nobody. Its answer is then wiped if it is a secret. Every
/// error that the key throws becomes `externalKey(.failed)`, except the `CancellationError` of a cancelled task. No call
/// is made by a cancelled task, nor after `end`.
func askExternalKey<Answer: ~Copyable & Sendable>(
    until end: ContinuousClock.Instant?, _ question: @escaping @Sendable () async throws -> Answer
) async throws(JOSEError) -> Answer {
    guard let end else { return try await answer(of: question) }
    if Task.isCancelled { throw .cancelled }
    let limit = end - ContinuousClock.now
    guard limit > .zero else { throw .externalKey(.timedOut) }
    let answered = ExternalAnswer<Answer>()
    let wait = Wait<JOSEError?>(cancelled: .cancelled)
    let error = await wait.value(within: limit, orElse: .externalKey(.timedOut)) {
        let call = Task {
            do throws(JOSEError) {
                answered.set(try await answer(of: question))
                wait.end(nil)
            } catch {
                wait.end(error)
            }
        }
        wait.onAbandon { call.cancel() }
    }
    if let error { throw error }
    guard let answer = answered.take() else { throw .backend }
    return answer
}

private func answer<Answer: ~Copyable>(
    of question: () async throws -> Answer
) async throws(JOSEError) -> Answer {
    if Task.isCancelled { throw .cancelled }
    do {
        return try await question()
    } catch {
        throw error is CancellationError && Task.isCancelled ? .cancelled : .externalKey(.failed(ExternalCause(error)))
    }
}

/// The answer of an external key on its way to the caller.
private final class ExternalAnswer<Answer: ~Copyable & Sendable>: Sendable {
    private let answer = Mutex<Answer?>(nil)

    func set(_ new: consuming Answer) {
        var new: Answer? = consume new
        answer.withLock { $0 = new.take() }
    }

    func take() -> Answer? { answer.withLock { $0.take() } }
}
