import JOSESettings
import JOSESupport

/// Runs work on threads and not on tasks, because one of them blocks in `read` for as long as a stream is silent.
enum Threads {
    /// Runs `body` on `count` threads and `main` on this one, and returns when all of them have ended.
    static func run<Failure: Error>(
        _ count: Int, _ body: @escaping @Sendable () -> Void, while main: () throws(Failure) -> Void
    ) throws(Failure) {
        let running = Monitor(0)
        var started = 0
        for _ in 0..<count {
            running.change { $0 += 1 }
            let begun = DetachedThread.start {
                body()
                running.change { $0 -= 1 }
            }
            if begun { started += 1 } else { running.change { $0 -= 1 } }
        }
        guard started > 0 else {
            Output.complain("bulla: cannot start a thread")
            Process.endAtOnce(ExitStatus.unusable.rawValue)
        }
        defer { running.wait { $0 == 0 ? () : nil } }
        try main()
    }

    /// Processes `0..<count` in steps of `step`, on `jobs` threads.
    static func each(
        _ count: Int, step: Int, jobs: Int, _ body: @escaping @Sendable (Range<Int>) -> Void
    ) {
        let next = Monitor(0)
        run(jobs) {
            while true {
                let start = next.change { position in
                    defer { position += step }
                    return position
                }
                guard start < count else { return }
                body(start..<min(count, start + step))
            }
        } while: {
        }
    }
}
