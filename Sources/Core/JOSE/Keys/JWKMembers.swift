package import JOSEBytes
internal import JOSECrypto

/// The members of one key's JSON, and the functions that read them. A missing member and an invalid one are different
/// errors.
package struct JWKMembers {
    let members: [JSONMember]

    package init(members: [JSONMember]) { self.members = members }

    func value(_ name: StaticString, in bytes: Span<UInt8>) -> JSONValue? { members.first(name, in: bytes) }

    func has(_ name: StaticString, in bytes: Span<UInt8>) -> Bool { value(name, in: bytes) != nil }

    /// Returns whether there is a member of a private or symmetric key, by its name alone: no value is decoded and no
    /// key is made, and the key may be of an unknown kind or invalid. A reader of public keys calls it first.
    package func havePrivatePart(in bytes: Span<UInt8>) -> Bool {
        // RFC 7518, 6.2.2, 6.3.2 and 6.4.1; RFC 8037, 2; `priv` is that of RFC 9964, 3.
        for name in ["d", "k", "priv"] as [StaticString] where has(name, in: bytes) { return true }
        guard value("kty", in: bytes)?.equals("RSA", in: bytes) == true else { return false }
        for name in ["p", "q", "dp", "dq", "qi", "oth"] as [StaticString] where has(name, in: bytes) { return true }
        return false
    }

    /// Returns the value of a string member, or nil where it is absent.
    func string(_ name: StaticString, in bytes: Span<UInt8>) throws(JOSEError) -> String? {
        guard let value = value(name, in: bytes) else { return nil }
        guard let text = value.string(in: bytes) else { throw .keyInvalid(.memberValue) }
        return text
    }

    /// Returns a public value, decoded from base64url.
    func octets(_ name: StaticString, in bytes: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        let value = try needed(name, in: bytes)
        let octets: [UInt8]?
        if let place = value.plainText {
            octets = Base64URL.decode(bytes.extracting(place))
        } else {
            octets = value.stringBytes(in: bytes).flatMap { Base64URL.decode($0.span) }
        }
        guard let octets else { throw .keyInvalid(.memberValue) }
        return octets
    }

    /// Returns a public unsigned integer, which must have the fewest octets (RFC 7518, 2).
    func unsigned(_ name: StaticString, in bytes: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        let octets = try octets(name, in: bytes)
        guard let first = octets.first, first != 0 else { throw .keyInvalid(.memberValue) }
        return octets
    }

    /// Returns a secret value, decoded from base64url in constant time into memory that is wiped.
    func secret(_ name: StaticString, in bytes: Span<UInt8>) throws(JOSEError) -> SecretBytes {
        let value = try needed(name, in: bytes)
        return try text(value, in: bytes) { (text) throws(JOSEError) -> SecretBytes in
            guard let octets = SecretBase64URL.decodeBytes(text) else { throw .keyInvalid(.memberValue) }
            return octets
        }
    }

    /// Returns a secret value, decoded from base64url in constant time into guarded memory.
    func guarded(_ name: StaticString, in bytes: Span<UInt8>) throws(JOSEError) -> GuardedBytes {
        let value = try needed(name, in: bytes)
        return try text(value, in: bytes) { (text) throws(JOSEError) -> GuardedBytes in
            guard text.count <= Base64URL.encodedCount(SecretKey.mostBytes) else { throw .keyInvalid(.outOfBounds) }
            guard let octets = SecretBase64URL.decode(text) else { throw .keyInvalid(.memberValue) }
            return octets
        }
    }

    private func needed(_ name: StaticString, in bytes: Span<UInt8>) throws(JOSEError) -> JSONValue {
        guard let value = value(name, in: bytes) else { throw .keyInvalid(.missingMember) }
        guard value.kind == .string else { throw .keyInvalid(.memberValue) }
        return value
    }

    /// Calls `body` with a string's bytes. A string with escapes, which no writer makes of base64url, is unescaped in a
    /// copy that is wiped.
    private func text<R: ~Copyable>(
        _ value: JSONValue, in bytes: Span<UInt8>, _ body: (Span<UInt8>) throws(JOSEError) -> R
    ) throws(JOSEError) -> R {
        guard value.escaped else {
            return try body(bytes.extracting(Int(value.start) + 1..<Int(value.end) - 1))
        }
        guard var copy = value.stringBytes(in: bytes) else { throw .keyInvalid(.memberValue) }
        defer { wipe(&copy) }
        return try body(copy.span)
    }
}
