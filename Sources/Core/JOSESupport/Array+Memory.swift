extension Array {
    /// The number of bytes of memory that the elements take, with spare capacity, the array's header and the
    /// allocator's share; what the elements refer to is not included.
    package var heapBytes: Int { capacity == 0 ? 0 : 48 + capacity * MemoryLayout<Element>.stride }

    /// Returns the elements without much spare capacity: the array itself, or a copy where more than an eighth is
    /// spare.
    func trimmed() -> [Element] {
        guard capacity - count > capacity / 8 else { return self }
        var copy: [Element] = []
        copy.reserveCapacity(count)
        copy.append(contentsOf: self)
        return copy
    }
}

extension [UInt8] {
    /// Returns the bytes without much spare capacity.
    package func trimmedBytes() -> [UInt8] { trimmed() }
}

extension JSONObject {
    /// The number of bytes of memory that the index takes.
    package var heapBytes: Int { members.heapBytes }

    /// Returns the index without the capacity that the scanner used as its stack.
    package func trimmed() -> JSONObject { JSONObject(members: members.trimmed()) }
}
