/// The tokens that wait for the threads of the limiter, each in a line of its client or of its own.
///
/// The lines have their turns in rotation, and lines of tokens that were valid before alternate with all others, so that a client that sends
/// many tokens delays itself. Where the queue is full, a token takes the room of the newest one in the longest line, if that is longer than
/// its own.
struct GatewayQueue: Sendable {
    /// The line of a token.
    private struct Share: Hashable, Sendable {
        let isKnown: Bool
        /// The hash of the client, or of the token itself if it is known and its client is not; otherwise 0.
        let number: Int
    }

    private struct Line: Sendable {
        var jobs: [GatewayJob] = []
        var first = 0
        var count: Int { jobs.count - first }

        mutating func takeFirst() -> GatewayJob {
            let job = jobs[first]
            first += 1
            // What was taken is not kept for long.
            if first == jobs.count || first >= 32 && 2 * first >= jobs.count {
                jobs.removeFirst(first)
                first = 0
            }
            return job
        }
    }

    /// The lines with tokens, in the order of their turns.
    private struct Rotation: Sendable {
        var shares: [Share] = []
        var first = 0
        var next: Share? { first < shares.count ? shares[first] : nil }

        mutating func removeNext() {
            first += 1
            if first == shares.count || first > 256 {
                shares.removeFirst(first)
                first = 0
            }
        }
    }

    private(set) var count = 0
    private var lines: [Share: Line] = [:]
    private var known = Rotation()
    private var others = Rotation()
    private var isTurnOfKnown = true
    /// The lines by their length, and the length of the longest.
    private var shares: [Int: Set<Share>] = [:]
    private var longest = 0

    /// Adds a token, if there are fewer than `most` or another one gives its room. Returns the token that has no room, if any.
    mutating func add(_ job: GatewayJob, isKnown: Bool, most: Int) -> GatewayJob? {
        let share = Share(isKnown: isKnown, number: job.client ?? (isKnown ? job.number : 0))
        let length = lines[share]?.count ?? 0
        var displaced: GatewayJob?
        if count >= most {
            guard longest > length + 1, let other = shares[longest]?.first else { return job }
            displaced = lines[other]?.jobs.popLast()
            count -= 1
            move(other, from: longest, to: longest - 1)
        }
        if length == 0 {
            if isKnown { known.shares.append(share) } else { others.shares.append(share) }
        }
        lines[share, default: Line()].jobs.append(job)
        count += 1
        move(share, from: length, to: length + 1)
        return displaced
    }

    /// Removes and returns the tokens whose turn it is, up to `most` of one policy.
    mutating func take(_ most: Int) -> [GatewayJob] {
        var taken: [GatewayJob] = []
        while taken.count < most, let share = next, let line = lines[share] {
            if let first = taken.first, line.jobs[line.first].policy !== first.policy { break }
            taken.append(takeFirst(of: share, line.count))
        }
        return taken
    }

    /// The policy of the token whose turn it is.
    var nextPolicy: GatewayPolicy? {
        guard let share = next, let line = lines[share] else { return nil }
        return line.jobs[line.first].policy
    }

    private var next: Share? {
        isTurnOfKnown ? known.next ?? others.next : others.next ?? known.next
    }

    private mutating func takeFirst(of share: Share, _ length: Int) -> GatewayJob {
        if share.isKnown { known.removeNext() } else { others.removeNext() }
        isTurnOfKnown = !share.isKnown
        var line = lines.removeValue(forKey: share) ?? Line()
        let job = line.takeFirst()
        count -= 1
        move(share, from: length, to: length - 1)
        if length > 1 {
            lines[share] = line
            if share.isKnown { known.shares.append(share) } else { others.shares.append(share) }
        }
        return job
    }

    private mutating func move(_ share: Share, from old: Int, to new: Int) {
        if old > 0 {
            shares[old]?.remove(share)
            if shares[old]?.isEmpty ?? true { shares[old] = nil }
        }
        if new > 0 { shares[new, default: []].insert(share) }
        // A line grows and shrinks by one token, so that another one of its old length, or itself, is the longest afterwards.
        longest = max(longest, new)
        if shares[longest] == nil { longest = max(longest - 1, 0) }
    }
}
