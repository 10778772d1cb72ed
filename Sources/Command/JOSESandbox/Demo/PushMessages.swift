internal import JOSESupport
internal import Synchronization

/// The push messages to apps, each found by the handle of the app's login.
final class PushMessages: Sendable {
    private struct State {
        var unread = ExpiringTable<Bool>(lifetime: 600)
        var waits: [String: Wait<Bool>] = [:]
    }
    private let state = Mutex(State())

    /// Sends the message to an app.
    func send(to handle: String) {
        let wait = state.withLock { state in
            let wait = state.waits.removeValue(forKey: handle)
            if wait == nil { state.unread.insert(true, under: handle, now: SystemClock.elapsed()) }
            return wait
        }
        wait?.end(true)
    }

    /// Waits up to a minute for the message to an app, as the operating system of a phone does. Returns whether it
    /// came.
    func receive(of handle: String) async -> Bool {
        let wait = Wait<Bool>(cancelled: false)
        let isUnread = state.withLock { state in
            if state.unread.take(handle, now: SystemClock.elapsed()) != nil { return true }
            state.waits[handle] = wait
            return false
        }
        if isUnread { return true }
        let isReceived = await wait.value(within: .seconds(60), orElse: false) {}
        state.withLock { state in
            if state.waits[handle] === wait { state.waits[handle] = nil }
        }
        return isReceived
    }
}
