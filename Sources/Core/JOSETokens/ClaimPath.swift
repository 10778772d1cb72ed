internal import JOSESupport

/// The path of a value inside the claims of a token: the name of a claim, and then the name of a member for each object
/// and the index of an element for each array, such as `["address", "country"]` or `["amr", 0]`.
public struct ClaimPath: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// A step of a path.
    public enum Step: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        /// The member of an object with this name, compared byte by byte.
        case name(String)
        /// The element of an array at this index, counted from 0.
        case element(Int)
        /// Every element of an array. It names claims to disclose: where an SD-JWT is issued, each element has a
        /// disclosure of its own. A path with this step leads to no single value, so that the readers of claims, such
        /// as ``Claims/string(at:)``, return nil for it, and ``Claims/contains(at:)`` returns false.
        case everyElement

        /// Creates a step to a member from its name.
        public init(stringLiteral name: String) { self = .name(name) }
        /// Creates a step to an array element from its index.
        public init(integerLiteral index: Int) { self = .element(index) }

        /// Returns whether two steps are equal. Names are compared byte by byte.
        public static func == (a: Self, b: Self) -> Bool {
            switch (a, b) {
            case (.name(let a), .name(let b)): bytesEqual(a, b)
            case (.element(let a), .element(let b)): a == b
            case (.everyElement, .everyElement): true
            default: false
            }
        }
    }
    /// The steps from the top level of the claims, of which the first is the name of a claim.
    package let steps: [Step]

    /// Creates a path from its steps.
    ///
    /// - Parameter steps: The steps, of which the first is the name of a claim. A path without steps, or with another
    ///   first step, leads to no value.
    public init(_ steps: [Step]) { self.steps = steps }
    /// Creates a path to a claim at the top level from its name.
    public init(stringLiteral name: String) { steps = [.name(name)] }
    /// Creates a path from its steps, of which the first is the name of a claim.
    public init(arrayLiteral steps: Step...) { self.steps = steps }
}

extension Claims {
    /// Returns a string inside a claim.
    ///
    /// - Parameter path: The path of the value.
    /// - Returns: The string; nil if the path leads to no value, or to one of another type.
    public func string(at path: ClaimPath) -> String? { value(at: path)?.string(in: payload.span) }

    /// Returns a number inside a claim.
    ///
    /// - Parameter path: The path of the value.
    /// - Returns: The number; nil if the path leads to no value, or to one of another type. A string of digits is not a
    ///   number.
    public func number(at path: ClaimPath) -> Double? { value(at: path)?.number(in: payload.span) }

    /// Returns an integer inside a claim.
    ///
    /// - Parameter path: The path of the value.
    /// - Returns: The integer; nil if the path leads to no value, or if the value is not a number, is written with a
    ///   fraction or an exponent, or does not fit in 64 bits.
    public func integer(at path: ClaimPath) -> Int64? { value(at: path)?.integer(in: payload.span) }

    /// Returns a Boolean value inside a claim.
    ///
    /// - Parameter path: The path of the value.
    /// - Returns: The value; nil if the path leads to no value, or to one of another type.
    public func bool(at path: ClaimPath) -> Bool? { value(at: path)?.bool() }

    /// Returns a point in time inside a claim (RFC 7519, 2).
    ///
    /// - Parameter path: The path of the value.
    /// - Returns: The point in time; nil if the path leads to no value, or if the value is not a number or is more than
    ///   2^53 seconds from 1970.
    public func date(at path: ClaimPath) -> NumericDate? { value(at: path).flatMap { date(of: $0) } }

    /// Returns the strings of a value inside a claim that is a string or an array of strings.
    ///
    /// - Parameter path: The path of the value.
    /// - Returns: The strings, where a single string is a list of one; nil if the path leads to no value, or an element
    ///   is not a string.
    public func strings(at path: ClaimPath) -> [String]? { value(at: path).flatMap { strings(of: $0) } }

    /// Returns the JSON text of a value inside a claim, byte for byte as it is in the payload.
    ///
    /// - Parameter path: The path of the value.
    /// - Returns: The JSON text; nil if the path leads to no value.
    public func json(at path: ClaimPath) -> [UInt8]? { value(at: path)?.slice(in: payload.span) }

    /// Returns whether a path leads to a value; `null` counts as a value.
    ///
    /// - Parameter path: The path of the value.
    public func contains(at path: ClaimPath) -> Bool { value(at: path) != nil }

    /// Returns the JSON value at a path. Its range is within `payload`.
    private func value(at path: ClaimPath) -> JSONValue? {
        guard case .name(let claim)? = path.steps.first, var value = value(claim) else { return nil }
        for step in path.steps.dropFirst() {
            switch step {
            case .name(let name):
                guard let member = value.object(in: payload.span)?.first(name.utf8.span, in: payload.span) else {
                    return nil
                }
                value = member
            case .element(let index):
                guard let elements = value.array(in: payload.span), elements.indices.contains(index) else { return nil }
                value = elements[index]
            case .everyElement: return nil
            }
        }
        return value
    }
}
