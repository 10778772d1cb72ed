internal import JOSEBytes
internal import Synchronization

/// The tokens of a sequence between their source and the consumer of the results, bounded in number and bytes. A thread takes all
/// available tokens up to a chunk, so that tokens of a slow sequence are verified as they arrive.
final class BatchWindow: Sendable {
    private struct State {
        /// The tokens that no thread has taken yet.
        var incoming: [[UInt8]] = []
        var nextChunk = 0
        var working = 0
        /// The verified chunks, by number.
        var finished: [Int: Chunk] = [:]
        var nextOut = 0
        /// The number of tokens whose results the consumer has not taken yet.
        var tokens = 0
        var bytes = 0
        var ending: Ending?
        var feeder: CheckedContinuation<Bool, Never>?
        var consumer: CheckedContinuation<Void, Never>?
    }

    struct Chunk: Sendable {
        var result = BatchResult()
        /// The tokens of the results, of which some may be verified once more.
        var tokens: [[UInt8]] = []
        var bytes = 0
    }

    enum Ending: Sendable {
        case ended
        case failed(any Error)
        case cancelled
    }

    /// The most bytes of all tokens in the window together, unless there is only one.
    static let mostBytes = 4 << 20
    let evaluator: BatchEvaluator
    private let workers: Int
    private let mostTokens: Int
    private let timeout: Duration?
    private let state: Mutex<State> = Mutex(State())

    init(_ evaluator: BatchEvaluator, workers: Int, timeout: Duration? = nil) {
        self.evaluator = evaluator
        self.workers = workers
        self.timeout = timeout
        mostTokens = workers * BatchVerifier.chunk * 2
    }

    /// Adds a token as soon as there is room.
    ///
    /// - Returns: False if the consumer ended the sequence.
    func push(_ token: [UInt8]) async -> Bool {
        guard await hasRoom() else { return false }
        let starts = state.withLock { state in
            guard state.ending == nil else { return false }
            state.incoming.append(token)
            state.tokens += 1
            state.bytes += token.count
            guard state.working < workers else { return false }
            state.working += 1
            return true
        }
        if starts { WorkerThreads.shared.run { [self] in work() } }
        return true
    }

    private func hasRoom() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                if state.ending != nil { return false }
                if state.tokens < mostTokens, state.bytes < Self.mostBytes { return true }
                state.feeder = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Ends the sequence. The first ending counts, except that cancellation replaces another.
    func end(_ ending: Ending) {
        let (feeder, consumer) = state.withLock { state in
            if state.ending == nil { state.ending = ending }
            if case .cancelled = ending {
                state.ending = .cancelled
                state.incoming = []
            }
            return (state.feeder.take(), state.consumer.take())
        }
        feeder?.resume(returning: false)
        consumer?.resume()
    }

    private func work() {
        let (tokens, number) = state.withLock { state in
            let count = min(BatchVerifier.chunk, state.incoming.count)
            let tokens = Array(state.incoming[..<count])
            state.incoming.removeFirst(count)
            defer { if count > 0 { state.nextChunk += 1 } }
            if count == 0 { state.working -= 1 }
            return (tokens, state.nextChunk)
        }
        guard !tokens.isEmpty else { return }
        var run = BatchRun(evaluator, count: tokens.count)
        var bytes = 0
        for token in tokens {
            run.add(token.span)
            bytes += token.count
        }
        let chunk = Chunk(result: run.end(), tokens: tokens, bytes: bytes)
        let consumer = state.withLock { state in
            state.finished[number] = chunk
            return number == state.nextOut ? state.consumer.take() : nil
        }
        consumer?.resume()
        WorkerThreads.shared.run { [self] in work() }
    }

    /// Returns the next results, or nil at the end.
    func pull() async throws -> [Result<VerifiedToken, TokenError>]? {
        while true {
            switch try take() {
            case .some(var chunk):
                try await evaluator.awaitOutcomes(
                    &chunk.result, chunk.tokens[...], until: timeout.map { ContinuousClock.now + $0 })
                await evaluator.admitAwaiting(&chunk.result)
                return chunk.result.tokens.isEmpty ? nil : chunk.result.tokens
            case .none: await wait()
            }
        }
    }

    /// Takes the next results.
    ///
    /// - Returns: Nil if they are not available yet, and an empty result at the end.
    private func take() throws -> Chunk? {
        let (chunk, feeder, ending) =
            state.withLock { state in
                if case .cancelled = state.ending { return (Chunk(), nil, state.ending) }
                guard let chunk = state.finished.removeValue(forKey: state.nextOut) else {
                    let isOver = state.ending != nil && state.tokens == 0
                    return (isOver ? Chunk() : nil, nil, isOver ? state.ending : nil)
                }
                state.nextOut += 1
                state.tokens -= chunk.result.tokens.count
                state.bytes -= chunk.bytes
                return (chunk, state.feeder.take(), nil)
            } as (Chunk?, CheckedContinuation<Bool, Never>?, Ending?)
        feeder?.resume(returning: true)
        switch ending {
        case .failed(let error): throw error
        case .cancelled: throw CancellationError()
        case .ended, nil: return chunk
        }
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.finished[state.nextOut] != nil || state.ending != nil && state.tokens == 0 { return true }
                if case .cancelled = state.ending { return true }
                state.consumer = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}
