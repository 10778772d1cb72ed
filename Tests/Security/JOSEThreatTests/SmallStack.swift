import Foundation

/// Runs `body` to its end on a thread with a stack of `kilobytes`; a recursion that is not bounded ends the process there.
func onSmallStack(kilobytes: Int, _ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.stackSize = kilobytes * 1024
    thread.start()
    done.wait()
}
