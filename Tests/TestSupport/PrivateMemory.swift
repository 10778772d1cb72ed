#if os(Linux)
    internal import Glibc

    /// Memory that a search of the private memory leaves out, for what is searched for. It is shared, so that the kernel does not merge it
    /// with a neighbour.
    @safe package final class SharedMemory {
        package let bytes: UnsafeMutableRawBufferPointer

        package init(count: Int) {
            let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
            guard let start = unsafe start, unsafe start != MAP_FAILED else { fatalError("No memory could be mapped.") }
            unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
        }

        deinit { unsafe munmap(bytes.baseAddress, bytes.count) }
    }

    /// The memory of this process that a core dump would contain: private mappings that can be written, or that have no file. The stack of
    /// the calling thread is left out, because compilers and the dynamic linker leave copies of registers there.
    package enum PrivateMemory {
        private static let window = 1 << 20

        /// Returns how often the bytes at each of these places in `needles` are found elsewhere. The places have one length.
        package static func counts(of places: [Range<Int>], in needles: SharedMemory) -> [Int] {
            var found = [Int](repeating: 0, count: places.count)
            guard let length = places.first?.count else { return found }
            precondition(places.allSatisfy { $0.count == length })
            let memory = unsafe open("/proc/self/mem", O_RDONLY)
            defer { close(memory) }
            let copy = SharedMemory(count: window)
            for region in regions() {
                var start = region.lowerBound
                while start < region.upperBound {
                    let wanted = min(window, region.upperBound - start)
                    let count = unsafe pread(memory, copy.bytes.baseAddress, wanted, start)
                    guard count >= length else { break }
                    for (index, place) in places.enumerated() {
                        unsafe found[index] += hits(
                            of: UnsafeRawBufferPointer(rebasing: needles.bytes[place]),
                            in: UnsafeRawBufferPointer(rebasing: copy.bytes[..<count]))
                    }
                    guard count == window else { break }
                    // Windows overlap by a needle's length minus one.
                    start += window - (length - 1)
                }
            }
            withExtendedLifetime((copy, needles)) {}
            return found
        }

        private static func hits(of needle: UnsafeRawBufferPointer, in window: UnsafeRawBufferPointer) -> Int {
            guard let start = window.baseAddress else { return 0 }
            var (at, found) = (0, 0)
            while let hit = unsafe search(start + at, window.count - at, needle.baseAddress, needle.count) {
                at = unsafe start.distance(to: hit) + 1
                found += 1
            }
            return found
        }

        /// glibc's `memmem`, which its module for Swift does not have. A loop of `memchr` takes minutes in a debug build, where the first
        /// byte of a needle is a frequent one.
        private static let search = unsafe unsafeBitCast(
            dlsym(nil, "memmem"),
            to: (@convention(c) (UnsafeRawPointer, Int, UnsafeRawPointer?, Int) -> UnsafeRawPointer?).self)

        private static func regions() -> [Range<Int>] {
            var local = 0
            let stack = unsafe withUnsafePointer(to: &local) { Int(bitPattern: $0) }
            var text: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 65_536)
            let maps = unsafe open("/proc/self/maps", O_RDONLY)
            defer { close(maps) }
            while case let count = unsafe part.withUnsafeMutableBytes({ unsafe read(maps, $0.baseAddress, $0.count) }),
                count > 0
            {
                text += part.prefix(count)
            }
            return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
                // Address, permissions, offset, device, inode (0 without a file), name.
                let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
                guard fields.count >= 5, fields[1].hasPrefix("r"), fields[1].hasSuffix("p"),
                    fields[1].hasPrefix("rw") || fields[4] == "0", fields.last?.hasPrefix("[v") != true
                else { return nil }
                let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
                // The shadow memory of a sanitizer takes terabytes of addresses.
                guard ends.count == 2, ends[1] - ends[0] < 1 << 32, !(ends[0]..<ends[1]).contains(stack) else {
                    return nil
                }
                return ends[0]..<ends[1]
            }
        }
    }
#endif
