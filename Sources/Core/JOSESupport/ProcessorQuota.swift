/// The number of processors that the control groups of a process allow it to use: the smallest quota of its group and
/// of all groups above it, in either version of control groups.
///
/// This type reads no file itself.
package enum ProcessorQuota {
    /// Returns the number of processors, rounded up to at least 1, or nil if no group has a quota.
    ///
    /// - Parameter read: Returns the contents of a file, or nil if it cannot be read.
    package static func processors(_ read: (String) -> [UInt8]?) -> Int? {
        guard let groups = read("/proc/self/cgroup") else { return nil }
        var smallest: Double?
        for line in groups.split(separator: UInt8(ascii: "\n")) {
            // The number of the hierarchy, its controllers, and the path of the group, which may contain colons.
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let controllers = text(parts[1])
            let path = text(parts[2])
            if controllers.isEmpty {
                for folder in folders("/sys/fs/cgroup", path) {
                    guard let limit = read(folder + "/cpu.max") else { continue }
                    let numbers = limit.split(whereSeparator: { $0 == 32 || $0 == 10 })
                    guard numbers.count == 2 else { continue }
                    note(number(numbers[0]), number(numbers[1]), &smallest)
                }
            } else if controllers.split(separator: ",").contains("cpu") {
                for mount in ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/\(controllers)"] {
                    for folder in folders(mount, path) {
                        guard let quota = read(folder + "/cpu.cfs_quota_us"),
                            let period = read(folder + "/cpu.cfs_period_us")
                        else { continue }
                        note(number(quota[...]), number(period[...]), &smallest)
                    }
                }
            }
        }
        return smallest.map { max(1, Int(min($0.rounded(.up), 65_536))) }
    }

    /// The folders of a group and of all groups above it. A container sees its own group as the root, whatever its path
    /// is.
    private static func folders(_ mount: String, _ path: String) -> [String] {
        var folders = [mount]
        var folder = mount
        for part in path.split(separator: "/").prefix(64) where part != ".." && part != "." {
            folder += "/" + part
            folders.append(folder)
        }
        return folders
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns a positive number, or nil for `max`, -1 and anything else.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Double? {
        let digits = bytes.prefix { $0 != 10 }
        guard let number = Int(text(digits)), number > 0 else { return nil }
        return Double(number)
    }

    private static func note(_ quota: Double?, _ period: Double?, _ smallest: inout Double?) {
        guard let quota, let period else { return }
        smallest = min(smallest ?? .infinity, quota / period)
    }
}
