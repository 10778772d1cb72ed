internal import Synchronization

/// An identifier of one state of a verifier's or decrypter's keys: another set is another generation, whatever its keys
/// are. Caches store it with the results that these keys gave.
package struct KeyGeneration: Equatable, Sendable {
    private static let made = Atomic<UInt64>(0)

    private let number: UInt64
    /// Whether the keys never change.
    package var isFixed: Bool { number == 0 }
    /// Whether every key is in this process. A key in a device may fail for reasons of the device.
    package let isHere: Bool

    /// Creates the generation of a set that a source returned.
    init(of set: KeySet) {
        number = Self.made.add(1, ordering: .relaxed).newValue
        isHere = set.isHere
    }

    /// Creates the generation of a set that never changes, for one verifier or decrypter.
    init(fixed set: KeySet) {
        number = 0
        isHere = set.isHere
    }

    /// The generation of an empty set.
    package static let none = KeyGeneration(fixed: .empty)
}

extension KeySet {
    fileprivate var isHere: Bool {
        keys.allSatisfy { key in
            if case .privateKey(let key) = key { key.isExportable } else { true }
        }
    }
}
