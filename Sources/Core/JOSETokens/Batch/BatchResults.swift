/// The results of verifying a sequence of tokens, or of issuing one token for each element of a sequence, in the order
/// of the sequence.
///
/// The sequence is read while the results are read, and at most 256 elements per worker thread and 4 MiB of them ahead,
/// or one element that is longer. If the sequence throws an error, it is thrown after the results of the elements
/// before it. A cancelled task throws `CancellationError`.
package struct BatchResults<Value: Sendable>: AsyncSequence, Sendable {
    /// The verified token, or the compact serialization of the issued one; or the error for which there is none.
    package typealias Element = Result<Value, TokenError>

    private let start: @Sendable () -> Iterator

    init<Work: SequenceWork, Base: AsyncSequence & Sendable>(
        _ work: Work, workers: Int, _ base: Base, element: @escaping @Sendable (Base.Element) -> Work.Element
    ) where Work.Result == Element {
        start = {
            var reader = SequenceReader(work, workers: workers, base, element: element)
            return Iterator(read: { try await reader.next() })
        }
    }

    /// Creates an iterator over the results, and starts to read the sequence.
    package func makeAsyncIterator() -> Iterator { start() }

    /// An iterator over the results, for use by one task.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: () async throws -> Element?

        /// Returns the next result, as soon as it and all results before it are there.
        ///
        /// - Returns: The result; nil at the end of the sequence.
        /// - Throws: The error of the sequence, or `CancellationError`.
        package mutating func next() async throws -> Element? { try await read() }
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

/// The issuing of tokens with the claims of a sequence.
struct IssuingWork: SequenceWork {
    let issuer: BatchIssuer
    let options: TokenOptions

    func byteCount(of content: BatchIssuer.Content) -> Int {
        switch content {
        case .claims(let claims): claims.room
        case .json(let json): json.count
        }
    }

    func process(_ contents: [BatchIssuer.Content]) -> [Result<String, TokenError>] {
        issuer.issue(contents[...], options)
    }

    func complete(
        _ processed: [Result<String, TokenError>], of contents: [BatchIssuer.Content]
    ) async throws(CancellationError) -> [Result<String, TokenError>] {
        processed
    }
}
