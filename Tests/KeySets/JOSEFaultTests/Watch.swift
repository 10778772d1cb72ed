#if HTTP
    import Synchronization
    import TestSupport

    /// A run of 32 tasks that verify tokens of every site.
    final class Watch: Sendable {
        struct Report: Sendable {
            /// The duration of each verification under a known name, in nanoseconds.
            var waits: [Int64] = []
            /// The wrong results: the number of the site, the token, and the result.
            var wrong: [(site: Int, what: String, verdict: Site.Verdict)] = []
            var unknown = 0

            func wait(atPart part: Double) -> Double {
                let sorted = waits.sorted()
                guard !sorted.isEmpty else { return 0 }
                return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) / 1e6
            }
            var longest: Double { wait(atPart: 1) }
        }

        private let sites: [Site]
        private let isOver = Atomic(false)
        static let tasks = 32

        init(_ sites: [Site]) { self.sites = sites }

        /// Runs the tasks until `body` returns.
        func run(_ body: () async throws -> Void) async throws -> Report {
            try await withThrowingTaskGroup(of: Report.self) { group in
                for number in 0..<Self.tasks { group.addTask { await self.verify(number) } }
                let outcome: Result<Void, any Error>
                do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
                isOver.store(true, ordering: .releasing)
                var report = Report()
                for try await part in group {
                    report.waits += part.waits
                    report.wrong += part.wrong
                    report.unknown += part.unknown
                }
                try outcome.get()
                return report
            }
        }

        private func verify(_ number: Int) async -> Report {
            var report = Report()
            var round = number
            while !isOver.load(ordering: .acquiring) {
                let place = round % sites.count
                look(sites[place], place, round, &report)
                round += 1
                try? await Task.sleep(for: .milliseconds(4))
            }
            return report
        }

        /// Verifies everything without a suspension.
        private func look(_ site: Site, _ place: Int, _ round: Int, _ report: inout Report) {
            let begun = ContinuousClock.now
            let verdict = site.outcome(of: site.known)
            report.waits.append((ContinuousClock.now - begun).nanoseconds)
            if verdict != .accepted { report.wrong.append((place, "known", verdict)) }
            if round / sites.count % 4 == 0 {
                let verdict = site.outcome(of: site.forged)
                if verdict != .signatureInvalid { report.wrong.append((place, "forged", verdict)) }
            }
            let verdictOfUnknown = site.outcome(of: site.unknown[round / sites.count % site.unknown.count])
            if verdictOfUnknown != .keyNotFound { report.wrong.append((place, "unknown", verdictOfUnknown)) }
            report.unknown += 1
        }
    }

    extension Duration {
        fileprivate var nanoseconds: Int64 {
            components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
        }
    }
#endif
