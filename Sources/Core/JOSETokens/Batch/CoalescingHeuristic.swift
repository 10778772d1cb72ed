/// Decides whether it pays that a signature waits for others, by how many were lately verified together: eight take as long as
/// two, and to suspend a task and resume it takes as long as one more signature. A processor may also be idle while a signature
/// waits.
struct CoalescingHeuristic: Sendable {
    /// The size of a full group. A larger one would be awaited longer and gain no more.
    static let most = 8
    /// The size of a group from which on waiting begins.
    private static let enough = 6
    /// The average size, in eighths, below which waiting ends.
    private static let tooFew = 32
    /// The number of groups in a trial. The first groups of a trial are small, because a signature that is verified alone is soon
    /// done.
    private static let trial = 8
    /// The number of groups after which the end of waiting does not count as a failed trial.
    private static let lasting = 64
    private static let leastAloneLimit = 32
    private static let mostAloneLimit = 1024

    private var isOn = false
    /// The average size of a group, in eighths.
    private var size = 0
    /// The number of signatures that went alone since the last trial, while no processor was idle.
    private var alone = 0
    /// The number of groups of this trial, or since waiting began.
    private var groups = 0
    /// The number of signatures that go alone, while no processor is idle, before waiting is tried again.
    private var aloneLimit = leastAloneLimit

    /// Returns whether the signature that arrives now, while no processor is idle, should wait. If not, it is counted as one that went
    /// alone.
    mutating func isWorthwhile() -> Bool {
        if isOn || alone >= aloneLimit { return true }
        alone += 1
        return false
    }

    /// Records that a group of `count` signatures is verified now.
    mutating func recordGroup(of count: Int) {
        groups += 1
        if isOn {
            size += (count * 8 - size) / 4
            guard size < Self.tooFew else { return }
            isOn = false
            aloneLimit = groups > Self.lasting ? Self.leastAloneLimit : min(2 * aloneLimit, Self.mostAloneLimit)
        } else if count >= Self.enough {
            isOn = true
            size = count * 8
        } else {
            guard groups == Self.trial else { return }
            aloneLimit = min(2 * aloneLimit, Self.mostAloneLimit)
        }
        alone = 0
        groups = 0
    }
}
