internal import JOSE
internal import Synchronization

/// Work on the elements of a sequence: worker threads process them in chunks, and the task of the consumer completes
/// each chunk.
protocol SequenceWork: Sendable {
    associatedtype Element: Sendable
    associatedtype Processed: Sendable
    associatedtype Result: Sendable

    /// The size by which an element counts toward the bytes of a window.
    func byteCount(of element: Element) -> Int
    func process(_ elements: [Element]) -> Processed
    /// Returns the result of each element, in order.
    func complete(_ processed: Processed, of elements: [Element]) async throws(CancellationError) -> [Result]
}

/// The elements of a sequence between their source and the consumer of the results, bounded in number and bytes. A
/// thread takes all available elements up to a chunk, so that those of a slow sequence are processed as they arrive.
final class SequenceWindow<Work: SequenceWork>: Sendable {
    private struct State {
        /// The elements that no thread has taken yet.
        var incoming: [Work.Element] = []
        var nextChunk = 0
        var working = 0
        /// The processed chunks, by number.
        var finished: [Int: Chunk] = [:]
        var nextOut = 0
        /// The number of elements whose results the consumer has not taken yet.
        var count = 0
        var bytes = 0
        var ending: Ending?
        var feeder: CheckedContinuation<Void, Never>?
        var consumer: CheckedContinuation<Void, Never>?
    }

    private struct Chunk: Sendable {
        let processed: Work.Processed
        let elements: [Work.Element]
        let bytes: Int
    }

    private enum Step {
        case chunk(Chunk)
        case end(Ending)
    }

    enum Ending: Sendable {
        case ended
        case failed(any Error)
        case cancelled
    }

    private let work: Work
    private let workers: Int
    /// The largest number of elements in the window.
    private let maximum: Int
    private let state: Mutex<State> = Mutex(State())

    init(_ work: Work, workers: Int) {
        self.work = work
        self.workers = workers
        maximum = workers * BatchSizes.tokens * BatchSizes.partsAhead
    }

    /// Adds an element as soon as there is room.
    ///
    /// - Returns: False if the consumer ended the sequence.
    func push(_ element: Work.Element) async -> Bool {
        let bytes = work.byteCount(of: element)
        guard await hasRoom(for: bytes) else { return false }
        let starts = state.withLock { state in
            guard state.ending == nil else { return false }
            state.incoming.append(element)
            state.count += 1
            state.bytes += bytes
            guard state.working < workers else { return false }
            state.working += 1
            return true
        }
        if starts { WorkerThreads.shared.run { [self] in processNext() } }
        return true
    }

    /// Waits until there is room for an element, and returns false if the consumer ended the sequence.
    private func hasRoom(for bytes: Int) async -> Bool {
        while true {
            var answer: Bool?
            await withCheckedContinuation { continuation in
                answer = state.withLock { state in
                    if state.ending != nil { return false }
                    if state.count == 0 || state.count < maximum && state.bytes + bytes <= BatchSizes.bytes {
                        return true
                    }
                    state.feeder = continuation
                    return nil
                }
                if answer != nil { continuation.resume() }
            }
            // The consumer took a chunk, so that there may be room now.
            if let answer { return answer }
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
        feeder?.resume()
        consumer?.resume()
    }

    private func processNext() {
        let (elements, number) = state.withLock { state in
            let count = min(BatchSizes.tokens, state.incoming.count)
            let elements = Array(state.incoming[..<count])
            state.incoming.removeFirst(count)
            defer { if count > 0 { state.nextChunk += 1 } }
            if count == 0 { state.working -= 1 }
            return (elements, state.nextChunk)
        }
        guard !elements.isEmpty else { return }
        let bytes = elements.reduce(0) { $0 + work.byteCount(of: $1) }
        let chunk = Chunk(processed: work.process(elements), elements: elements, bytes: bytes)
        let consumer = state.withLock { state in
            state.finished[number] = chunk
            return number == state.nextOut ? state.consumer.take() : nil
        }
        consumer?.resume()
        WorkerThreads.shared.run { [self] in processNext() }
    }

    /// Returns the next results, or nil at the end.
    func pull() async throws -> [Work.Result]? {
        while true {
            var step: Step?
            await withCheckedContinuation { continuation in
                step = take(orResume: continuation)
                if step != nil { continuation.resume() }
            }
            switch step {
            case .chunk(let chunk): return try await work.complete(chunk.processed, of: chunk.elements)
            case .end(.ended): return nil
            case .end(.failed(let error)): throw error
            case .end(.cancelled): throw CancellationError()
            case nil: continue
            }
        }
    }

    /// Takes the next chunk or the end. Where there is neither, returns nil, and resumes the consumer once there may
    /// be.
    private func take(orResume consumer: CheckedContinuation<Void, Never>) -> Step? {
        let (step, feeder) = state.withLock { state -> (Step?, CheckedContinuation<Void, Never>?) in
            if case .cancelled = state.ending { return (.end(.cancelled), nil) }
            if let chunk = state.finished.removeValue(forKey: state.nextOut) {
                state.nextOut += 1
                state.count -= chunk.elements.count
                state.bytes -= chunk.bytes
                return (.chunk(chunk), state.feeder.take())
            }
            if let ending = state.ending, state.count == 0 { return (.end(ending), nil) }
            state.consumer = consumer
            return (nil, nil)
        }
        feeder?.resume()
        return step
    }
}

/// Reads a sequence into a window while one task takes the results. Reading ends when the value is released.
struct SequenceReader<Work: SequenceWork> {
    private let feed: Feed
    private var results: [Work.Result] = []
    private var index = 0
    private var hasEnded = false

    /// - Parameter element: Makes an element of the work from one of the sequence.
    init<Base: AsyncSequence & Sendable>(
        _ work: Work, workers: Int, _ base: Base, element: @escaping @Sendable (Base.Element) -> Work.Element
    ) {
        feed = Feed(SequenceWindow(work, workers: workers), base, element)
    }

    /// Returns the next result; nil at the end of the sequence.
    mutating func next() async throws -> Work.Result? {
        guard !hasEnded else { return nil }
        if Task.isCancelled {
            hasEnded = true
            throw CancellationError()
        }
        while index == results.count {
            let window = feed.window
            do {
                guard
                    let more = try await withTaskCancellationHandler(
                        operation: { try await window.pull() }, onCancel: { window.end(.cancelled) })
                else {
                    hasEnded = true
                    return nil
                }
                results = more
                index = 0
            } catch {
                hasEnded = true
                throw error
            }
        }
        defer { index += 1 }
        return results[index]
    }

    /// The task that reads the sequence.
    private final class Feed: Sendable {
        let window: SequenceWindow<Work>
        private let task: Task<Void, Never>

        init<Base: AsyncSequence & Sendable>(
            _ window: SequenceWindow<Work>, _ base: Base, _ element: @escaping @Sendable (Base.Element) -> Work.Element
        ) {
            self.window = window
            task = Task {
                do {
                    for try await next in base {
                        guard await window.push(element(next)) else { return }
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
