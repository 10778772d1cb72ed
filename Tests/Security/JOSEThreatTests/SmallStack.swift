import Foundation

/// Runs `body` on a thread with a stack of `kilobytes`, on which unbounded recursion ends the process.
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
