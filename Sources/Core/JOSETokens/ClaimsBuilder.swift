package import JOSESupport

/// The claims of a token that an application issues.
///
/// Registered claims such as ``subject`` are properties, and every other claim is set by its name. A `TokenIssuer` adds
/// the claims that its policy determines, such as `iss`, `aud`, `iat` and `exp`, where they are absent.
///
/// ```
/// var claims = ClaimsBuilder()
/// claims.subject = "user-1"
/// claims["roles"] = ["reader", "editor"]
/// let token = try issuer.issue(claims)
/// ```
public struct ClaimsBuilder: Sendable, ExpressibleByDictionaryLiteral {
    private var members: [(name: String, value: ClaimValue)] = []

    /// Creates a builder without claims.
    public init() {}

    var count: Int { members.count }

    /// Creates a builder with the claims of the literal. If a name is repeated, the last value is used.
    public init(dictionaryLiteral elements: (String, ClaimValue)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The value of the claim with this name. Names are compared byte by byte; assigning nil removes the claim.
    public subscript(_ name: String) -> ClaimValue? {
        get { members.first { bytesEqual($0.name, name) }?.value }
        set {
            let index = members.firstIndex { bytesEqual($0.name, name) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// The names and values, in the order in which they were set.
    package var object: [(String, ClaimValue)] { members.map { ($0.name, $0.value) } }

    /// Writes the claims as JSON text.
    package func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(room)
        writer.beginObject()
        write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Writes the members without the braces of the object.
    func write(to writer: inout JSONWriter) {
        for index in members.indices {
            writer.name(members[index].name)
            members[index].value.write(to: &writer)
        }
    }

    /// Returns whether a claim is present. `name` must be ASCII, so that equal strings have equal bytes.
    func contains(_ name: String) -> Bool {
        for index in members.indices where members[index].name == name { return true }
        return false
    }

    /// An estimate of the size of the JSON text, which is sufficient for most claims.
    var room: Int {
        var room = 2
        for index in members.indices { room += members[index].name.utf8.count + 4 + members[index].value.room }
        return room
    }
}

/// The JSON value of a claim.
public enum ClaimValue: Sendable {
    /// A string. It is escaped as far as JSON requires.
    case string(String)
    /// An integer, written in full. Beyond 2^53, recipients that read it as a `Double` lose digits.
    case integer(Int64)
    /// A number. If it is not finite, issuing the token fails.
    case number(Double)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`, which differs from an absent claim.
    case null
    /// An array, in this order.
    case array([ClaimValue])
    /// An object, with its members in this order. If a name is repeated, issuing the token fails.
    case object([(String, ClaimValue)])
    /// JSON text of the caller, which is validated when the token is issued.
    case json([UInt8])

    fileprivate var room: Int {
        switch self {
        case .string(let text): text.utf8.count + 2
        case .json(let text): text.count
        case .array(let values): values.reduce(2) { $0 + $1.room + 1 }
        case .object(let members): members.reduce(2) { $0 + $1.0.utf8.count + 4 + $1.1.room }
        case .integer, .number, .bool, .null: 12
        }
    }

    /// Writes the value as JSON text.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .string(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        // JSON has no such number. Writing text that no parser accepts makes issuing fail, so that the value is not
        // silently lost.
        case .number(let number) where !number.isFinite: writer.raw("\(number)".utf8.span)
        case .number(let number): writer.number(number)
        case .bool(let value): writer.bool(value)
        case .null: writer.null()
        case .json(let text): writer.raw(text.span)
        case .array(let values):
            writer.beginArray()
            for value in values { value.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members {
                writer.name(name)
                value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}

extension ClaimValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string from a literal, with or without interpolations.
    public init(stringLiteral text: String) { self = .string(text) }
    /// Creates an integer from a literal.
    public init(integerLiteral number: Int64) { self = .integer(number) }
    /// Creates a number from a literal.
    public init(floatLiteral number: Double) { self = .number(number) }
    /// Creates a Boolean value from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an array from a literal.
    public init(arrayLiteral values: ClaimValue...) { self = .array(values) }
    /// Creates an object from a literal.
    public init(dictionaryLiteral members: (String, ClaimValue)...) { self = .object(members) }
}
