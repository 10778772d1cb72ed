public import JOSE

/// A value of the application that can be the value of a claim.
///
/// Claims that are written as a dictionary literal take variables of conforming types: `issuer.issue(["sub": user,
/// "roles": roles])`. The conforming types are `String`, `Substring`, `Bool`, the integers, `Double`, `Float`,
/// `NumericDate`, ``ClaimName``, ``ClaimValue``, and Foundation's `Date`, `UUID` and `URL`; arrays of them, and
/// dictionaries of them by `String`.
public protocol ClaimValueConvertible {
    /// The JSON value of the claim.
    var claimValue: ClaimValue { get }
}

/// A conforming type of this package, of the standard library or of Foundation.
package protocol StandardClaimValue: ClaimValueConvertible {
    /// The JSON value of the claim.
    var standardClaimValue: ClaimValue { get }
}

extension StandardClaimValue {
    /// The JSON value of the claim.
    public var claimValue: ClaimValue { standardClaimValue }
}

extension ClaimValue: ClaimValueConvertible, StandardClaimValue {
    /// The value itself.
    package var standardClaimValue: ClaimValue { self }
}

extension String: ClaimValueConvertible, StandardClaimValue {
    /// The text as a JSON string.
    package var standardClaimValue: ClaimValue { .string(self) }
}

extension Substring: ClaimValueConvertible, StandardClaimValue {
    /// The text as a JSON string.
    package var standardClaimValue: ClaimValue { .string(String(self)) }
}

extension Bool: ClaimValueConvertible, StandardClaimValue {
    /// `true` or `false`.
    package var standardClaimValue: ClaimValue { .bool(self) }
}

extension Double: ClaimValueConvertible, StandardClaimValue {
    /// The number. If it is not finite, issuing the token fails.
    package var standardClaimValue: ClaimValue { .number(self) }
}

extension Float: ClaimValueConvertible, StandardClaimValue {
    /// The number. If it is not finite, issuing the token fails.
    package var standardClaimValue: ClaimValue { .number(Double(self)) }
}

extension StandardClaimValue where Self: BinaryInteger {
    /// The integer in decimal digits, whatever its size.
    package var standardClaimValue: ClaimValue {
        Int64(exactly: self).map { .integer($0) } ?? .json(Array("\(self)".utf8))
    }
}

extension Int: ClaimValueConvertible, StandardClaimValue {}
extension Int8: ClaimValueConvertible, StandardClaimValue {}
extension Int16: ClaimValueConvertible, StandardClaimValue {}
extension Int32: ClaimValueConvertible, StandardClaimValue {}
extension Int64: ClaimValueConvertible, StandardClaimValue {}
extension UInt: ClaimValueConvertible, StandardClaimValue {}
extension UInt8: ClaimValueConvertible, StandardClaimValue {}
extension UInt16: ClaimValueConvertible, StandardClaimValue {}
extension UInt32: ClaimValueConvertible, StandardClaimValue {}
extension UInt64: ClaimValueConvertible, StandardClaimValue {}

extension NumericDate: ClaimValueConvertible, StandardClaimValue {
    /// The point in time in whole seconds, as `ClaimValue.date(_:)` writes it.
    package var standardClaimValue: ClaimValue { .date(self) }
}

extension ClaimName: ClaimValueConvertible, StandardClaimValue {
    /// The name as a JSON string.
    package var standardClaimValue: ClaimValue { .string(description) }
}

extension Array: ClaimValueConvertible where Element: ClaimValueConvertible {
    /// The elements as a JSON array, in their order.
    public var claimValue: ClaimValue { .array(map(\.claimValue)) }
}

extension Dictionary: ClaimValueConvertible where Key == String, Value: ClaimValueConvertible {
    /// The members as a JSON object, sorted by name.
    public var claimValue: ClaimValue {
        .object(sorted { $0.key < $1.key }.map { ($0.key, $0.value.claimValue) })
    }
}

/// No conformance: an absent value is a claim that is left out, and `ClaimValue.null` is a claim that is `null`.
@available(
    *, unavailable,
    message: "unwrap the optional: leave the claim out where there is no value, or use ClaimValue.null for null"
)
extension Optional: ClaimValueConvertible where Wrapped: ClaimValueConvertible {
    /// The value, or `null`.
    public var claimValue: ClaimValue { map(\.claimValue) ?? .null }
}

extension ClaimsBuilder {
    /// Creates a builder with claims whose values are variables of the application. If a name is repeated, the last
    /// value is used.
    public init(_ claims: KeyValuePairs<String, any ClaimValueConvertible>) {
        self.init()
        for (name, value) in claims { self[name] = value.claimValue }
    }

    /// Creates a builder with the claims of a dictionary, sorted by name. The values are `ClaimValue`s or variables of
    /// the application.
    public init(dictionary claims: [String: any ClaimValueConvertible]) {
        self.init()
        for (name, value) in claims.sorted(by: { $0.key < $1.key }) { self[name] = value.claimValue }
    }

    /// Sets a claim to a value of the application. Names are compared byte by byte; assigning nil removes the claim.
    @_disfavoredOverload
    public subscript(_ name: String) -> (any ClaimValueConvertible)? {
        get { self[name] as ClaimValue? }
        set { self[name] = newValue?.claimValue as ClaimValue? }
    }
}

extension TokenIssuer {
    /// Issues a token with claims whose values are variables of the application, as the method that takes a
    /// `ClaimsBuilder` does.
    @_disfavoredOverload
    public func issue(
        _ claims: KeyValuePairs<String, any ClaimValueConvertible>, options: TokenOptions = TokenOptions()
    ) throws(TokenError) -> String {
        try issue(ClaimsBuilder(claims), options: options)
    }

    /// Names the initializer that takes a dictionary in a variable.
    @_disfavoredOverload
    @available(*, unavailable, message: "issue(ClaimsBuilder(dictionary: claims)) takes a dictionary in a variable")
    public func issue(
        _ claims: [String: any ClaimValueConvertible], options: TokenOptions = TokenOptions()
    ) throws(TokenError) -> String {
        try issue(ClaimsBuilder(dictionary: claims), options: options)
    }

    /// Names what takes values of any type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the values of claims are ClaimValueConvertible, such as String, Int, Bool, Date and arrays of them; issue(encoding:) takes any Encodable, and issue(json:) the text of an object"
    )
    public func issue(_ claims: [String: Any], options: TokenOptions = TokenOptions()) throws(TokenError) -> String {
        try issue(json: [], options: options)
    }
}

extension ClaimsBuilder {
    /// Names what takes values of any type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "the values of claims are ClaimValueConvertible, such as String, Int, Bool, Date and arrays of them"
    )
    public init(dictionary claims: [String: Any]) { self.init() }
}
