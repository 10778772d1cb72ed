#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The switch of all mutants. Tests/Scripts/mutants.py copies this file into the lowest module of the tree that it mutates.
///
/// `BULLA_MUTANT` is the number of the mutant that is active. `BULLA_MUTANT_TRACE` is a file to which each mutant is appended once it is
/// reached: its number, and `r` if the value was one that the mutant leaves as it is, `d` if the mutant would change it, and `n` if it
/// has no other value for this type.
public enum Mutant {
    private static let active = getenv("BULLA_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
    private static let trace =
        getenv("BULLA_MUTANT_TRACE").map { open($0, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600) } ?? -1
    private static let most = 1 << 17
    private nonisolated(unsafe) static let seen: UnsafeMutablePointer<UInt8> = {
        let flags = UnsafeMutablePointer<UInt8>.allocate(capacity: most)
        flags.initialize(repeating: 0, count: most)
        return flags
    }()

    /// Writes the mutant down. A race between threads may write a line twice, and no more.
    private static func record(_ id: Int, _ letter: StaticString) {
        let place = id * 3 + (letter.utf8Start.pointee == 0x64 ? 0 : letter.utf8Start.pointee == 0x6E ? 1 : 2)
        if place >= most || seen[place] != 0 { return }
        seen[place] = 1
        let line = Array("\(id) \(letter)\n".utf8)
        _ = line.withUnsafeBytes { write(trace, $0.baseAddress, $0.count) }
    }

    private static func isActive(_ id: Int, changes: Bool) -> Bool {
        if trace >= 0 { record(id, changes ? "d" : "r") }
        return active == id
    }

    /// Answers for a check that passes if it is true.
    public static func pass(_ id: Int, _ value: Bool) -> Bool { isActive(id, changes: !value) || value }

    /// Answers for a check that passes if it is false.
    public static func deny(_ id: Int, _ value: Bool) -> Bool { !isActive(id, changes: value) && value }

    /// Whether a pattern that has matched counts as a match.
    public static func keep(_ id: Int) -> Bool { !isActive(id, changes: true) }

    /// Whether a guard that has failed is skipped.
    public static func skips(_ id: Int) -> Bool { isActive(id, changes: true) }

    /// Counts a branch.
    public static func reach(_ id: Int) { _ = isActive(id, changes: true) }

    /// Returns a value that may be missing. The mutant replaces nil by an empty value, if its type has one.
    public static func or<Value>(_ id: Int, _ value: Value?) -> Value? {
        if trace < 0 && (value != nil || active != id) { return value }
        guard let empty = empty(Value.self) else {
            if trace >= 0 { record(id, "n") }
            return value
        }
        return isActive(id, changes: value == nil) ? value ?? empty : value
    }

    private static func empty<Value>(_ type: Value.Type) -> Value? {
        if let type = type as? any EmptyValue.Type { return type.empty as? Value }
        if let type = type as? any CaseIterable.Type { return first(of: type) as? Value }
        return nil
    }

    private static func first<Cases: CaseIterable>(of type: Cases.Type) -> Cases? { type.allCases.first }

    public static func less<Value: Comparable>(_ id: Int, _ left: Value, _ right: Value) -> Bool {
        isActive(id, changes: left == right) ? left <= right : left < right
    }
    public static func lessOrEqual<Value: Comparable>(_ id: Int, _ left: Value, _ right: Value) -> Bool {
        isActive(id, changes: left == right) ? left < right : left <= right
    }
    public static func greater<Value: Comparable>(_ id: Int, _ left: Value, _ right: Value) -> Bool {
        isActive(id, changes: left == right) ? left >= right : left > right
    }
    public static func greaterOrEqual<Value: Comparable>(_ id: Int, _ left: Value, _ right: Value) -> Bool {
        isActive(id, changes: left == right) ? left > right : left >= right
    }
    @_disfavoredOverload
    public static func less<A: BinaryInteger, B: BinaryInteger>(_ id: Int, _ left: A, _ right: B) -> Bool {
        isActive(id, changes: left == right) ? left <= right : left < right
    }
    @_disfavoredOverload
    public static func lessOrEqual<A: BinaryInteger, B: BinaryInteger>(_ id: Int, _ left: A, _ right: B) -> Bool {
        isActive(id, changes: left == right) ? left < right : left <= right
    }
    @_disfavoredOverload
    public static func greater<A: BinaryInteger, B: BinaryInteger>(_ id: Int, _ left: A, _ right: B) -> Bool {
        isActive(id, changes: left == right) ? left >= right : left > right
    }
    @_disfavoredOverload
    public static func greaterOrEqual<A: BinaryInteger, B: BinaryInteger>(_ id: Int, _ left: A, _ right: B) -> Bool {
        isActive(id, changes: left == right) ? left > right : left >= right
    }
}

/// A type with an empty value, which stands in for a missing one.
private protocol EmptyValue {
    static var empty: Self { get }
}
extension Bool: EmptyValue { static var empty: Bool { false } }
extension Int: EmptyValue { static var empty: Int { 0 } }
extension Int32: EmptyValue { static var empty: Int32 { 0 } }
extension Int64: EmptyValue { static var empty: Int64 { 0 } }
extension UInt8: EmptyValue { static var empty: UInt8 { 0 } }
extension UInt32: EmptyValue { static var empty: UInt32 { 0 } }
extension UInt64: EmptyValue { static var empty: UInt64 { 0 } }
extension Double: EmptyValue { static var empty: Double { 0 } }
extension Duration: EmptyValue { static var empty: Duration { .zero } }
extension String: EmptyValue { static var empty: String { "" } }
extension Substring: EmptyValue { static var empty: Substring { "" } }
extension Array: EmptyValue { static var empty: [Element] { [] } }
extension ArraySlice: EmptyValue { static var empty: ArraySlice<Element> { [] } }
extension Dictionary: EmptyValue { static var empty: [Key: Value] { [:] } }
extension Set: EmptyValue { static var empty: Set<Element> { [] } }
extension Range: EmptyValue where Bound == Int { static var empty: Range<Int> { 0..<0 } }
