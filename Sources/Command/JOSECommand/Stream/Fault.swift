import JOSE
import JOSESettings
import JOSETokens

/// The reason why a token was not accepted, in the words of answers for programs.
struct Fault: Error, Hashable, Sendable {
    /// The `code` of the error, which does not change between versions.
    let code: String
    /// Whether verification could not be completed, and the token may be sent again. Otherwise it was rejected.
    let isRetryable: Bool

    /// Creates the fault of a token that was not accepted.
    init(_ error: TokenError) {
        code = error.code
        isRetryable = error.isRetryable
    }

    private init(code: String) {
        self.code = code
        isRetryable = false
    }

    /// A row of `--input jsonl` that is not one JSON object with one id and one token.
    static let row = Fault(code: "row_invalid")
    /// A request of `bulla check` that cannot be read.
    static let malformed = Fault(.jose(.malformed(ParseFailure(.token, .json)), layer: .signature))
    /// A line that is longer than its limit.
    static let tooLarge = Fault(.jose(.limitExceeded(.tokenBytes), layer: .signature))
    /// A failure of the command itself.
    static let backend = Fault(.jose(.backend, layer: .signature))

    /// The value of `result` in answers for programs.
    var result: String { isRetryable ? "retry" : "invalid" }

    var status: ExitStatus { isRetryable ? .retry : .invalid }
}

extension Fault {
    /// Returns whether `left` is before `right` in a summary: rejections first, then by `code`.
    static func < (left: Self, right: Self) -> Bool {
        if left.isRetryable != right.isRetryable { return right.isRetryable }
        return left.code < right.code
    }
}
