internal import JOSESupport

/// A rule for `typ` or `cty`. Media types are compared without regard to ASCII case, and the prefix `application/` may
/// be omitted if the remainder contains no `/` (RFC 7515, 4.1.9).
public enum TypeRule: Sendable, Equatable {
    /// Any value is accepted, and the member may be absent.
    case any
    /// The member must be absent.
    case absent
    /// The member must be present and have this value.
    case exactly(String)
    /// The member must have this value if it is present.
    case absentOr(String)
    /// The member may be absent or have any value but these.
    case otherThan([String])

    /// Returns whether the rule accepts the value, which is looked up only if there is a rule.
    @inline(__always)
    func accepts(_ value: @autoclosure () -> JSONValue?, in bytes: Span<UInt8>) -> Bool {
        if case .any = self { return true }
        return accepts(value(), bytes)
    }

    /// Returns whether the rule accepts a header that has this value, or none.
    package func accepts(_ value: String?) -> Bool {
        switch self {
        case .any: true
        case .absent: value == nil
        case .exactly(let wanted): value.map { Self.same($0, wanted) } ?? false
        case .absentOr(let wanted): value.map { Self.same($0, wanted) } ?? true
        case .otherThan(let rejected): value.map { one in !rejected.contains { Self.same(one, $0) } } ?? true
        }
    }

    /// Returns the rule that also rejects these values. A rule that accepts one value, or none, stays as it is.
    package func rejecting(_ values: [String]) -> TypeRule {
        switch self {
        case .any: .otherThan(values)
        case .otherThan(let rejected): .otherThan(rejected + values)
        case .absent, .exactly, .absentOr: self
        }
    }

    private static func same(_ value: String, _ wanted: String) -> Bool {
        // An issuer takes the value from the rule, if it is given none.
        bytesEqual(value, wanted) || whole(Array(value.utf8)) == whole(Array(wanted.utf8))
    }

    private func accepts(_ value: JSONValue?, _ bytes: Span<UInt8>) -> Bool {
        switch self {
        case .any: return true
        case .absent: return value == nil
        case .exactly(let wanted):
            guard let value else { return false }
            return Self.same(value, wanted, in: bytes)
        case .absentOr(let wanted):
            guard let value else { return true }
            return Self.same(value, wanted, in: bytes)
        case .otherThan(let rejected):
            guard let value else { return true }
            // A value of another JSON type names no kind of token, and is not accepted as one.
            guard value.kind == .string else { return false }
            return !rejected.contains { Self.same(value, $0, in: bytes) }
        }
    }

    private static func same(_ value: JSONValue, _ wanted: String, in bytes: Span<UInt8>) -> Bool {
        if !value.escaped {
            let text = bytes.extracting(Int(value.start) + 1..<Int(value.end) - 1)
            if bytesEqual(text, wanted.utf8.span) { return true }
        }
        guard let text = value.stringBytes(in: bytes) else { return false }
        return whole(text) == whole(Array(wanted.utf8))
    }

    /// Returns the media type in lower case, with `application/` where it was omitted.
    private static func whole(_ text: [UInt8]) -> [UInt8] {
        let lower = text.map(\.asciiLowercased)
        return lower.contains(UInt8(ascii: "/")) ? lower : Array("application/".utf8) + lower
    }
}
