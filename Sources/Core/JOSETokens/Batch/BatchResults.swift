/// The verification results of a sequence of tokens, in the order of the tokens.
///
/// The sequence is read while the results are read, and at most 256 tokens per worker thread and 4 MiB of tokens ahead
/// of them, or one token that is longer. If the sequence throws an error, it is thrown after the results of the tokens
/// before it. A cancelled task throws `CancellationError`.
public struct BatchResults<Tokens: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    /// The verified token, or the error with which it was rejected.
    public typealias Element = Result<VerifiedToken, TokenError>

    let work: VerifyingWork
    let workers: Int
    let tokens: Tokens
    let bytes: @Sendable (Tokens.Element) -> [UInt8]

    /// Creates an iterator over the results, and starts to read the sequence of tokens.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: SequenceReader(work, workers: workers, tokens, element: bytes))
    }

    /// An iterator over the results, for use by one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var reader: SequenceReader<VerifyingWork>

        /// Returns the result of the next token, as soon as it and all tokens before it are verified.
        ///
        /// - Returns: The result; nil at the end of the sequence.
        /// - Throws: The error of the sequence, or `CancellationError`.
        public mutating func next() async throws -> Element? { try await reader.next() }
    }
}

/// The verification of the tokens of a sequence.
struct VerifyingWork: SequenceWork {
    let evaluator: BatchEvaluator
    let timeout: Duration?

    func byteCount(of token: [UInt8]) -> Int { token.count }

    func process(_ tokens: [[UInt8]]) -> BatchResult {
        var run = BatchRun(evaluator, count: tokens.count)
        for token in tokens { run.add(token.span) }
        return run.end()
    }

    func complete(
        _ processed: BatchResult, of tokens: [[UInt8]]
    ) async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
        var result = processed
        try await evaluator.awaitOutcomes(
            &result, tokens[...], TokenWait(until: timeout.map { ContinuousClock.now + $0 }))
        var parts = [result]
        try await evaluator.acceptAwaiting(&parts)
        return parts[0].tokens
    }
}
