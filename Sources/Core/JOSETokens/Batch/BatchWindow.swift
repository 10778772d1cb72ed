internal import JOSEBytes
internal import Synchronization

/// Tokens of a sequence between their source and whoever takes the results: so many of them, of so many bytes, and no more. Threads
/// take all that is there, up to a chunk: of a slow sequence a token is verified as it comes.
final class BatchWindow: Sendable {
    private struct State {
        /// Come, and taken up by no thread.
        var incoming: [[UInt8]] = []
        var nextChunk = 0
        var working = 0
        /// Verified, by chunk.
        var finished: [Int: Chunk] = [:]
        var nextOut = 0
        /// Come, and not handed out.
        var tokens = 0
        var bytes = 0
        var ending: Ending?
        var feeder: CheckedContinuation<Bool, Never>?
        var consumer: CheckedContinuation<Void, Never>?
    }

    struct Chunk: Sendable {
        let result: BatchResult
        let bytes: Int
    }

    enum Ending: Sendable {
        case ended
        case failed(any Error)
        case cancelled
    }

    /// Of all tokens in flight together, unless it is one.
    static let mostBytes = 4 << 20
    let judge: BatchEvaluator
    private let workers: Int
    private let mostTokens: Int
    private let state: Mutex<State> = Mutex(State())

    init(_ judge: BatchEvaluator, workers: Int) {
        self.judge = judge
        self.workers = workers
        mostTokens = workers * BatchVerifier.chunk * 2
    }

    /// Waits for room. False once nobody wants more.
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

    /// The first ending counts.
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
        var run = BatchRun(judge, count: tokens.count)
        var bytes = 0
        for token in tokens {
            run.add(token.span)
            bytes += token.count
        }
        let chunk = Chunk(result: run.end(), bytes: bytes)
        let consumer = state.withLock { state in
            state.finished[number] = chunk
            return number == state.nextOut ? state.consumer.take() : nil
        }
        consumer?.resume()
        WorkerThreads.shared.run { [self] in work() }
    }

    /// The results that are next, or nil at the end.
    func pull() async throws -> [Result<VerifiedToken, TokenError>]? {
        while true {
            switch try take() {
            case .some(var result):
                judge.admit(&result)
                return result.tokens.isEmpty ? nil : result.tokens
            case .none: await wait()
            }
        }
    }

    /// Nil: they are still to come. Empty: there are no more.
    private func take() throws -> BatchResult? {
        let (result, feeder, ending) =
            state.withLock { state in
                if case .cancelled = state.ending { return (BatchResult(), nil, state.ending) }
                guard let chunk = state.finished.removeValue(forKey: state.nextOut) else {
                    let isOver = state.ending != nil && state.tokens == 0
                    return (isOver ? BatchResult() : nil, nil, isOver ? state.ending : nil)
                }
                state.nextOut += 1
                state.tokens -= chunk.result.tokens.count
                state.bytes -= chunk.bytes
                return (chunk.result, state.feeder.take(), nil)
            } as (BatchResult?, CheckedContinuation<Bool, Never>?, Ending?)
        feeder?.resume(returning: true)
        switch ending {
        case .failed(let error): throw error
        case .cancelled: throw CancellationError()
        case .ended, nil: return result
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
