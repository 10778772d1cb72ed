#if os(Linux)
    internal import Glibc

    /// Shared memory, which `PrivateMemory` does not search: it has the bytes that are searched for. The kernel does not merge it with
    /// private memory beside it.
    @safe package final class SharedMemory {
        package let bytes: UnsafeMutableRawBufferPointer

        package init(count: Int) {
            let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
            guard let start = unsafe start, unsafe start != MAP_FAILED else { fatalError("No memory could be mapped.") }
            unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
        }

        deinit { unsafe munmap(bytes.baseAddress, bytes.count) }
    }

    /// The readable private mappings of this process that can be written or have no file, also those that a core dump leaves out. The one
    /// with the stack of the calling thread is not among them, because compilers and the dynamic linker leave copies of registers there.
    package enum PrivateMemory {
        /// The number of bytes that are searched at a time.
        package static let window = 1 << 20

        /// Returns how often the bytes at each of these places in `needles` are found. The places have one length. Each search also looks
        /// for random bytes that it has itself put into private memory, and traps if they are not found.
        package static func counts(of places: [Range<Int>], in needles: SharedMemory) -> [Int] {
            guard let length = places.first?.count else { preconditionFailure("There is nothing to search for.") }
            precondition(places.allSatisfy { $0.count == length })
            let (planted, plants) = (SharedMemory(count: length), [UInt8].random(count: length))
            unsafe planted.bytes.copyBytes(from: plants)
            var found = [Int](repeating: 0, count: places.count)
            var foundPlants = 0
            unsafe visit(overlap: length - 1) { window in
                for (index, place) in places.enumerated() {
                    unsafe found[index] += hits(of: UnsafeRawBufferPointer(rebasing: needles.bytes[place]), in: window)
                }
                unsafe foundPlants += hits(of: UnsafeRawBufferPointer(planted.bytes), in: window)
            }
            withExtendedLifetime((needles, planted, plants)) {
                precondition(foundPlants > 0, "The search does not find what is in memory.")
            }
            return found
        }

        /// Calls the closure with copies of the memory, a window at a time. Windows overlap by this number of bytes.
        private static func visit(overlap: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
            let memory = unsafe open("/proc/self/mem", O_RDONLY)
            precondition(memory >= 0)
            defer { close(memory) }
            let copy = SharedMemory(count: window)
            for region in regions() {
                var start = region.lowerBound
                while start < region.upperBound {
                    let wanted = min(window, region.upperBound - start)
                    let count = max(0, unsafe pread(memory, copy.bytes.baseAddress, wanted, start))
                    if count > overlap { unsafe body(UnsafeRawBufferPointer(rebasing: copy.bytes[..<count])) }
                    if count < wanted {
                        // The page behind what was read cannot be read.
                        let page = 4096
                        start = (start + count) / page * page + page
                    } else if start + count == region.upperBound {
                        break
                    } else {
                        start += count - overlap
                    }
                }
            }
            withExtendedLifetime(copy) {}
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

        /// `memmem` of glibc, which Swift's module Glibc does not declare. In a debug build a loop of `memchr` takes minutes where the first
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
            precondition(maps >= 0)
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

    extension [UInt8] {
        fileprivate static func random(count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }
    }
#endif
