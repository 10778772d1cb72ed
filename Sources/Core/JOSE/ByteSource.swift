internal import JOSESupport

/// Text or bytes that a method reads.
///
/// The methods that read a token, a key or a payload take any of these: a `String` or `Substring`, whose UTF-8 bytes
/// are read, their `utf8` views, an array of bytes or a slice of one, `Data`, or a `Span` of memory that another owns.
/// The bytes are read where they are, without a copy; methods that wait may copy them, unless they are an array. Conform
/// another type that stores its bytes in one piece, such as a buffer of a server, to pass it directly.
public protocol ByteSource: Sendable, ~Copyable, ~Escapable {
    /// Calls `body` with the bytes, which are valid during the call alone, and returns its result.
    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

/// A ``ByteSource`` that a method reads during its call alone, so that it may be a `Span`.
public typealias BorrowedBytes = ByteSource & ~Copyable & ~Escapable

extension Span: ByteSource where Element == UInt8 {
    @inlinable public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(self) }
}

extension Array: ByteSource where Element == UInt8 {
    @inlinable public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(span) }
}

extension ArraySlice: ByteSource where Element == UInt8 {
    @inlinable public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(span) }
}

extension String: ByteSource {
    @inlinable public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(utf8.span) }
}

extension Substring: ByteSource {
    @inlinable public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(utf8.span) }
}

extension String.UTF8View: ByteSource {
    @inlinable public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(span) }
}

extension Substring.UTF8View: ByteSource {
    @inlinable public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(span) }
}

extension ByteSource {
    /// The bytes in an array of their own, for work that goes on while the caller waits. An array is not copied.
    @inlinable package var array: [UInt8] { (self as? [UInt8]) ?? withBytes(copied) }
}

@usableFromInline func copied(_ bytes: Span<UInt8>) -> [UInt8] { bytes.copy() }
