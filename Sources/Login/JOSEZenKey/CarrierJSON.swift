internal import JOSERelyingParty
internal import JOSESupport

/// The members of a JSON object from a response. No member is read unless the whole text is strict JSON.
struct CarrierJSON {
    private let bytes: [UInt8]
    private let members: [JSONMember]

    /// Parses a JSON object. Nil for any other text.
    init?(_ bytes: [UInt8]) {
        let limits = JSONLimits(depth: 16, members: 1_000)
        guard let object = try? JSONObject(parsing: bytes.span, limits: limits) else { return nil }
        self.bytes = bytes
        members = object.members
    }

    private init(_ bytes: [UInt8], _ members: [JSONMember]) {
        self.bytes = bytes
        self.members = members
    }

    /// Returns a member; nil if it is absent or null.
    private func value(_ name: String) -> JSONValue? {
        let name = Array(name.utf8)
        guard let value = members.first(name.span, in: bytes.span), value.kind != .null else { return nil }
        return value
    }

    /// Returns whether a member is present and not null.
    func contains(_ name: String) -> Bool { value(name) != nil }
    /// Returns a member that is a string; nil if it is absent or of another type.
    func string(_ name: String) -> String? { value(name)?.string(in: bytes.span) }
    /// Returns a member that is an integer; nil if it is absent or of another type.
    func integer(_ name: String) -> Int64? { value(name)?.integer(in: bytes.span) }
    /// Returns a member that is a Boolean; nil if it is absent or of another type.
    func bool(_ name: String) -> Bool? { value(name)?.bool() }

    /// Returns a member that is an object; nil if it is absent or of another type.
    func object(_ name: String) -> CarrierJSON? {
        value(name)?.object(in: bytes.span).map { CarrierJSON(bytes, $0) }
    }

    /// Returns a member that is a string, or the first `limit` elements of an array. An element that is not a string
    /// becomes the empty string.
    func texts(_ name: String, atMost limit: Int) -> [String]? {
        guard let value = value(name) else { return nil }
        if let one = value.string(in: bytes.span) { return [one] }
        return value.array(in: bytes.span)?.prefix(limit).map { $0.string(in: bytes.span) ?? "" }
    }

    var isEmpty: Bool { members.isEmpty }
}
