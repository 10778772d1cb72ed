import Foundation

/// Returns the CPU seconds that this thread spends in `body`. Unlike elapsed time, they do not include other tests and programs.
package func cpuSeconds(_ body: () throws -> Void) rethrows -> Double {
    let begun = threadTime()
    try body()
    return threadTime() - begun
}

private func threadTime() -> Double {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { preconditionFailure("no such clock") }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
