extension Array {
    /// Bytes of memory that the elements take, spare capacity, the array's own header and the allocator's share included; what the
    /// elements refer to is not included.
    package var heapBytes: Int { capacity == 0 ? 0 : 48 + capacity * MemoryLayout<Element>.stride }

    /// Returns the same elements without much spare capacity: the array itself, or a copy where more than an eighth is spare.
    func trimmed() -> [Element] {
        guard capacity - count > capacity / 8 else { return self }
        var copy: [Element] = []
        copy.reserveCapacity(count)
        copy.append(contentsOf: self)
        return copy
    }
}

extension [UInt8] {
    /// Returns the same bytes without much spare capacity.
    package func trimmedBytes() -> [UInt8] { trimmed() }
}

extension JSONObject {
    /// Bytes of memory that the index takes.
    package var heapBytes: Int { members.heapBytes }

    /// Returns the same index without the capacity that the scanner used as its stack.
    package func trimmed() -> JSONObject { JSONObject(members: members.trimmed()) }
}
