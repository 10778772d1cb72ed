internal import JOSEBytes

/// Claims to be issued. Setting a name again replaces it.
public struct ClaimsBuilder: Sendable, ExpressibleByDictionaryLiteral {
    private var members: [(name: String, value: ClaimValue)] = []

    /// None yet; a dictionary literal has the same effect.
    public init() {}

    var count: Int { members.count }

    public init(dictionaryLiteral elements: (String, ClaimValue)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// By name, byte by byte; `nil` takes the claim away.
    public subscript(_ name: String) -> ClaimValue? {
        get { members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
        set {
            let place = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
            switch (place, newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    var object: [(String, ClaimValue)] { members.map { ($0.name, $0.value) } }

    /// The JSON text.
    package func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(room)
        writer.beginObject()
        write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// The members, without the braces.
    func write(to writer: inout JSONWriter) {
        for place in members.indices {
            writer.name(members[place].name)
            members[place].value.write(to: &writer)
        }
    }

    /// `name` is ASCII: what is equal to that is equal byte by byte.
    func contains(_ name: String) -> Bool {
        for place in members.indices where members[place].name == name { return true }
        return false
    }

    /// As many bytes hold most sets without growing.
    var room: Int {
        var room = 2
        for place in members.indices { room += members[place].name.utf8.count + 4 + members[place].value.room }
        return room
    }
}

/// A JSON value of a claim.
public enum ClaimValue: Sendable {
    /// Escaped as far as JSON must.
    case string(String)
    /// Written in full, and read as a number by everyone: beyond 2^53 some lose digits.
    case integer(Int64)
    /// Must be finite; otherwise the token is refused where it is issued.
    case number(Double)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`, which is not the same as no claim.
    case null
    /// In this order.
    case array([ClaimValue])
    /// In this order; a name that is repeated refuses the token where it is issued.
    case object([(String, ClaimValue)])
    /// JSON text of the caller's; checked where the token is issued.
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

    func write(to writer: inout JSONWriter) {
        switch self {
        case .string(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        // What JSON cannot say is written as what no parser takes, so that it is refused and not lost.
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

extension ClaimValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral text: String) { self = .string(text) }
    public init(integerLiteral number: Int64) { self = .integer(number) }
    public init(floatLiteral number: Double) { self = .number(number) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral values: ClaimValue...) { self = .array(values) }
    public init(dictionaryLiteral members: (String, ClaimValue)...) { self = .object(members) }
}
