internal import JOSEBytes

extension KeySet {
    /// Reads a JWK Set. A key that cannot be used is set aside and breaks nothing (RFC 7517, 5; threat T64); the text itself
    /// must be one strict JSON object. A single JWK is refused: `JWK` reads that. A key that fails one of `checks` is set aside
    /// as any other.
    public init(
        parsing text: Span<UInt8>, as contents: Contents = .any, checks: KeyChecks = [], limits: ParsingLimits = .standard
    ) throws(JOSEError) {
        self = try Self.read(text, as: contents, checks: checks, limits: limits, cutting: false).set
    }

    /// A set that an issuer publishes, and how many members it has: of more than `limits.keysInSet` the first are read. The
    /// rule on private and symmetric keys is kept for all of them.
    package static func published(
        _ text: [UInt8], checks: KeyChecks, limits: ParsingLimits
    ) throws(JOSEError) -> (set: KeySet, total: Int) {
        let bytes = text.span
        return try read(bytes, as: .publicOnly, checks: checks, limits: limits, cutting: true)
    }

    private static func read(
        _ text: Span<UInt8>, as contents: Contents, checks: KeyChecks, limits: ParsingLimits, cutting: Bool
    ) throws(JOSEError) -> (set: KeySet, total: Int) {
        let object: JSONObject
        do throws(JSONFault) {
            object = try JSONObject(parsing: text, limits: limits.json)
        } catch {
            throw JOSEError(error, in: .keySet)
        }
        guard object.first("kty", in: text) == nil else { throw .keyInvalid(.singleKey) }
        guard let list = object.first("keys", in: text), let values = list.array(in: text) else {
            throw .malformed(ParseFailure(.keySet, .json))
        }
        guard cutting || values.count <= limits.keysInSet else { throw .limitExceeded(.keysInSet) }
        var keys: [JWK] = []
        var unusable: [UnusableKey] = []
        keys.reserveCapacity(min(values.count, limits.keysInSet))
        for (index, value) in values.enumerated() {
            let isRead = index < limits.keysInSet
            guard let found = value.object(in: text) else {
                guard isRead else { continue }
                unusable.append(UnusableKey(index: index, keyID: nil, reason: .keyInvalid(.memberValue)))
                continue
            }
            let members = JWKMembers(members: found)
            if contents == .publicOnly, members.havePrivatePart(in: text) { throw .keyInvalid(.privateInPublicSet) }
            guard isRead else { continue }
            do throws(JOSEError) {
                let key = try JWK(members, in: text, limits: limits)
                try key.pass(checks)
                keys.append(key)
            } catch .backend {
                throw .backend
            } catch {
                let keyID = members.value("kid", in: text)?.string(in: text)
                unusable.append(UnusableKey(index: index, keyID: keyID, reason: error))
            }
        }
        return (KeySet(keys, unusable: unusable), values.count)
    }

    /// The same of bytes in an array.
    public init(
        parsing text: [UInt8], as contents: Contents = .any, checks: KeyChecks = [], limits: ParsingLimits = .standard
    ) throws(JOSEError) {
        try self.init(parsing: text.span, as: contents, checks: checks, limits: limits)
    }

    /// The same of a text.
    public init(
        parsing text: String, as contents: Contents = .any, checks: KeyChecks = [], limits: ParsingLimits = .standard
    ) throws(JOSEError) {
        try self.init(parsing: text.utf8.span, as: contents, checks: checks, limits: limits)
    }
}
