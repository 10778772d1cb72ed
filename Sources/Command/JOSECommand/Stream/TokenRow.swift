import JOSESupport
import JOSETokens

/// The form of a stream of tokens.
enum InputForm: String, Sendable {
    /// Each line is a token.
    case lines
    /// Each line is a JSON object with an id and a token (JSON Lines).
    case jsonl

    /// Returns the number of bytes that a line may have: enough for a token of `tokenBytes`, however it is escaped.
    func lineBytes(tokenBytes: Int) -> Int {
        switch self {
        case .lines: tokenBytes
        // An escape such as \u0041 takes six bytes for one character. The 64 KiB are for the id and other members.
        case .jsonl: 6 * tokenBytes + 65_536
        }
    }
}

/// One line of a stream of tokens: the range of its token, and the id of its answer.
struct TokenRow {
    /// The range of the id's JSON text in the bytes of the batch, or nil if the row has no id, more than one, or cannot
    /// be read.
    let id: Range<Int>?
    /// The range of the token in the bytes of the batch, or the reason why there is none.
    let token: Result<Range<Int>, Fault>

    /// Finds the id and the token of a line.
    ///
    /// - Parameters:
    ///   - takesObjects: Whether the member `token` may also be a JSON object, a token in the JSON serialization.
    ///   - bytes: The bytes of the batch. A token that is written with escapes is appended to them without its escapes.
    init(_ line: Batch.Line, _ form: InputForm, takesObjects: Bool, in bytes: inout [UInt8]) {
        switch form {
        case _ where line.isTooLong: self.init(nil, .failure(.tooLarge))
        case .lines: self.init(nil, .success(line.range))
        case .jsonl: self.init(row: line.range, takesObjects, in: &bytes)
        }
    }

    private init(row: Range<Int>, _ takesObjects: Bool, in bytes: inout [UInt8]) {
        let id: Range<Int>
        let token: TokenText
        do throws(Fault) {
            (id, token) = try Self.parts(bytes.span.extracting(row), takesObjects)
        } catch {
            self.init(nil, .failure(error))
            return
        }
        let idRange = row.lowerBound + id.lowerBound..<row.lowerBound + id.upperBound
        switch token {
        case .missing: self.init(idRange, .failure(.row))
        case .verbatim(let range):
            self.init(idRange, .success(row.lowerBound + range.lowerBound..<row.lowerBound + range.upperBound))
        case .unescaped(let text):
            let start = bytes.count
            bytes.append(contentsOf: text)
            self.init(idRange, .success(start..<bytes.count))
        }
    }

    private init(_ id: Range<Int>?, _ token: Result<Range<Int>, Fault>) {
        self.id = id
        self.token = token
    }

    /// The outcome of this row as long as its token was not verified.
    var unverified: Result<[UInt8], Fault> { token.flatMap { _ in .failure(.backend) } }

    private enum TokenText {
        case missing
        case verbatim(Range<Int>)
        case unescaped([UInt8])
    }

    /// Returns the ranges of the id and of the token in a row.
    ///
    /// - Throws: `Fault.row` if the row is not a JSON object with one id. The answer then has no id.
    private static func parts(
        _ row: Span<UInt8>, _ takesObjects: Bool
    ) throws(Fault) -> (id: Range<Int>, token: TokenText) {
        let object: JSONObject
        do throws(JSONFault) {
            object = try JSONObject(parsing: row, limits: JSONLimits(depth: 64, members: 1_000))
        } catch {
            throw .row
        }
        guard let id = object.first("id", in: row), id.kind == .string || id.isInteger(in: row) else { throw .row }
        return (id.range, text(object.first("token", in: row), takesObjects, in: row))
    }

    private static func text(_ token: JSONValue?, _ takesObjects: Bool, in row: Span<UInt8>) -> TokenText {
        guard let token else { return .missing }
        if let range = token.plainText { return .verbatim(range) }
        if let text = token.stringBytes(in: row) { return .unescaped(text) }
        return takesObjects && token.kind == .object ? .verbatim(token.range) : .missing
    }
}

extension JSONValue {
    fileprivate var range: Range<Int> { Int(start)..<Int(end) }

    /// Whether this is a number without fraction and exponent, of any size.
    fileprivate func isInteger(in bytes: Span<UInt8>) -> Bool {
        kind == .number && range.allSatisfy { bytes[$0] == UInt8(ascii: "-") || bytes[$0].isASCIIDigit }
    }
}
