import JOSESupport
import TestSupport
import Testing

@Suite("Heap of times") struct HeapTests {
    @Test("handles leave in the order of their times, also those inserted between removals") func order() {
        var random = SeededRandom(seed: 1)
        var heap = Heap()
        var times: [Int: Double] = [:]
        #expect(heap.first == nil)
        for round in 0..<3_000 {
            let handle = round % 500
            if times[handle] == nil {
                times[handle] = Double(Int.random(in: 0..<100, using: &random))
                heap.insert(handle, at: times[handle] ?? 0)
            } else if round % 3 == 0, let first = heap.first {
                #expect(first.time == times.values.min() && first.time == times[first.handle])
                heap.remove(first.handle)
                times[first.handle] = nil
            } else {
                // A handle from the middle of the heap.
                heap.remove(handle)
                times[handle] = nil
            }
            #expect(heap.count == times.count)
            #expect(heap.first?.time == times.values.min())
        }
        var last = -Double.infinity
        while let first = heap.first {
            #expect(first.time >= last)
            last = first.time
            heap.remove(first.handle)
        }
    }

    @Test("an insertion and a removal take a number of steps logarithmic in the count") func steps() {
        for order in [{ $0 }, { -$0 }, { ($0 * 7919) % 16_384 }] as [(Int) -> Int] {
            var heap = Heap()
            for handle in 0..<16_384 { heap.insert(handle, at: Double(order(handle))) }
            #expect(heap.steps <= 14 * 16_384)
            for handle in 0..<16_384 { heap.remove((handle * 4_099) % 16_384) }
            #expect(heap.count == 0 && heap.steps <= 29 * 16_384)
        }
    }
}
