/// The reason why claims were not decoded as the requested type, or a value was not encoded as claims.
///
/// It contains no value, and of the coding path only what the type of the application declares: the names of its coding
/// keys and positions in arrays. Keys of dictionaries are content of the token, and are shown as `*`.
public struct CodingFailure: Equatable, Hashable, Sendable {
    /// The kinds of failures.
    package enum Reason: Equatable, Hashable, Sendable {
        /// A member that the type requires is absent.
        case keyMissing
        /// A member is `null` or absent where the type requires a value.
        case valueMissing
        /// A value is of another JSON type than the type requires.
        case typeMismatch
        /// A value is of the right JSON type and not one that the type accepts, such as a number out of range or text
        /// that is no URL.
        case valueInvalid
        /// The type's own `init(from:)` or `encode(to:)` threw an error of another type.
        case other
    }
    /// The kind of the failure.
    package let reason: Reason
    /// The coding path to the value, such as `address.lines[2]`; empty for the claims themselves.
    public let path: String

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - reason: The kind of the failure.
    ///   - path: The coding path to the value; empty for the claims themselves.
    package init(_ reason: Reason, at path: String = "") {
        self.reason = reason
        self.path = path
    }
}

extension CodingFailure {
    /// Creates the failure of an error of a decoder or an encoder.
    init(_ error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            self.init(.keyMissing, at: Self.path(context.codingPath + [key]))
        case DecodingError.valueNotFound(_, let context): self.init(.valueMissing, at: Self.path(context.codingPath))
        case DecodingError.typeMismatch(_, let context): self.init(.typeMismatch, at: Self.path(context.codingPath))
        case DecodingError.dataCorrupted(let context): self.init(.valueInvalid, at: Self.path(context.codingPath))
        case EncodingError.invalidValue(_, let context): self.init(.valueInvalid, at: Self.path(context.codingPath))
        default: self.init(.other)
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys {
            let step = step(key)
            if !path.isEmpty, !step.hasPrefix("[") { path += "." }
            path += step
        }
        return path
    }

    /// A coding key that a type declares is a case of an enumeration without associated values. All others are created
    /// from the content of a token, except for positions in arrays.
    private static func step(_ key: any CodingKey) -> String {
        let mirror = Mirror(reflecting: key)
        guard mirror.displayStyle == .enum else { return "*" }
        guard let content = mirror.children.first else { return key.stringValue }
        guard content.label == "index", let index = key.intValue else { return "*" }
        return "[\(index)]"
    }
}

extension CodingFailure: Described {
    /// A description of one line, without values of the token.
    package var summary: String {
        let location = path.isEmpty ? "the claims" : path
        return switch reason {
        case .keyMissing: "\(location) is missing"
        case .valueMissing: "\(location) is null, and a value is required"
        case .typeMismatch: "\(location) is of another JSON type"
        case .valueInvalid: "\(location) has a value that is not accepted"
        case .other: "the type's own coding failed"
        }
    }
}
