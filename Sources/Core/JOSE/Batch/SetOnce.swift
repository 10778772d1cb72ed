internal import Synchronization

/// A reference that is nil at first and can be set once. Any number of threads read it without a lock.
///
/// It does what `AtomicLazyReference` does, but is specialized in this module: that type looks up its generic metadata
/// at each use.
@safe struct SetOnce<Value: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The address of the object; zero where there is none yet.
    private let storage = Atomic<UInt>(0)

    @inline(__always)
    borrowing func load() -> Value? {
        let bits = storage.load(ordering: .acquiring)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        return unsafe Unmanaged<Value>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The object, to which no reference is counted. It may be used as long as this value exists, because it is never
    /// replaced.
    @inline(__always)
    borrowing func unretained() -> Unmanaged<Value>? {
        let bits = storage.load(ordering: .acquiring)
        return unsafe UnsafeRawPointer(bitPattern: bits).map { unsafe Unmanaged<Value>.fromOpaque($0) }
    }

    /// Stores the value if there is none, and returns the stored one. Of two threads, the first one's value is kept.
    borrowing func storeIfNil(_ value: Value) -> Value {
        let bits = unsafe UInt(bitPattern: Unmanaged.passRetained(value).toOpaque())
        let (isStored, _) = storage.compareExchange(expected: 0, desired: bits, ordering: .acquiringAndReleasing)
        if isStored { return value }
        unsafe Unmanaged.passUnretained(value).release()
        return load() ?? value
    }

    deinit {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: storage.load(ordering: .acquiring)) else { return }
        unsafe Unmanaged<Value>.fromOpaque(pointer).release()
    }
}
