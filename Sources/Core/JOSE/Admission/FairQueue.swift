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
        fileprivate let handle: Int
        /// The number of the element among all that were ever added, because its handle may be reused.
        fileprivate let number: UInt64
    }

    private struct Entry: Sendable {
        let element: Element
        let number: UInt64
        let line: Line
    }

    private struct Waiting: Sendable {
        /// The handle of the line's turn.
        var turn: Int
        var count = 0
        var entries = LinkedTable<Entry>.List()
    }

    /// The number of elements.
    private(set) var count = 0
    private var added: UInt64 = 0
    private var entries = LinkedTable<Entry>()
    /// The lines that have elements.
    private var lines: [Line: Waiting] = [:]
    /// The lines in the order of their turns.
    private var turns = LinkedTable<Line>()
    private var known = LinkedTable<Line>.List()
    private var others = LinkedTable<Line>.List()
    private var isTurnOfKnown = true
    /// The lines by their length, and the length of the longest.
    private var lengths: [Int: Set<Line>] = [:]
    private var longest = 0

    /// Adds an element to the end of a line.
    ///
    /// - Parameter limit: The largest number of elements.
    /// - Returns: The ticket of the element, or nil if there is no room for it; and the element whose room it took.
    mutating func add(_ element: Element, to line: Line, limit: Int) -> (ticket: Ticket?, displaced: Element?) {
        var displaced: Element?
        if count >= limit {
            guard longest > (lines[line]?.count ?? 0) + 1, let other = lengths[longest]?.first,
                let newest = lines[other]?.entries.last
            else { return (nil, nil) }
            displaced = remove(newest)
        }
        added += 1
        var waiting = lines[line] ?? Waiting(turn: enterTurns(line))
        let handle = entries.append(Entry(element: element, number: added, line: line), to: &waiting.entries)
        resize(line, &waiting, by: 1)
        return (Ticket(handle: handle, number: added), displaced)
    }

    /// Removes an element, unless it has left the queue.
    mutating func remove(_ ticket: Ticket) {
        if entries[ticket.handle]?.number == ticket.number { _ = remove(ticket.handle) }
    }

    /// The element whose turn it is.
    var next: Element? { nextLine.flatMap { lines[$0]?.entries.first }.flatMap { entries[$0]?.element } }

    /// Removes and returns the element whose turn it is.
    mutating func takeNext() -> Element? {
        guard let line = nextLine, let first = lines[line]?.entries.first else { return nil }
        isTurnOfKnown = !line.isKnown
        let element = remove(first)
        if let turn = lines[line]?.turn {
            // The line has its next turn after all others of its kind.
            leaveTurns(line, turn)
            let next = enterTurns(line)
            lines[line]?.turn = next
        }
        return element
    }

    private var nextLine: Line? {
        (isTurnOfKnown ? known.first ?? others.first : others.first ?? known.first).flatMap { turns[$0] }
    }

    private mutating func remove(_ handle: Int) -> Element? {
        guard let entry = entries[handle], var waiting = lines[entry.line] else { return nil }
        entries.remove(handle, from: &waiting.entries)
        resize(entry.line, &waiting, by: -1)
        return entry.element
    }

    /// Counts an element that a line has got or lost. The line ends when its last element has left.
    private mutating func resize(_ line: Line, _ waiting: inout Waiting, by change: Int) {
        let old = waiting.count
        waiting.count += change
        count += change
        lengths[old]?.remove(line)
        if lengths[old]?.isEmpty ?? false { lengths[old] = nil }
        if waiting.count > 0 {
            lengths[waiting.count, default: []].insert(line)
            lines[line] = waiting
        } else {
            leaveTurns(line, waiting.turn)
            lines[line] = nil
        }
        // A line grows and shrinks by one element, so that another one of its old length, or itself, is the longest then.
        longest = max(longest, waiting.count)
        if lengths[longest] == nil { longest = max(longest - 1, 0) }
    }

    private mutating func enterTurns(_ line: Line) -> Int {
        line.isKnown ? turns.append(line, to: &known) : turns.append(line, to: &others)
    }

    private mutating func leaveTurns(_ line: Line, _ turn: Int) {
        if line.isKnown { turns.remove(turn, from: &known) } else { turns.remove(turn, from: &others) }
    }
}
