internal import CJOSEBytes
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A form is forced for the whole process, so that these tests run one at a time.
@Suite("Base64url: implementations", .serialized) struct Base64URLFormTests {
    static let others: [cjose_form] = [.avx2, .avx512, .neon]

    @Test("every implementation encodes and decodes as the portable one does, for lengths from 0 to 300, also in place")
    func lengths() throws {
        var random = SeededRandom(seed: 2)
        let pages = try GuardedPages()
        for count in 0...300 {
            let bytes = random.bytes(count)
            let text = using(.portable) { encoded(bytes, pages) }
            for form in Self.others where isPresent(form) {
                let other = using(form) { encoded(bytes, pages) }
                #expect(other == text, "\(form), \(count)")
                let read = using(form) { decoded(text, pages) }
                #expect(read == bytes, "\(form), \(count)")
                let readInPlace = using(form) { decoded(text, pages, inPlace: true) }
                #expect(readInPlace == bytes, "\(form), \(count) in place")
            }
        }
    }

    @Test("every implementation rejects a byte outside the alphabet at each offset (T49)")
    func badBytes() throws {
        let pages = try GuardedPages()
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for form in [.portable] + Self.others where isPresent(form) {
            using(form) {
                for count in [4, 8, 15, 16, 24, 32, 43, 44, 63, 64, 66, 75, 86, 88, 128, 152, 172] {
                    let start = [UInt8](repeating: UInt8(ascii: "A"), count: count)
                    // The last byte of an incomplete group has unused bits, which the next test covers.
                    for place in 0..<(count % 4 == 0 ? count : count - 1) {
                        var text = start
                        // Short texts are tested with all bytes, others with the neighbors of the alphabet's runs.
                        let bytes: [UInt8] =
                            count < 68
                            ? Array(0...255) : Array(",./:;@[\\^`{|}~+= \0\u{7F}".utf8) + [0x80, 0xC1, 0xDF, 0xFF]
                        for byte in bytes {
                            text[place] = byte
                            let expected = letters.contains(byte)
                            let isTaken = decoded(text, pages) != nil
                            if isTaken != expected { Issue.record("\(form), \(count), \(place), \(byte)") }
                        }
                    }
                }
            }
        }
    }

    @Test("every implementation rejects unused bits that are not zero (T49)")
    func unusedBits() throws {
        let pages = try GuardedPages()
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for form in [.portable] + Self.others where isPresent(form) {
            using(form) {
                for count in (2...180) where count % 4 >= 2 {
                    var text = [UInt8](repeating: UInt8(ascii: "_"), count: count)
                    for (value, letter) in letters.enumerated() {
                        text[count - 1] = letter
                        let isTaken = decoded(text, pages) != nil
                        let expected = value % (count % 4 == 2 ? 16 : 4) == 0
                        if isTaken != expected { Issue.record("\(form), \(count), \(value)") }
                    }
                }
            }
        }
    }

    @Test("the portable implementation exists on every CPU, and the one in use is reported")
    func names() {
        let before = cjose_form_current()
        #expect(isPresent(before))
        #expect(using(.portable) { cjose_form_current() } == .portable)
        #expect(cjose_form_current() == before)
        #if arch(x86_64)
            #expect(!isPresent(.neon))
        #elseif arch(arm64)
            #expect(isPresent(.neon) && !isPresent(.avx2) && !isPresent(.avx512))
        #endif
    }
}

private func isPresent(_ form: cjose_form) -> Bool {
    let before = cjose_form_current()
    defer { _ = cjose_form_force(before) }
    return cjose_form_force(form)
}

private func using<R>(_ form: cjose_form, _ body: () -> R) -> R {
    let before = cjose_form_current()
    defer { _ = cjose_form_force(before) }
    _ = cjose_form_force(form)
    return body()
}

private func encoded(_ bytes: [UInt8], _ pages: GuardedPages) -> [UInt8] {
    let count = bytes.count / 3 * 4 + (bytes.count % 3 == 0 ? 0 : bytes.count % 3 + 1)
    let input = unsafe pages.input(bytes)
    let output = unsafe pages.output(count)
    unsafe cjose_base64url_encode(input, bytes.count, output)
    return unsafe Array(UnsafeRawBufferPointer(start: output, count: count))
}

private func decoded(_ text: [UInt8], _ pages: GuardedPages, inPlace: Bool = false) -> [UInt8]? {
    let count = text.count * 3 / 4
    let input = unsafe pages.input(text)
    let output = unsafe inPlace ? input : pages.output(count)
    guard unsafe cjose_base64url_decode(input, text.count, output) else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: output, count: count))
}

/// Two buffers that end at inaccessible memory: a byte read or written beyond them stops the program, without any sanitizer and
/// whatever instruction does it.
@safe private final class GuardedPages {
    private let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    private let base: UnsafeMutableRawPointer

    init() throws {
        // Data, guard, data, guard.
        let mapped = unsafe mmap(nil, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        unsafe base = try #require(mapped)
        for guardPage in [1, 3] { unsafe mprotect(base + guardPage * page, page, PROT_NONE) }
    }

    deinit { unsafe munmap(base, 4 * page) }

    func input(_ bytes: [UInt8]) -> UnsafeMutableRawPointer {
        let place = unsafe base + (page - bytes.count)
        unsafe bytes.withUnsafeBytes {
            if let from = $0.baseAddress { unsafe place.copyMemory(from: from, byteCount: $0.count) }
        }
        return unsafe place
    }

    func output(_ count: Int) -> UnsafeMutableRawPointer {
        unsafe base + (3 * page - count)
    }
}
