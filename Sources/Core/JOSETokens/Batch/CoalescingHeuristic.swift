/// Whether waiting for others pays, by how many left a coalescer together of late: the work of eight takes as long as that of two, and to
/// stop and go on again as long as that of one more. While one waits a processor may be idle, too.
struct CoalescingHeuristic: Sendable {
    /// Lanes: more at once would wait longer and gain no more.
    static let most = 8
    /// So many together, and waiting begins; less than so many, in eighths and on average, and it ends.
    private static let enough = 6
    private static let tooFew = 32
    /// Parties of a trial: the first are small, for who works alone is soon done.
    private static let trial = 8
    /// Of parties, before an end of waiting is not the end of a trial that went wrong.
    private static let lasting = 64
    private static let leastPatience = 32
    private static let mostPatience = 1024

    private var isOn = false
    /// On average, in eighths.
    private var size = 0
    private var alone = 0
    /// Parties of this trial, or since waiting began.
    private var parties = 0
    /// After so many that went alone while others were busy, waiting is tried again.
    private var patience = leastPatience

    /// Whether the one that comes now, while no processor is idle, should wait.
    mutating func pays() -> Bool {
        if isOn || alone >= patience { return true }
        alone += 1
        return false
    }

    mutating func left(together count: Int) {
        parties += 1
        if isOn {
            size += (count * 8 - size) / 4
            guard size < Self.tooFew else { return }
            isOn = false
            patience = parties > Self.lasting ? Self.leastPatience : min(2 * patience, Self.mostPatience)
        } else if count >= Self.enough {
            isOn = true
            size = count * 8
        } else {
            guard parties == Self.trial else { return }
            patience = min(2 * patience, Self.mostPatience)
        }
        alone = 0
        parties = 0
    }
}
