import JOSETokens

/// Why a token was not accepted, as answers for programs state it.
struct Fault: Error, Hashable, Sendable {
    /// The value of `error` in those answers. It does not change between versions.
    let code: String
    /// Whether verification could not be completed, and the token may be sent again. Else it was rejected.
    let isRetryable: Bool

    /// Makes the fault of a token that was rejected.
    init(_ word: ErrorWord) {
        code = word.rawValue
        isRetryable = false
    }

    init(_ error: TokenError) {
        code = ErrorWord(error).rawValue
        isRetryable = error.isRetryable
    }

    private init(code: String) {
        self.code = code
        isRetryable = false
    }

    /// The fault of a row of `--input jsonl` that is not one JSON object with one id and one token.
    static let row = Fault(code: "row_invalid")

    /// The value of `result` in answers for programs.
    var result: String { isRetryable ? "retry" : "invalid" }

    var status: ExitStatus { isRetryable ? .retry : .invalid }
}

extension Fault {
    private static let order = Dictionary(
        uniqueKeysWithValues: zip(ErrorWord.allCases.map(\.rawValue), ErrorWord.allCases.indices))

    /// The order of a summary: rejections first, and then the order of `ErrorWord`.
    static func < (left: Self, right: Self) -> Bool {
        if left.isRetryable != right.isRetryable { return right.isRetryable }
        return order[left.code] ?? .max < order[right.code] ?? .max
    }
}
