import JOSETokens

/// How many were valid, and why the others were not.
struct Tally: Sendable, Equatable {
    private static let places = Dictionary(uniqueKeysWithValues: zip(ErrorWord.allCases, ErrorWord.allCases.indices))
    private(set) var valid = 0
    private(set) var refused: [Int] = []
    private(set) var firstRefused: Int?
    /// Valid, but their payload could not be written as one line.
    private(set) var leftOut = 0

    mutating func add(_ error: ErrorWord?, line: Int) {
        guard let error else {
            valid += 1
            return
        }
        if refused.isEmpty { refused = Array(repeating: 0, count: ErrorWord.allCases.count) }
        refused[Self.places[error] ?? 0] += 1
        firstRefused = firstRefused ?? line
    }

    mutating func countLeftOut() { leftOut += 1 }

    mutating func add(_ other: Tally) {
        valid += other.valid
        leftOut += other.leftOut
        firstRefused = firstRefused ?? other.firstRefused
        guard !other.refused.isEmpty else { return }
        if refused.isEmpty { refused = Array(repeating: 0, count: other.refused.count) }
        for index in refused.indices { refused[index] += other.refused[index] }
    }

    var invalid: Int { refused.reduce(0, +) }
    var total: Int { valid + invalid }

    /// Each reason that there was, in the order of the table.
    var reasons: [(name: ErrorWord, count: Int)] {
        zip(ErrorWord.allCases, refused).filter { $0.1 > 0 }.map { ($0, $1) }
    }
}
