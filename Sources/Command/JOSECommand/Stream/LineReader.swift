import JOSESettings
import JOSESupport

/// Splits a stream at its line feeds. A carriage return before a line feed is removed too. A line over the limit is
/// skipped, and only its first bytes are kept. Bytes after the last line feed are a line.
struct LineReader {
    /// The number of bytes of one read: some hundred tokens, so that a batch takes milliseconds.
    static let block = 64 * 1024
    /// The number of bytes that are kept of a line that is too long.
    static let headBytes = 1024

    private let source: Descriptor
    private let maximumBytes: Int
    /// The part of a line that was read when the last batch ended.
    private var remainder: [UInt8] = []
    private var isPassing = false
    private var hasEnded = false
    private var sequence = 0
    private var nextLine = 1
    private var position = 0
    private let endsOnTermination: Bool
    /// Whether SIGTERM ended the input. A part of a line that was read before it is not a line.
    private(set) var wasTerminated = false

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - maximumBytes: The largest size of a line, without its end.
    ///   - endsOnTermination: Whether SIGTERM ends the input. The command must block it (`Command.blocked`).
    init(_ source: Descriptor, maximumBytes: Int, endsOnTermination: Bool = false) {
        self.endsOnTermination = endsOnTermination
        self.source = source
        self.maximumBytes = maximumBytes
    }

    /// Fills the batch with at least one line, and with no more lines than a slow stream has delivered. Returns false
    /// at the end.
    mutating func fill(_ batch: inout Batch) throws(CommandFailure) -> Bool {
        batch.empty()
        swap(&batch.bytes, &remainder)
        batch.sequence = sequence
        batch.firstLine = nextLine
        var lineStart = 0
        while batch.lines.isEmpty, !hasEnded {
            if endsOnTermination, !source.waitUnlessTerminated() {
                (wasTerminated, hasEnded) = (true, true)
                break
            }
            let before = batch.bytes.count
            hasEnded = try !source.read(onto: &batch.bytes, maximumBytes: Self.block)
            position += batch.bytes.count - before
            cut(&batch, from: before, &lineStart)
        }
        if hasEnded, !wasTerminated, lineStart < batch.bytes.count || isPassing {
            append(lineStart..<batch.bytes.count, to: &batch)
            lineStart = batch.bytes.count
        }
        remainder.removeAll(keepingCapacity: true)
        if lineStart < batch.bytes.count { remainder.append(contentsOf: batch.bytes[lineStart...]) }
        batch.position = position
        batch.readAt = SystemClock.elapsed()
        sequence += 1
        nextLine += batch.lines.count
        return !batch.lines.isEmpty
    }

    private mutating func cut(_ batch: inout Batch, from before: Int, _ lineStart: inout Int) {
        var position = before
        while let end = Self.lineFeed(in: batch.bytes, from: position) {
            // The bytes of a skipped line after its first ones belong to no range.
            append(lineStart..<(isPassing ? min(end, lineStart + Self.headBytes) : end), to: &batch)
            lineStart = end + 1
            position = end + 1
        }
        guard isPassing || batch.bytes.count - lineStart > maximumBytes + 1 else { return }
        isPassing = true
        let kept = min(batch.bytes.count, lineStart + Self.headBytes)
        batch.bytes.removeLast(batch.bytes.count - kept)
    }

    private mutating func append(_ range: Range<Int>, to batch: inout Batch) {
        var range = range
        if !isPassing, let last = range.last, batch.bytes[last] == UInt8(ascii: "\r") {
            range = range.lowerBound..<last
        }
        let isTooLong = isPassing || range.count > maximumBytes
        if isTooLong { range = range.prefix(Self.headBytes) }
        batch.lines.append(Batch.Line(range: range, isTooLong: isTooLong))
        isPassing = false
    }

    private static func lineFeed(in bytes: [UInt8], from start: Int) -> Int? {
        let span = bytes.span
        var position = start
        while position < span.count {
            if span[position] == UInt8(ascii: "\n") { return position }
            position &+= 1
        }
        return nil
    }
}
