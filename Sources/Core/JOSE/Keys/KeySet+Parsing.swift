internal import JOSESupport

extension KeySet {
    /// Reads a JWK Set (RFC 7517, 5).
    ///
    /// The text must be one strict JSON object. A key that cannot be used is listed in `unusable` and does not affect
    /// the others (threat T64 in `Tests/Security/THREATS.md`).
    ///
    /// - Parameters:
    ///   - text: The JWK Set as JSON.
    ///   - contents: The kinds of keys that the set may contain.
    ///   - checks: Further checks of each key; a key that fails one is unusable.
    ///   - limits: The limits on JSON, keys and certificates.
    /// - Throws: `malformed` or `limitExceeded`; `keyInvalid` if the text is a single JWK, for which `JWK`
    ///   is the type; `keyInvalid(.privateInPublicSet)` if only public keys are allowed and there is another one.
    public init(
        parsing text: borrowing some BorrowedBytes, as contents: Contents = .any, checks: KeyChecks = [],
        limits: ParsingLimits = .standard
    ) throws(JOSEError) {
        self = try text.withBytes { text throws(JOSEError) in
            try Self.read(text, as: contents, checks: checks, limits: limits, cutting: false).set
        }
    }

    /// Reads a set that an issuer publishes, and returns it with the number of its members. Of more than
    /// `limits.keysInSet`, the first are read. All of them must be public: those that are private or symmetric are in
    /// `secret`, at most `limits.keysInSet` of them, and the caller rejects the set. None of their values is decoded.
    package static func published(
        _ text: [UInt8], checks: KeyChecks, limits: ParsingLimits
    ) throws(JOSEError) -> (set: KeySet, total: Int, secret: [UnusableKey]) {
        let bytes = text.span
        return try read(bytes, as: .publicOnly, checks: checks, limits: limits, cutting: true)
    }

    private static func read(
        _ text: Span<UInt8>, as contents: Contents, checks: KeyChecks, limits: ParsingLimits, cutting: Bool
    ) throws(JOSEError) -> (set: KeySet, total: Int, secret: [UnusableKey]) {
        let object: JSONObject
        do throws(JSONFault) {
            object = try JSONObject(parsing: text, limits: limits.json)
        } catch {
            throw JOSEError(error, in: .keySet, of: text)
        }
        guard !JWKMembers(members: object.members).has("kty", in: text) else { throw .keyInvalid(.singleKey) }
        guard let list = object.first("keys", in: text), let values = list.array(in: text) else {
            throw .malformed(ParseFailure(.keySet, object.isMapOfPEM(in: text) ? .mapOfPEM : .keysMissing))
        }
        guard cutting || values.count <= limits.keysInSet else { throw .limitExceeded(.keysInSet) }
        var keys: [JWK] = []
        var unusable: [UnusableKey] = []
        var secret: [UnusableKey] = []
        keys.reserveCapacity(min(values.count, limits.keysInSet))
        for (index, value) in values.enumerated() {
            let isRead = index < limits.keysInSet
            guard let found = value.object(in: text) else {
                guard isRead else { continue }
                unusable.append(UnusableKey(index: index, keyID: nil, reason: .keyInvalid(.notObject)))
                continue
            }
            let members = JWKMembers(members: found)
            if contents == .publicOnly, members.havePrivatePart(in: text) {
                guard cutting else { throw .keyInvalid(.privateInPublicSet) }
                guard secret.count < limits.keysInSet else { continue }
                secret.append(Self.unusableKey(members, at: index, in: text, .keyInvalid(.privateInPublicSet)))
                continue
            }
            guard isRead else { continue }
            do throws(JOSEError) {
                let key = try JWK(members, in: text, limits: limits)
                try key.pass(checks)
                keys.append(key)
            } catch .backend {
                throw .backend
            } catch {
                unusable.append(Self.unusableKey(members, at: index, in: text, error))
            }
        }
        return (KeySet(keys, unusable: unusable), values.count, secret)
    }

    private static func unusableKey(
        _ members: JWKMembers, at index: Int, in text: Span<UInt8>, _ reason: JOSEError
    ) -> UnusableKey {
        UnusableKey(index: index, keyID: members.value("kid", in: text)?.string(in: text), reason: reason)
    }
}
