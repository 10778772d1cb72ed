/// What became of the tokens of a sequence, in their order. Reading it reads the sequence, no further ahead than 256 tokens for each
/// thread of the verifier, and 4 MiB of them in all.
///
/// It throws what the sequence throws, after the results of all that came before, and `CancellationError` in a task that was
/// cancelled.
public struct BatchResults<Tokens: AsyncSequence & Sendable>: AsyncSequence, Sendable where Tokens.Element == [UInt8] {
    /// The token's claims, or why it was refused.
    public typealias Element = Result<VerifiedToken, TokenError>

    let judge: BatchEvaluator
    let workers: Int
    let tokens: Tokens

    /// Begins to read the sequence.
    public func makeAsyncIterator() -> Iterator { Iterator(Feed(judge, workers, tokens)) }

    /// One reading of the sequence, by one task.
    public struct Iterator: AsyncIteratorProtocol {
        private let feed: Feed
        private var results: [Element] = []
        private var next = 0
        private var hasEnded = false

        fileprivate init(_ feed: Feed) { self.feed = feed }

        /// The next token's result; waits until it and all before it are verified.
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

    /// What reads the sequence; ends when nobody asks any more.
    fileprivate final class Feed: Sendable {
        let window: BatchWindow
        private let task: Task<Void, Never>

        init(_ judge: BatchEvaluator, _ workers: Int, _ tokens: Tokens) {
            let window = BatchWindow(judge, workers: workers)
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
