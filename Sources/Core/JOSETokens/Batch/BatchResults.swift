/// The verification results of a sequence of tokens, in the order of the tokens.
///
/// The sequence is read while the results are read, and at most 256 tokens per worker thread and 4 MiB of tokens ahead
/// of them. If the sequence throws an error, it is thrown after the results of the tokens before it. A cancelled task
/// throws `CancellationError`.
public struct BatchResults<Tokens: AsyncSequence & Sendable>: AsyncSequence, Sendable where Tokens.Element == [UInt8] {
    /// The verified token, or the error with which it was rejected.
    public typealias Element = Result<VerifiedToken, TokenError>

    let evaluator: BatchEvaluator
    let workers: Int
    let timeout: Duration?
    let tokens: Tokens

    /// Creates an iterator over the results, and starts to read the sequence of tokens.
    public func makeAsyncIterator() -> Iterator { Iterator(Feed(evaluator, workers, timeout, tokens)) }

    /// An iterator over the results, for use by one task.
    public struct Iterator: AsyncIteratorProtocol {
        private let feed: Feed
        private var results: [Element] = []
        private var next = 0
        private var hasEnded = false

        fileprivate init(_ feed: Feed) { self.feed = feed }

        /// Returns the result of the next token, as soon as it and all tokens before it are verified.
        ///
        /// - Returns: The result; nil at the end of the sequence.
        /// - Throws: The error of the sequence, or `CancellationError`.
        public mutating func next() async throws -> Element? {
            guard !hasEnded else { return nil }
            while next == results.count {
                let window = feed.window
                do {
                    try Task.checkCancellation()
                    guard
                        let more = try await withTaskCancellationHandler(
                            operation: { try await window.pull() }, onCancel: { window.end(.cancelled) })
                    else {
                        hasEnded = true
                        return nil
                    }
                    results = more
                    next = 0
                } catch {
                    hasEnded = true
                    throw error
                }
            }
            defer { next += 1 }
            return results[next]
        }
    }

    /// The task that reads the sequence. It ends when the iterator is released.
    fileprivate final class Feed: Sendable {
        let window: BatchWindow
        private let task: Task<Void, Never>

        init(_ evaluator: BatchEvaluator, _ workers: Int, _ timeout: Duration?, _ tokens: Tokens) {
            let window = BatchWindow(evaluator, workers: workers, timeout: timeout)
            self.window = window
            task = Task {
                do {
                    for try await token in tokens {
                        guard await window.push(token) else { return }
                    }
                    window.end(.ended)
                } catch {
                    window.end(.failed(error))
                }
            }
        }

        deinit {
            task.cancel()
            window.end(.cancelled)
        }
    }
}
