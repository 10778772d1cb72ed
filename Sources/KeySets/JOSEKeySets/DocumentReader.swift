/// What a ``RemoteDocument`` holds: how a body becomes a value, and what a new value owes to the one before it.
package protocol DocumentReader: Sendable {
    associatedtype Value: Sendable
    /// What is remembered from one body to the next beside the value.
    associatedtype Memory: Sendable

    /// For the field `Accept`, the best first; the only media types that the strict rule lets in.
    var mediaTypes: [String] { get }
    /// Before anything came.
    var blank: Memory { get }

    /// A body came that is not the one before. Throws `refused` where it is not to be used; what `memory` learnt is kept all the
    /// same. Runs under no lock, and anew where `held` changed meanwhile.
    func take(
        _ body: [UInt8], over held: Value?, _ memory: inout Memory, at now: Double
    ) throws(KeySetError) -> Taken<Value>

    /// The body that is held came again, or the server says that it holds still.
    func confirm(_ memory: inout Memory, at now: Double)

    /// When `value` changes without anything being fetched.
    func nextChange(_ memory: Memory) -> Double?
    /// The change that is due, quick enough to be made under the lock.
    func change(_ value: Value, _ memory: inout Memory, at now: Double) -> Taken<Value>?

    /// How many keys it has, or 1 where that means nothing.
    func count(_ value: Value) -> Int
    /// Whether a key of that name is in it.
    func holds(_ keyID: [UInt8], in value: Value) -> Bool
}

extension DocumentReader {
    package func nextChange(_ memory: Memory) -> Double? { nil }
    package func change(_ value: Value, _ memory: inout Memory, at now: Double) -> Taken<Value>? { nil }
    package func count(_ value: Value) -> Int { 1 }
    package func holds(_ keyID: [UInt8], in value: Value) -> Bool { false }
    package func confirm(_ memory: inout Memory, at now: Double) {}
}

extension DocumentReader where Memory == Void {
    package var blank: Void { () }
}

/// A value that was taken, and what is to be told of it.
package struct Taken<Value: Sendable>: Sendable {
    package let value: Value
    /// Whether it is another than the one before.
    package let isNew: Bool
    package let events: [KeySetEvent]
    /// Members that cannot be used.
    package let skipped: Int

    package init(_ value: Value, isNew: Bool, events: [KeySetEvent] = [], skipped: Int = 0) {
        self.value = value
        self.isNew = isNew
        self.events = events
        self.skipped = skipped
    }
}
