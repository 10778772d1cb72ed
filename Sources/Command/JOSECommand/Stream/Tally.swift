/// The number of valid tokens, and of the others by their error.
struct Tally: Sendable, Equatable {
    private(set) var valid = 0
    private(set) var invalid = 0
    /// The number of tokens whose verification could not be completed.
    private(set) var retry = 0
    private var faults: [Fault: Int] = [:]
    /// The line of the first token that was not valid.
    private(set) var firstFault: Int?
    /// The number of valid tokens whose payload could not be written as one line.
    private(set) var leftOut = 0

    mutating func add(_ fault: Fault?, line: Int) {
        guard let fault else {
            valid += 1
            return
        }
        if fault.isRetryable { retry += 1 } else { invalid += 1 }
        faults[fault, default: 0] += 1
        firstFault = firstFault ?? line
    }

    mutating func countLeftOut() { leftOut += 1 }

    mutating func add(_ other: Tally) {
        valid += other.valid
        invalid += other.invalid
        retry += other.retry
        leftOut += other.leftOut
        firstFault = firstFault ?? other.firstFault
        for (fault, count) in other.faults { faults[fault, default: 0] += count }
    }

    var total: Int { valid + invalid + retry }

    /// Each reason that occurred with its number of tokens, in the order of a summary.
    var reasons: [(fault: Fault, count: Int)] {
        faults.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
