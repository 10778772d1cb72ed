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
    private var indices: [Int] = []
    /// The number of comparisons of a node with its parent or its children so far.
    @usableFromInline package private(set) var steps = 0

    @usableFromInline package init() {}

    @usableFromInline package var count: Int { nodes.count }

    /// The handle with the earliest time.
    @usableFromInline package var first: (time: Double, handle: Int)? { nodes.first }

    /// Inserts a handle that is not in the heap. A time of NaN is not allowed, because it has no order.
    @usableFromInline package mutating func insert(_ handle: Int, at time: Double) {
        while indices.count <= handle { indices.append(0) }
        nodes.append((time, handle))
        rise(nodes.count - 1)
    }

    /// Removes a handle that is in the heap.
    @usableFromInline package mutating func remove(_ handle: Int) {
        let index = indices[handle]
        let last = nodes.removeLast()
        guard index < nodes.count else { return }
        nodes[index] = last
        // The last node may belong to another branch, and then above this node.
        if index > 0, last.time < nodes[(index - 1) / 2].time { rise(index) } else { sink(index) }
    }

    private mutating func put(_ node: Node, at index: Int) {
        nodes[index] = node
        indices[node.handle] = index
    }

    private mutating func rise(_ start: Int) {
        var index = start
        let node = nodes[index]
        while index > 0 {
            steps &+= 1
            let parent = (index - 1) / 2
            guard node.time < nodes[parent].time else { break }
            put(nodes[parent], at: index)
            index = parent
        }
        put(node, at: index)
    }

    private mutating func sink(_ start: Int) {
        var index = start
        let node = nodes[index]
        while true {
            steps &+= 1
            var child = 2 * index + 1
            guard child < nodes.count else { break }
            if child + 1 < nodes.count, nodes[child + 1].time < nodes[child].time { child += 1 }
            guard nodes[child].time < node.time else { break }
            put(nodes[child], at: index)
            index = child
        }
        put(node, at: index)
    }
}
