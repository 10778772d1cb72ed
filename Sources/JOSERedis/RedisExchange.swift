#if Redis
    internal import JOSERelyingParty
    internal import Synchronization

    /// One caller that waits. The answer, cancellation and the store's end race; the first of them is the caller's.
    final class RedisExchange: Sendable {
        typealias Answer = Result<[UInt8]?, StoreError>
        private struct State {
            var continuation: CheckedContinuation<Answer, Never>?
            var id: UInt64?
            var isCancelled = false
        }
        private let state = Mutex(State())

        /// False: it was cancelled before it began, and has its answer.
        func begin(_ continuation: CheckedContinuation<Answer, Never>) -> Bool {
            let isCancelled = state.withLock { state in
                if !state.isCancelled { state.continuation = continuation }
                return state.isCancelled
            }
            if isCancelled { continuation.resume(returning: .failure(.cancelled)) }
            return !isCancelled
        }

        /// True: it was cancelled meanwhile.
        func didStart(_ id: UInt64) -> Bool {
            state.withLock { state in
                state.id = id
                return state.isCancelled
            }
        }

        /// Which command is to be given up; nil: none has begun.
        func cancel() -> UInt64? {
            let (id, continuation) = state.withLock { state in
                state.isCancelled = true
                return (state.id, state.continuation.take())
            }
            continuation?.resume(returning: .failure(.cancelled))
            return id
        }

        func end(_ answer: Answer) {
            let continuation = state.withLock { $0.continuation.take() }
            continuation?.resume(returning: answer)
        }
    }
#endif
