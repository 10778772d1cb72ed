/// Some lines of a stream, and what became of them. Batches go round: their memory is used again.
struct Batch: Sendable {
    struct Line: Sendable {
        /// In `bytes`, without the line's end. Of a line that is too long: its first bytes.
        let range: Range<Int>
        let isTooLong: Bool
    }

    /// Place in the stream, from 0.
    var sequence = 0
    /// Number of the first line, from 1.
    var firstLine = 1
    var bytes: [UInt8] = []
    var lines: [Line] = []
    /// Bytes of the stream up to the end of this batch.
    var position = 0
    /// What is to be written.
    var output: [UInt8] = []
    var tally = Tally()

    mutating func empty() {
        bytes.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        output.removeAll(keepingCapacity: true)
        tally = Tally()
    }
}
