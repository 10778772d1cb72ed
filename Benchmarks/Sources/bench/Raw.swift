internal import CRaw

/// The arguments of a `Raw`.
struct RawCall {
    let operation: String
    let alg: String
    var enc: String?
    let fields: [(craw_field, [UInt8])]
    var then: [RawCall] = []
}

/// The cryptography of an operation alone, with OpenSSL or libsodium. It is used by one thread at a time.
@safe final class Raw {
    private let handle: OpaquePointer
    /// Our own work in place of a raw call, to compare two ways with each other.
    private let work: Work?

    /// Creates a raw call. It traps if the call does not work, because the comparison would then be meaningless.
    ///
    /// - Parameter operation: The operation; it and the names are those of `craw_new`.
    init(
        _ operation: String, _ alg: String, enc: String? = nil, _ fields: [(craw_field, [UInt8])],
        then others: [Raw] = []
    ) {
        unsafe handle = Self.made(RawCall(operation: operation, alg: alg, enc: enc, fields: fields))
        work = nil
        for other in others { unsafe craw_then(handle, other.handle) }
        // This is a fault of the benchmark itself: there is nothing to compare with.
        guard unsafe craw_ready(handle) else { fatalError("raw \(operation) \(alg) \(enc ?? "") failed") }
    }

    convenience init(_ call: RawCall) {
        self.init(call.operation, call.alg, enc: call.enc, call.fields, then: call.then.map { Raw($0) })
    }

    /// Returns whether the call succeeds with these bytes.
    static func holds(_ call: RawCall) -> Bool {
        let handle = unsafe made(call)
        for next in call.then { unsafe craw_then(handle, made(next)) }
        return unsafe craw_ready(handle)
    }

    private static func made(_ call: RawCall) -> OpaquePointer {
        let handle = unsafe craw_new(call.operation, call.alg, call.enc)
        for (field, bytes) in call.fields { unsafe craw_put(handle, field, bytes, bytes.count) }
        return unsafe handle
    }

    /// Creates a comparison with our own work.
    init(_ work: @escaping Work) {
        unsafe handle = craw_new("none", "none", nil)
        self.work = work
    }

    /// Returns the output of the last `encrypt`.
    func made(_ field: craw_field) -> [UInt8] {
        var count = 0
        let bytes = unsafe craw_made(handle, field, &count)
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Runs the call `count` times, and returns how many calls succeeded.
    func run(_ count: Int) -> Int { if let work { work(count) } else { unsafe craw_run(handle, count) } }
}

/// The allocations of this thread since the program began.
struct Allocations {
    var ours = 0.0
    var libcrypto = 0.0

    /// Returns the allocations of one call, measured over `count` calls.
    static func perCall(_ count: Int, _ work: (Int) -> Int) -> Allocations? {
        guard craw_counts() else { return nil }
        let before = craw_count()
        _ = work(count)
        let after = craw_count()
        return Allocations(
            ours: Double(after.ours - before.ours) / Double(count),
            libcrypto: Double(after.libcrypto - before.libcrypto) / Double(count))
    }
}
