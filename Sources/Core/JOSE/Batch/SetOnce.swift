internal import Synchronization

/// An object that is not there at first, and stays once it is: any number of threads read it without a lock. What
/// `AtomicLazyReference` is, but compiled here: that one looks up its generic type's metadata each time.
@safe struct SetOnce<Value: AnyObject & Sendable>: ~Copyable, Sendable {
    /// Where it is; zero: there is none yet.
    private let place = Atomic<UInt>(0)

    @inline(__always)
    borrowing func load() -> Value? {
        let bits = place.load(ordering: .acquiring)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        return unsafe Unmanaged<Value>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// What is there afterwards: of two threads that bring one, the first one's.
    borrowing func storeIfNil(_ value: Value) -> Value {
        let bits = unsafe UInt(bitPattern: Unmanaged.passRetained(value).toOpaque())
        let (isStored, _) = place.compareExchange(expected: 0, desired: bits, ordering: .acquiringAndReleasing)
        if isStored { return value }
        unsafe Unmanaged.passUnretained(value).release()
        return load() ?? value
    }

    deinit {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: place.load(ordering: .acquiring)) else { return }
        unsafe Unmanaged<Value>.fromOpaque(pointer).release()
    }
}
