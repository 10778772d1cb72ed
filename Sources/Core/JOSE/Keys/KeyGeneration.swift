internal import Synchronization

/// One state of a verifier's or decrypter's keys: another set is another generation, whatever it holds. For what is remembered of a
/// token together with the keys that judged it.
package struct KeyGeneration: Equatable, Sendable {
    private static let made = Atomic<UInt64>(0)

    private let number: UInt64
    /// Whether the keys never change.
    package var isFixed: Bool { number == 0 }
    /// Whether every key is in this process: one in a device may fail for reasons of the device's.
    package let isHere: Bool

    /// Of a set that a source gave.
    init(of set: KeySet) {
        number = Self.made.add(1, ordering: .relaxed).newValue
        isHere = set.isHere
    }

    /// Of a set that never changes, for one verifier or decrypter.
    init(fixed set: KeySet) {
        number = 0
        isHere = set.isHere
    }

    /// Of no keys at all.
    package static let none = KeyGeneration(fixed: .empty)
}

extension KeySet {
    fileprivate var isHere: Bool {
        keys.allSatisfy { key in
            if case .privateKey(let key) = key { key.isExportable } else { true }
        }
    }
}
