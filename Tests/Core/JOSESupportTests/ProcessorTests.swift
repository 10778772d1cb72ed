import Foundation
import JOSESupport
import Testing

@Suite("Processors of a process") struct ProcessorTests {
    private func processors(_ files: [String: String]) -> Int? {
        ProcessorQuota.processors { files[$0].map { Array($0.utf8) } }
    }

    @Test("version 2: the smallest quota of the group and those above it counts, rounded up") func second() {
        let own = "/sys/fs/cgroup/a.slice/b.scope/cpu.max"
        let above = "/sys/fs/cgroup/a.slice/cpu.max"
        let root = "/sys/fs/cgroup/cpu.max"
        func limited(_ limits: [String: String]) -> Int? {
            processors(limits.merging(["/proc/self/cgroup": "0::/a.slice/b.scope\n"]) { $1 })
        }
        #expect(limited([own: "200000 100000\n"]) == 2)
        #expect(limited([own: "250000 100000\n"]) == 3)
        #expect(limited([own: "1000 100000\n"]) == 1)
        #expect(limited([own: "max 100000\n", above: "300000 100000\n"]) == 3)
        #expect(limited([own: "400000 100000\n", above: "300000 100000\n", root: "max 100000\n"]) == 3)
        // A container sees its own group as the root.
        #expect(limited([root: "150000 100000\n"]) == 2)
        #expect(limited([own: "max 100000\n"]) == nil)
        #expect(limited([:]) == nil)
    }

    @Test("version 1: quota and period of the controller cpu count, wherever it is mounted") func first() {
        let groups = "12:memory:/m\n4:cpu,cpuacct:/job:7\n1:name=systemd:/x\n"
        for mount in ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"] {
            func limited(_ quota: String, _ period: String = "100000\n", in folder: String = "/job:7") -> Int? {
                processors([
                    "/proc/self/cgroup": groups, "\(mount)\(folder)/cpu.cfs_quota_us": quota,
                    "\(mount)\(folder)/cpu.cfs_period_us": period,
                ])
            }
            #expect(limited("400000\n") == 4)
            #expect(limited("50000\n") == 1)
            #expect(limited("400000\n", in: "") == 4)
            #expect(limited("-1\n") == nil)
            #expect(limited("400000\n", "0\n") == nil)
        }
    }

    @Test("files that are absent, empty or of another form set no quota, and never a quota of zero") func damaged() {
        #expect(processors([:]) == nil)
        for groups in ["", "\n", "0:/a", "x", "0::", "0::/../..", ":::::"] {
            #expect(processors(["/proc/self/cgroup": groups]) == nil)
        }
        for limit in ["", "max", "1", "a b", "-1 100000", "1 -1", "1 0", "99999999999999999999 1", "1 2 3"] {
            #expect(
                processors(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": limit]) == nil, "\(limit)")
        }
        let huge = "\(Int.max) 1"
        #expect(processors(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": huge]) == 65_536)
    }

    #if os(Linux)
        @Test("the processors of a thread are those of its affinity") func affinity() throws {
            let status = try String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") })
            let digits = line.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue)
            #expect(DetachedThread.processors == digits.reduce(0) { $0 + $1.nonzeroBitCount })
        }
    #endif
}
