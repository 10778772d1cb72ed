import TestSupport
import Testing

@testable import JOSE

@Suite("Fair queue") struct FairQueueTests {
    private typealias Line = FairQueue<Int>.Line

    private func drained(_ queue: FairQueue<Int>) -> [Int] {
        var (queue, all) = (queue, [Int]())
        while let next = queue.takeNext() { all.append(next) }
        return all
    }

    @Test("clients take turns, whatever the number of their elements, each first in, first out")
    func turns() {
        var queue = FairQueue<Int>()
        for number in 0..<6 { _ = queue.add(number, to: Line(client: 1), limit: 20) }
        for number in 10..<12 { _ = queue.add(number, to: Line(client: 2), limit: 20) }
        _ = queue.add(20, to: Line(client: 3), limit: 20)
        #expect(queue.count == 9 && queue.next == 0)
        #expect(drained(queue) == [0, 10, 20, 1, 11, 2, 3, 4, 5])
        // A client that comes late has its first turn after those that wait, and before their second.
        #expect(queue.takeNext() == 0)
        _ = queue.add(30, to: Line(client: 4), limit: 20)
        #expect(drained(queue) == [10, 20, 1, 30, 11, 2, 3, 4, 5])
    }

    @Test("elements without a client are first in, first out")
    func fifo() {
        var queue = FairQueue<Int>()
        for number in 0..<100 { _ = queue.add(number, to: Line(), limit: 100) }
        #expect(drained(queue) == Array(0..<100))
        #expect(queue.count == 100)
    }

    @Test("known lines alternate with all others, however many of either there are")
    func known() {
        var queue = FairQueue<Int>()
        for number in 0..<4 { _ = queue.add(number, to: Line(), limit: 20) }
        for number in 10..<12 { _ = queue.add(number, to: Line(isKnown: true, client: number), limit: 20) }
        #expect(drained(queue) == [10, 0, 11, 1, 2, 3])
        // A client has a line of each kind.
        for number in 20..<22 { _ = queue.add(number, to: Line(isKnown: true, client: 10), limit: 20) }
        #expect(drained(queue) == [10, 0, 11, 1, 20, 2, 21, 3])
    }

    @Test(
        "in a full queue an element takes the room of the newest one in the longest line, if that is longer than its own"
    )
    func displacement() {
        var queue = FairQueue<Int>()
        for number in 0..<4 { #expect(queue.add(number, to: Line(client: 1), limit: 6).displaced == nil) }
        for number in 10..<12 { #expect(queue.add(number, to: Line(client: 2), limit: 6).displaced == nil) }
        // The longest line is not longer than its own with this element.
        let own = queue.add(4, to: Line(client: 1), limit: 6)
        #expect(own.ticket == nil && own.displaced == nil)
        let other = queue.add(20, to: Line(client: 3), limit: 6)
        #expect(other.ticket != nil && other.displaced == 3)
        let equal = queue.add(12, to: Line(client: 2), limit: 6)
        #expect(equal.ticket == nil && equal.displaced == nil)
        #expect(queue.add(21, to: Line(client: 3), limit: 6).displaced == 2)
        #expect(queue.count == 6)
        // All lines have two elements now.
        #expect(queue.add(30, to: Line(client: 4), limit: 6).displaced != nil)
        #expect(queue.add(31, to: Line(client: 5), limit: 6).displaced != nil)
        #expect(queue.count == 6)
        // With room, nothing is displaced.
        let roomy = queue.add(40, to: Line(client: 6), limit: 7)
        #expect(roomy.ticket != nil && roomy.displaced == nil && queue.count == 7)
        // Of a line with one element, none is displaced.
        var single = FairQueue<Int>()
        _ = single.add(0, to: Line(client: 1), limit: 1)
        #expect(single.add(1, to: Line(client: 2), limit: 1).ticket == nil)
        #expect(single.add(1, to: Line(client: 2), limit: 2).ticket != nil)
        #expect(single.add(2, to: Line(client: 3), limit: 0).ticket == nil)
    }

    @Test("an element that gives up leaves its room and its turn, and its ticket removes no later element")
    func givingUp() throws {
        var queue = FairQueue<Int>()
        let tickets = try (0..<3).map { try #require(queue.add($0, to: Line(client: 1), limit: 3).ticket) }
        #expect(queue.add(3, to: Line(client: 1), limit: 3).ticket == nil)
        queue.remove(tickets[1])
        queue.remove(tickets[1])
        #expect(queue.count == 2)
        // This element may get the handle of the one that left.
        _ = try #require(queue.add(4, to: Line(client: 1), limit: 3).ticket)
        queue.remove(tickets[1])
        #expect(drained(queue) == [0, 2, 4])
        queue.remove(tickets[0])
        queue.remove(tickets[2])
        #expect(drained(queue) == [4])
        #expect(queue.takeNext() == 4 && queue.takeNext() == nil && queue.next == nil)
        // The only element of a client takes its turn with it.
        let only = try #require(queue.add(5, to: Line(client: 2), limit: 3).ticket)
        _ = queue.add(6, to: Line(client: 1), limit: 3)
        queue.remove(only)
        #expect(drained(queue) == [6])
    }

    /// A queue with these rules, as it would be written if time did not matter.
    private struct Model {
        var lines: [(line: FairQueue<Int>.Line, elements: [Int])] = []
        var isTurnOfKnown = true
        var count: Int { lines.reduce(0) { $0 + $1.elements.count } }
        var longest: Int { lines.map(\.elements.count).max() ?? 0 }

        func length(_ line: FairQueue<Int>.Line) -> Int { lines.first { $0.line == line }?.elements.count ?? 0 }

        mutating func append(_ element: Int, _ line: FairQueue<Int>.Line) {
            if let place = lines.firstIndex(where: { $0.line == line }) {
                lines[place].elements.append(element)
            } else {
                lines.append((line, [element]))
            }
        }

        mutating func remove(_ element: Int) {
            for place in lines.indices { lines[place].elements.removeAll { $0 == element } }
            lines.removeAll { $0.elements.isEmpty }
        }

        mutating func takeNext() -> Int? {
            let place = lines.firstIndex { $0.line.isKnown == isTurnOfKnown } ?? lines.indices.first
            guard let place else { return nil }
            var line = lines.remove(at: place)
            isTurnOfKnown = !line.line.isKnown
            let element = line.elements.removeFirst()
            if !line.elements.isEmpty { lines.append(line) }
            return element
        }
    }

    @Test("any mixture of arrivals, turns and departures gives the elements of a queue that is written without handles")
    func model() throws {
        var random = SeededRandom(seed: 37)
        var (queue, model) = (FairQueue<Int>(), Model())
        var tickets: [Int: FairQueue<Int>.Ticket] = [:]
        var displacements = 0
        for number in 0..<30_000 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<5:
                let line = FairQueue<Int>.Line(
                    isKnown: Bool.random(using: &random), client: Int.random(in: 0..<5, using: &random))
                let isFull = model.count >= 24
                let mayDisplace = model.longest > model.length(line) + 1
                let longest = model.lines.filter { $0.elements.count == model.longest }
                let (ticket, displaced) = queue.add(number, to: line, limit: 24)
                #expect((ticket == nil) == (isFull && !mayDisplace))
                #expect((displaced != nil) == (isFull && mayDisplace))
                if let displaced {
                    displacements += 1
                    #expect(longest.contains { $0.elements.last == displaced })
                    model.remove(displaced)
                }
                if let ticket {
                    model.append(number, line)
                    tickets[number] = ticket
                }
            case 5: #expect(queue.takeNext() == model.takeNext())
            default:
                // The element may have left the queue.
                guard let (element, ticket) = tickets.randomElement(using: &random) else { continue }
                queue.remove(ticket)
                model.remove(element)
                tickets[element] = nil
            }
            #expect(queue.count == model.count)
        }
        #expect(displacements > 100)
        while let next = model.takeNext() { #expect(queue.takeNext() == next) }
        #expect(queue.count == 0 && queue.takeNext() == nil)
    }
}
