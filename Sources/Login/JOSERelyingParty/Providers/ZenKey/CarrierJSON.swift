internal import JOSEBytes

/// The members of a JSON object that somebody answered. Nothing of it is looked at before the whole text is strict JSON.
struct CarrierJSON {
    private let bytes: [UInt8]
    private let members: [JSONMember]

    /// Nil for what is no strict JSON object.
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

    private func value(_ name: String) -> JSONValue? { members.first(Array(name.utf8).span, in: bytes.span) }

    /// Whether it is there, `null` included.
    func contains(_ name: String) -> Bool { value(name) != nil }
    /// Nil where it is absent or no string; so are the next for their kinds.
    func string(_ name: String) -> String? { value(name)?.string(in: bytes.span) }
    func integer(_ name: String) -> Int64? { value(name)?.integer(in: bytes.span) }
    func bool(_ name: String) -> Bool? { value(name)?.bool() }

    /// A member that is an object.
    func object(_ name: String) -> CarrierJSON? {
        value(name)?.object(in: bytes.span).map { CarrierJSON(bytes, $0) }
    }

    /// A string, or an array of which nothing but strings is taken, and no more of them than asked for.
    func texts(_ name: String, atMost limit: Int) -> [String]? {
        guard let value = value(name) else { return nil }
        if let one = value.string(in: bytes.span) { return [one] }
        return value.array(in: bytes.span)?.prefix(limit).map { $0.string(in: bytes.span) ?? "" }
    }

    var isEmpty: Bool { members.isEmpty }
}
