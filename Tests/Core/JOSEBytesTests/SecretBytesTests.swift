internal import CJOSEBytes
import JOSEBytes
import Testing

@Suite("Secret bytes") struct SecretBytesTests {
    @Test("holds what it was given, and as many bytes as were said to be written")
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

    @Test("copies what is in use, and wipes arrays and buffers in place")
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

    @Test("passes on the error of the body, of its own type")
    func errors() {
        let source: [UInt8] = [1]
        let secret = SecretBytes(copying: source.span)
        #expect(throws: JSONFault(.syntax, at: 1)) {
            try secret.withBytes { (bytes: Span<UInt8>) throws(JSONFault) in throw JSONFault(.syntax, at: bytes.count) }
        }
    }

    @Test("wipes every byte it is told to, of any count")
    func wipesEveryByte() {
        for count in 0...200 {
            var bytes = [UInt8](repeating: 0xA5, count: count + 1)
            unsafe bytes.withUnsafeMutableBytes { unsafe cjose_wipe($0.baseAddress, count) }
            #expect(bytes == [UInt8](repeating: 0, count: count) + [0xA5])
        }
    }

    @Test("leaves nothing in the heap when its owner lets go, also beyond what was in use")
    func leavesNothing() {
        // A size that nothing else asks for: the allocator then hands the same memory out again.
        let size = 7_777
        var left = 0
        for _ in 0..<50 {
            do {
                var secret = SecretBytes(capacity: size)
                fill(&secret, 0xA5)
                secret.setCount(16)
            }
            // Read before it is written, which is the point; not defined by the language, hence through C's eyes.
            let again = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            left += unsafe UnsafeRawBufferPointer(start: again, count: size).count { $0 == 0xA5 }
            unsafe again.deallocate()
        }
        // What another thread left there may look the same here and there; a whole buffer does not.
        #expect(left < size)
    }
}

private func fill(_ secret: inout SecretBytes, _ byte: UInt8) {
    unsafe secret.withMutableBytes { room in
        for index in room.indices { unsafe room[index] = byte }
    }
}
