internal import JOSESupport

/// A list of texts of which no two are equal, with the index of each.
///
/// A presentation usually has so few disclosures and digests that comparing them takes less than hashing them. Many
/// texts are hashed, so that the work stays in proportion to their number.
struct DistinctTexts {
    /// The number of texts up to which a text is compared with each.
    private static let few = 10

    private var count = 0
    /// The first texts, one after the other, and the end of each.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// The index of each text, where there are more than `few`.
    private var indices: [[UInt8]: Int] = [:]

    init() {
        // Room for the digests of most tokens.
        bytes.reserveCapacity(512)
        ends.reserveCapacity(16)
    }

    /// Creates the list of the names of an object's members, which the scanner has found to be distinct.
    init(namesOf members: [JSONMember], in bytes: Span<UInt8>) {
        self.init()
        for member in members { _ = add(member.nameBytes(in: bytes).span) }
    }

    /// Adds a text after those in the list. Returns false, and adds nothing, if it is in the list already.
    mutating func add(_ text: Span<UInt8>) -> Bool {
        guard index(of: text) == nil else { return false }
        if count < Self.few {
            unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            ends.append(bytes.count)
        } else {
            if count == Self.few { hashFirst() }
            indices[text.copy()] = count
        }
        count += 1
        return true
    }

    /// Returns the index of a text in the list; nil if it is not there.
    func index(of text: Span<UInt8>) -> Int? {
        guard count <= Self.few else { return indices[text.copy()] }
        var start = 0
        var index = 0
        while index < count {
            let end = ends[index]
            if end &- start == text.count, bytesEqual(bytes.span.extracting(start..<end), text) { return index }
            start = end
            index &+= 1
        }
        return nil
    }

    private mutating func hashFirst() {
        var start = 0
        for (index, end) in ends.enumerated() {
            indices[Array(bytes[start..<end])] = index
            start = end
        }
    }
}
