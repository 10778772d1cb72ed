internal import JOSESupport

/// A queue in which each client has a line of its own, so that a client with many elements delays itself alone.
///
/// The lines have their turns in rotation, and known lines alternate with all others. Where the queue is full, an
/// element takes the room of the newest one in the longest line, if that line is longer than its own. Elements of one
/// line are first in, first out. Every operation takes constant time, however many elements there are.
struct FairQueue<Element: Sendable>: Sendable {
    /// The name of a line.
    struct Line: Hashable, Sendable {
        /// Whether the line is one of those that alternate with all others.
        var isKnown = false
        /// The hash of the client; 0 for all elements without one.
        var client = 0
    }

    /// An element in the queue, for its removal.
    struct Ticket: Sendable {
        fileprivate let line: Line
        fileprivate let number: UInt64
    }

    /// The elements of a line in the order of their arrival, by their numbers.
    private typealias Elements = ExpiringMap<UInt64, Element>
    /// Lines that have elements, in the order of their turns.
    private typealias Lines = ExpiringMap<Line, Elements>

    /// The number of elements.
    private(set) var count = 0
    private var added: UInt64 = 0
    private var known = Lines(countLimit: .max, eviction: .leastRecentlyUsed)
    private var others = Lines(countLimit: .max, eviction: .leastRecentlyUsed)
    private var isTurnOfKnown = true
    /// The lines by their length, and the length of the longest.
    private var lengths: [Int: Set<Line>] = [:]
    private var longest = 0

    private subscript(isKnown: Bool) -> Lines {
        get { isKnown ? known : others }
        _modify { if isKnown { yield &known } else { yield &others } }
    }

    /// Adds an element to the end of a line.
    ///
    /// - Parameter limit: The largest number of elements.
    /// - Returns: The ticket of the element, or nil if there is no room for it; and the element whose room it took.
    mutating func add(_ element: Element, to line: Line, limit: Int) -> (ticket: Ticket?, displaced: Element?) {
        let length = self[line.isKnown].value(line)?.count ?? 0
        var displaced: Element?
        if count >= limit {
            guard longest > length + 1, let other = lengths[longest]?.first,
                let newest = self[other.isKnown].value(other)?.newest?.key
            else { return (nil, nil) }
            displaced = remove(newest, from: other)
        }
        added += 1
        let ticket = Ticket(line: line, number: added)
        let empty = Elements(countLimit: .max, eviction: .leastRecentlyUsed)
        if length == 0 { _ = self[line.isKnown].insert(empty, for: line) }
        self[line.isKnown].change(line) { _ = $0.insert(element, for: ticket.number) }
        resize(line, from: length, to: length + 1)
        return (ticket, displaced)
    }

    /// Removes an element, unless it has left the queue.
    mutating func remove(_ ticket: Ticket) { _ = remove(ticket.number, from: ticket.line) }

    /// The element whose turn it is.
    var next: Element? { turn?.first.value }

    /// Removes and returns the element whose turn it is.
    mutating func takeNext() -> Element? {
        guard let (line, first) = turn else { return nil }
        isTurnOfKnown = !line.isKnown
        // The line has its next turn after all others of its kind.
        _ = self[line.isKnown].use(line)
        return remove(first.key, from: line)
    }

    private var turn: (line: Line, first: Elements.Entry)? {
        let next = isTurnOfKnown ? known.oldest ?? others.oldest : others.oldest ?? known.oldest
        return next.flatMap { line in line.value.oldest.map { (line.key, $0) } }
    }

    private mutating func remove(_ number: UInt64, from line: Line) -> Element? {
        var (removed, left) = (nil as Element?, 0)
        self[line.isKnown].change(line) { elements in
            removed = elements.remove(number)
            left = elements.count
        }
        guard removed != nil else { return nil }
        if left == 0 { self[line.isKnown].remove(line) }
        resize(line, from: left + 1, to: left)
        return removed
    }

    private mutating func resize(_ line: Line, from old: Int, to new: Int) {
        count += new - old
        lengths[old]?.remove(line)
        if lengths[old]?.isEmpty ?? false { lengths[old] = nil }
        if new > 0 { lengths[new, default: []].insert(line) }
        // A line grows and shrinks by one element: another one of its old length, or itself, is the longest then.
        longest = max(longest, new)
        if lengths[longest] == nil { longest = max(longest - 1, 0) }
    }
}
