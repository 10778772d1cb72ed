internal import CJOSEBytes
import JOSESupport
import Testing

@Suite("Secret bytes") struct SecretBytesTests {
    @Test("contains the bytes that were copied into it, up to the count that was set")
    func holds() {
        let source: [UInt8] = [1, 2, 3]
        #expect(contents(of: SecretBytes(copying: source.span)) == source)

        var secret = SecretBytes(capacity: 8)
        #expect(secret.count == 0 && secret.capacity == 8)
        fill(&secret, 7)
        #expect(secret.count == 0)
        secret.setCount(5)
        #expect(contents(of: secret) == [7, 7, 7, 7, 7])
        secret.setCount(0)
        #expect(contents(of: secret) == [])
    }

    @Test("copies the bytes that are in use, and wipes arrays and buffers in place")
    func copies() {
        var secret = SecretBytes(capacity: 8)
        fill(&secret, 7)
        secret.setCount(3)
        var copy = secret.copy()
        #expect(copy == [7, 7, 7])
        wipe(&copy)
        #expect(copy == [0, 0, 0])
        unsafe secret.withMutableBytes { unsafe wipe($0) }
        secret.setCount(8)
        #expect(contents(of: secret) == [UInt8](repeating: 0, count: 8))
        let empty = SecretBytes(capacity: 0).copy()
        #expect(empty == [])
    }

    @Test("an error of the closure is rethrown with its own type")
    func errors() {
        let source: [UInt8] = [1]
        let secret = SecretBytes(copying: source.span)
        #expect(throws: JSONFault(.syntax, at: 1)) {
            try secret.withBytes { (bytes: Span<UInt8>) throws(JSONFault) in throw JSONFault(.syntax, at: bytes.count) }
        }
    }

    @Test("wiping clears exactly the given number of bytes")
    func wipesEveryByte() {
        for count in 0...200 {
            var bytes = [UInt8](repeating: 0xA5, count: count + 1)
            unsafe bytes.withUnsafeMutableBytes { unsafe cjose_wipe($0.baseAddress, count) }
            #expect(bytes == [UInt8](repeating: 0, count: count) + [0xA5])
        }
    }

    @Test("no byte remains in the heap after deallocation, including unused capacity")
    func leavesNothing() {
        // No other code uses this size: the allocator then returns the same memory.
        let size = 7_777
        var left = 0
        for _ in 0..<50 {
            do {
                var secret = SecretBytes(capacity: size)
                fill(&secret, 0xA5)
                secret.setCount(16)
            }
            // The memory is read before it is written, which the language does not define; hence through C.
            let again = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            left += unsafe UnsafeRawBufferPointer(start: again, count: size).count { $0 == 0xA5 }
            unsafe again.deallocate()
        }
        // Single bytes of another thread may be equal by chance; a whole buffer is not.
        #expect(left < size)
    }
}

private func fill(_ secret: inout SecretBytes, _ byte: UInt8) {
    unsafe secret.withMutableBytes { room in
        for index in room.indices { unsafe room[index] = byte }
    }
}
