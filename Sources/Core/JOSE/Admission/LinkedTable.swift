/// Values in doubly linked lists, each with a handle that is reused after its removal. Every operation takes constant time.
struct LinkedTable<Value: Sendable>: Sendable {
    /// The ends of one list.
    struct List: Sendable {
        fileprivate(set) var first: Int?
        fileprivate(set) var last: Int?
    }
    private struct Node: Sendable {
        var value: Value?
        var previous: Int?
        var next: Int?
    }
    private var nodes: [Node] = []
    private var free: [Int] = []

    /// Returns the value of a handle; nil if it was removed.
    subscript(handle: Int) -> Value? { nodes[handle].value }

    /// Appends a value to a list, and returns its handle.
    mutating func append(_ value: Value, to list: inout List) -> Int {
        let handle = free.popLast() ?? nodes.count
        if handle == nodes.count { nodes.append(Node()) }
        nodes[handle] = Node(value: value, previous: list.last)
        if let last = list.last { nodes[last].next = handle } else { list.first = handle }
        list.last = handle
        return handle
    }

    /// Removes a value from the list that it is in.
    mutating func remove(_ handle: Int, from list: inout List) {
        let node = nodes[handle]
        if let previous = node.previous { nodes[previous].next = node.next } else { list.first = node.next }
        if let next = node.next { nodes[next].previous = node.previous } else { list.last = node.previous }
        nodes[handle] = Node()
        free.append(handle)
    }
}
