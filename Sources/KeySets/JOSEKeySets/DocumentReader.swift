/// A reader of the documents of a ``RemoteDocument``: it parses a body and merges the result with the previous value.
package protocol DocumentReader: Sendable {
    associatedtype Value: Sendable
    /// The state that is kept from one body to the next beside the value.
    associatedtype Memory: Sendable

    /// The media types for the field `Accept`, the preferred one first. The strict rule accepts no others.
    var mediaTypes: [String] { get }
    /// The state before the first body.
    var blank: Memory { get }

    /// Parses a body that differs from the previous one. Throws `refused` if it is rejected; changes of `memory` are
    /// kept nevertheless. Runs without a lock, and is repeated if `current` changes meanwhile.
    func take(
        _ body: [UInt8], over current: Value?, _ memory: inout Memory, at now: Double
    ) throws(KeySetError) -> Taken<Value>

    /// Returns the events that say why a body was rejected. They precede the rejection.
    func rejectionEvents(_ memory: Memory) -> [KeySetEvent]

    /// Notes that the current body was received again, or that the server confirmed it.
    func confirm(_ memory: inout Memory, at now: Double)

    /// Returns the time at which `value` changes without a fetch.
    func nextChange(_ memory: Memory) -> Double?
    /// Returns the change that is due. It must be quick, because it is called under the lock.
    func change(_ value: Value, _ memory: inout Memory, at now: Double) -> Taken<Value>?

    /// Returns the number of keys, or 1 for a document that is not a key set.
    func count(_ value: Value) -> Int
    /// Returns whether the value contains a key of that name.
    func contains(_ keyID: [UInt8], in value: Value) -> Bool
}

extension DocumentReader {
    package func rejectionEvents(_ memory: Memory) -> [KeySetEvent] { [] }
    package func nextChange(_ memory: Memory) -> Double? { nil }
    package func change(_ value: Value, _ memory: inout Memory, at now: Double) -> Taken<Value>? { nil }
    package func count(_ value: Value) -> Int { 1 }
    package func contains(_ keyID: [UInt8], in value: Value) -> Bool { false }
    package func confirm(_ memory: inout Memory, at now: Double) {}
}

extension DocumentReader where Memory == Void {
    package var blank: Void { () }
}

/// A value that was accepted, with the events to report.
package struct Taken<Value: Sendable>: Sendable {
    package let value: Value
    /// Whether the value differs from the previous one.
    package let isNew: Bool
    package let events: [KeySetEvent]
    /// The number of members that cannot be used.
    package let skipped: Int

    package init(_ value: Value, isNew: Bool, events: [KeySetEvent] = [], skipped: Int = 0) {
        self.value = value
        self.isNew = isNew
        self.events = events
        self.skipped = skipped
    }
}
