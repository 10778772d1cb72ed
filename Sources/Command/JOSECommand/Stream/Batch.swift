/// Some lines of a stream, and their results. Batches are reused, with their memory.
struct Batch: Sendable {
    struct Line: Sendable {
        /// The range of the line in `bytes`, without the end of the line. For a line that is too long it is that of the first
        /// bytes.
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
    /// The output for the lines.
    var output: [UInt8] = []
    var tally = Tally()

    mutating func empty() {
        bytes.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        output.removeAll(keepingCapacity: true)
        tally = Tally()
    }
}
