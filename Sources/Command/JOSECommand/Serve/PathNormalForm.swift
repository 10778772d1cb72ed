import JOSESupport

/// Makes the normal form of a path, in time proportional to its length. ``PathReading`` has what it consists of.
struct PathNormalForm {
    /// The segments, each after a slash. It is empty for `/`.
    private(set) var bytes: [UInt8] = []
    /// Whether a service may read dot segments in the path, or decode a part of it again: it may read any path then.
    private(set) var isAmbiguous = false
    /// Whether each segment of the path is one of the normal form, and has no path parameter.
    private(set) var isWhole = true
    private let foldsCase: Bool
    private var start = 0
    private var hasPercent = false
    private var hasContent = false
    private let effects = PathReading.effects
    private var expanded: [UInt32] = []

    /// - Parameter path: A path that begins with a slash and was decoded once.
    init(_ path: String, distinguishesCase: Bool) {
        foldsCase = !distinguishesCase
        bytes.reserveCapacity(path.utf8.count)
        beginSegment()
        for scalar in path.unicodeScalars.dropFirst() {
            let value = scalar.value
            guard value >= 0x80 else {
                add(UInt8(value))
                continue
            }
            hasContent = true
            expanded.removeAll(keepingCapacity: true)
            PathCharacters.shared.append(value, foldsCase: foldsCase, to: &expanded)
            for value in expanded {
                if value == UInt8(ascii: "/") || value == UInt8(ascii: "\\") { isWhole = false }
                if value < 0x80 {
                    add(UInt8(value))
                } else if let scalar = Unicode.Scalar(value) {
                    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                }
            }
        }
        endSegment(isLast: true)
    }

    private mutating func beginSegment() {
        start = bytes.count
        hasPercent = false
        hasContent = false
        bytes.append(UInt8(ascii: "/"))
    }

    private mutating func add(_ byte: UInt8) {
        let effect = effects[Int(byte)]
        if effect == .separates {
            endSegment(isLast: false)
            return beginSegment()
        }
        hasContent = true
        switch effect {
        case .removes: break
        case .folds: bytes.append(foldsCase ? byte | 0x20 : byte)
        case .decodes:
            hasPercent = true
            bytes.append(byte)
        default: bytes.append(byte)
        }
    }

    private mutating func endSegment(isLast: Bool) {
        let first = start + 1
        if hasPercent, Self.isEncoded(bytes[first...]) { isAmbiguous = true }
        if let end = bytes[first...].firstIndex(where: { $0 < 0x80 && effects[Int($0)] == .endsSegment }) {
            isWhole = false
            bytes.removeSubrange(end...)
        }
        if bytes.count > first, bytes[first...].allSatisfy({ $0 == UInt8(ascii: ".") }) { isAmbiguous = true }
        while bytes.count > first, let last = bytes.last, effects[Int(last & 0x7F)] == .removesAtEnd,
            last < 0x80
        {
            bytes.removeLast()
        }
        guard bytes.count == first else { return }
        bytes.removeLast()
        if !isLast || hasContent { isWhole = false }
    }

    /// Returns whether a second decoding makes ASCII characters of a part of a segment, or several other bytes in a
    /// row. A single one is not UTF-8 in any reading: `100% dark`.
    private static func isEncoded(_ segment: ArraySlice<UInt8>) -> Bool {
        var previous: Int?
        for index in segment.indices where segment[index] == UInt8(ascii: "%") {
            let digits = segment[(index + 1)...].prefix(2).compactMap(\.hexadecimalDigit)
            if digits.count == 2 {
                if digits[0] < 8 || previous == index - 3 { return true }
                previous = index
            }
            // IIS decodes %u002e, too.
            let four = segment[(index + 1)...].prefix(5)
            if four.count == 5, four.first.map({ $0 | 0x20 }) == UInt8(ascii: "u"),
                four.dropFirst().allSatisfy({ $0.hexadecimalDigit != nil })
            {
                return true
            }
        }
        return false
    }
}
