/// Entries by name in the order of their last use, bounded in number and bytes. Every operation takes constant time.
struct RecencyList {
    private struct Node {
        var entry: TokenEntry?
        /// The neighbours in the order of use; `none` at either end.
        var newer: Int
        var older: Int
    }
    private static let none = -1

    private let entries: Int
    private let limit: Int
    private var nodes: [Node] = []
    private var places: [TokenName: Int] = [:]
    private var free: [Int] = []
    private var newest = none
    private var oldest = none
    private(set) var bytes = 0

    init(entries: Int, bytes: Int) {
        self.entries = entries
        limit = bytes
    }

    var count: Int { places.count }

    /// Returns the entry and makes it the most recently used.
    mutating func use(_ name: TokenName) -> TokenEntry? {
        guard let place = places[name] else { return nil }
        if place != newest {
            unlink(place)
            link(place)
        }
        return nodes[place].entry
    }

    /// Inserts an entry, and removes others to make room. An entry that is larger than the limit is not inserted.
    mutating func insert(_ entry: TokenEntry, now: Double) {
        let size = entry.bytes
        guard size <= limit else { return }
        // Each insertion removes up to two expired entries from the end, where they would be removed next anyway.
        for _ in 0..<2 {
            guard oldest != Self.none, let last = nodes[oldest].entry, last.end <= now else { break }
            remove(last.name)
        }
        while count >= entries || bytes + size > limit {
            guard oldest != Self.none, let last = nodes[oldest].entry else { break }
            remove(last.name)
        }
        let node = Node(entry: entry, newer: Self.none, older: Self.none)
        let place: Int
        if let hole = free.popLast() {
            place = hole
            nodes[place] = node
        } else {
            place = nodes.count
            nodes.append(node)
        }
        places[entry.name] = place
        bytes += size
        link(place)
    }

    mutating func remove(_ name: TokenName) {
        guard let place = places.removeValue(forKey: name) else { return }
        bytes -= nodes[place].entry?.bytes ?? 0
        unlink(place)
        nodes[place].entry = nil
        free.append(place)
    }

    mutating func removeAll() { self = RecencyList(entries: entries, bytes: limit) }

    private mutating func link(_ place: Int) {
        nodes[place].newer = Self.none
        nodes[place].older = newest
        if newest != Self.none { nodes[newest].newer = place }
        newest = place
        if oldest == Self.none { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        let node = nodes[place]
        if node.newer == Self.none { newest = node.older } else { nodes[node.newer].older = node.older }
        if node.older == Self.none { oldest = node.newer } else { nodes[node.older].newer = node.newer }
    }
}
