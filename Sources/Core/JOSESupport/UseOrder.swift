/// Handles in the order of their use: a doubly linked list, in which every operation takes constant time. A handle is
/// the index of a slot of the caller's, and is in the list at most once.
///
/// The declarations are usable from inlined code, because `ExpiringMap` is inlined into other modules.
@usableFromInline package struct UseOrder: Sendable {
    private struct Link: Sendable {
        /// The neighbours in the order of use; `none` at either end, and for handles that are not in the list.
        var newer: Int32
        var older: Int32
        var isMarked = false
    }
    private static let none: Int32 = -1

    private var links: [Link] = []
    private var newest = none
    private var last = none

    @usableFromInline package init() {}

    /// The handle that was appended before all others.
    @usableFromInline package var oldest: Int? { last == Self.none ? nil : Int(last) }

    /// The handle that was appended after all others.
    @usableFromInline package var latest: Int? { newest == Self.none ? nil : Int(newest) }

    /// Appends a handle that is not in the list, as the newest and without a mark.
    @usableFromInline package mutating func append(_ handle: Int) {
        while links.count <= handle { links.append(Link(newer: Self.none, older: Self.none)) }
        links[handle] = Link(newer: Self.none, older: newest)
        let handle = Int32(handle)
        if newest == Self.none { last = handle } else { links[Int(newest)].newer = handle }
        newest = handle
    }

    /// Removes a handle that is in the list.
    @usableFromInline package mutating func remove(_ handle: Int) {
        let link = links[handle]
        if link.newer == Self.none { newest = link.older } else { links[Int(link.newer)].older = link.older }
        if link.older == Self.none { last = link.newer } else { links[Int(link.older)].newer = link.newer }
    }

    /// Makes a handle the newest, and removes its mark.
    @usableFromInline package mutating func moveToNewest(_ handle: Int) {
        guard newest != Int32(handle) else { return links[handle].isMarked = false }
        remove(handle)
        append(handle)
    }

    @usableFromInline package mutating func mark(_ handle: Int) { links[handle].isMarked = true }

    /// Moves marked handles from the old end to the new one without their marks, and returns the oldest that has none.
    /// The moves are as many as the calls of `mark` before.
    @usableFromInline package mutating func oldestUnmarked() -> Int? {
        while last != Self.none, links[Int(last)].isMarked { moveToNewest(Int(last)) }
        return oldest
    }
}
