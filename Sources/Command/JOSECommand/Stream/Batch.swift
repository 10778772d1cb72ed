import JOSE

/// Some lines of a stream, and their results. Batches are reused, with their memory.
struct Batch: Sendable {
    struct Line: Sendable {
        /// The range of the line in `bytes`, without the end of the line. For a line that is too long it is that of the
        /// first bytes.
        let range: Range<Int>
        let isTooLong: Bool
    }

    /// The index of the batch in the stream, from 0.
    var sequence = 0
    /// The number of the first line, from 1.
    var firstLine = 1
    var bytes: [UInt8] = []
    var lines: [Line] = []
    /// The number of bytes of the stream up to the end of this batch.
    var position = 0
    /// The number of bytes that the pipeline counts for this batch.
    var weight = 0
    /// When the lines had been read, in seconds of `SystemClock.elapsed`.
    var readAt = 0.0
    /// The rows of the lines, once they were looked for.
    var rows: [TokenRow] = []
    /// The outcomes of the rows, once they were verified.
    var outcomes: [Result<[UInt8], Fault>] = []
    /// The unusable keys that the tokens of rows may have needed, by the index of the row.
    var unusable: [Int: [UnusableKey]] = [:]
    /// The indices of the rows that are verified again after the next fetch of keys.
    var waiting: [Int] = []
    /// The output for the lines.
    var output: [UInt8] = []
    var tally = Tally()

    mutating func empty() {
        bytes.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
        outcomes.removeAll(keepingCapacity: true)
        unusable.removeAll()
        waiting.removeAll(keepingCapacity: true)
        output.removeAll(keepingCapacity: true)
        tally = Tally()
    }

    /// Removes the unusable keys of rows that are verified again.
    mutating func forgetUnusable(_ rows: [Int]) {
        guard !unusable.isEmpty else { return }
        for row in rows { unusable[row] = nil }
    }
}
