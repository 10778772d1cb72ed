#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A value that threads share and whose changes they can wait for, which a `Mutex` does not offer.
@safe package final class Monitor<State: Sendable>: @unchecked Sendable {  // the state is touched under the lock alone
    private nonisolated(unsafe) let lock: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    package init(_ state: State) {
        self.state = state
        unsafe lock = .allocate(capacity: 1)
        unsafe changed = .allocate(capacity: 1)
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(changed, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe pthread_cond_destroy(changed)
        unsafe lock.deallocate()
        unsafe changed.deallocate()
    }

    /// The waiting threads that look at a changed state.
    package enum Waking: Sendable {
        case all
        /// Any one of them, where one is sufficient.
        case one
        /// No thread, because none waits for this change.
        case none
    }

    /// Changes the state and wakes waiting threads.
    package func change<Result>(waking: Waking = .all, _ body: (inout State) -> Result) -> Result {
        unsafe pthread_mutex_lock(lock)
        defer {
            wake(waking)
            unsafe pthread_mutex_unlock(lock)
        }
        return body(&state)
    }

    /// Waits until `body` returns a value for the state, which it may change, and then wakes waiting threads.
    package func wait<Result>(waking: Waking = .all, _ body: (inout State) -> Result?) -> Result {
        unsafe pthread_mutex_lock(lock)
        defer {
            wake(waking)
            unsafe pthread_mutex_unlock(lock)
        }
        while true {
            if let result = body(&state) { return result }
            unsafe pthread_cond_wait(changed, lock)
        }
    }

    private func wake(_ waking: Waking) {
        switch waking {
        case .all: unsafe pthread_cond_broadcast(changed)
        case .one: unsafe pthread_cond_signal(changed)
        case .none: break
        }
    }
}
