/// A binary heap of handles, ordered by time: no handle has an earlier time than its parent. A handle is a small number
/// of the caller's, such as the index of a slot, and is in the heap at most once.
///
/// Insertions and removals take logarithmic time. Handles of equal times have no order.
///
/// The declarations are usable from inlined code, because `ExpiringMap` is inlined into other modules.
@usableFromInline package struct Heap: Sendable {
    private typealias Node = (time: Double, handle: Int)
    private var nodes: [Node] = []
    /// The index of the node of each handle; not valid for handles that are not in the heap.
    private var places: [Int] = []
    /// The number of comparisons of a node with its parent or its children so far.
    @usableFromInline package private(set) var steps = 0

    @usableFromInline package init() {}

    @usableFromInline package var count: Int { nodes.count }

    /// The handle with the earliest time.
    @usableFromInline package var first: (time: Double, handle: Int)? { nodes.first }

    /// Inserts a handle that is not in the heap. A time of NaN is not allowed, because it has no order.
    @usableFromInline package mutating func insert(_ handle: Int, at time: Double) {
        while places.count <= handle { places.append(0) }
        nodes.append((time, handle))
        rise(nodes.count - 1)
    }

    /// Removes a handle that is in the heap.
    @usableFromInline package mutating func remove(_ handle: Int) {
        let place = places[handle]
        let last = nodes.removeLast()
        guard place < nodes.count else { return }
        nodes[place] = last
        // The last node may belong to another branch, and then above this place.
        if place > 0, last.time < nodes[(place - 1) / 2].time { rise(place) } else { sink(place) }
    }

    @usableFromInline package mutating func removeAll() {
        nodes = []
        places = []
    }

    private mutating func put(_ node: Node, at place: Int) {
        nodes[place] = node
        places[node.handle] = place
    }

    private mutating func rise(_ start: Int) {
        var place = start
        let node = nodes[place]
        while place > 0 {
            steps &+= 1
            let parent = (place - 1) / 2
            guard node.time < nodes[parent].time else { break }
            put(nodes[parent], at: place)
            place = parent
        }
        put(node, at: place)
    }

    private mutating func sink(_ start: Int) {
        var place = start
        let node = nodes[place]
        while true {
            steps &+= 1
            var child = 2 * place + 1
            guard child < nodes.count else { break }
            if child + 1 < nodes.count, nodes[child + 1].time < nodes[child].time { child += 1 }
            guard nodes[child].time < node.time else { break }
            put(nodes[child], at: place)
            place = child
        }
        put(node, at: place)
    }
}
