import JOSETokens

/// The number of valid tokens, and of the others by the code of their error.
struct DemoAnswers: Sendable {
    private(set) var valid = 0
    private(set) var rejected: [String: Int] = [:]
    /// The number of tokens with another result than the one that they were made for.
    private(set) var mistakes = 0

    /// Adds the result of the token with this index: the error by which it was rejected, or nil for a valid one.
    mutating func add(_ error: TokenError?, _ index: Int) {
        if let error { rejected[error.code, default: 0] += 1 } else { valid += 1 }
        if error != DemoFault(of: index)?.error { mistakes += 1 }
    }

    mutating func add(_ other: DemoAnswers) {
        valid += other.valid
        rejected.merge(other.rejected, uniquingKeysWith: +)
        mistakes += other.mistakes
    }
}
