/// The tokens of a sequence of claims, in the order of the claims.
///
/// The sequence is read while the tokens are read, and at most 256 elements per worker thread and 4 MiB of claims ahead
/// of them, or one element that is longer. If the sequence throws an error, it is thrown after the tokens of the claims
/// before it. A cancelled task throws `CancellationError`.
public struct IssuingResults<Claims: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    /// The compact serialization of the token, or the error for which it was not issued.
    public typealias Element = Result<String, TokenError>

    let work: IssuingWork
    let workers: Int
    let claims: Claims
    let content: @Sendable (Claims.Element) -> BatchIssuer.Content

    /// Creates an iterator over the tokens, and starts to read the sequence of claims.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: SequenceReader(work, workers: workers, claims, element: content))
    }

    /// An iterator over the tokens, for use by one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var reader: SequenceReader<IssuingWork>

        /// Returns the next token, as soon as it and all tokens before it are issued.
        ///
        /// - Returns: The token or its error; nil at the end of the sequence.
        /// - Throws: The error of the sequence, or `CancellationError`.
        public mutating func next() async throws -> Element? { try await reader.next() }
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
