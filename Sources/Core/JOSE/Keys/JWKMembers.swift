internal import JOSECrypto
package import JOSESupport

/// The members of one key's JSON, and the functions that read them. A missing member and an invalid one are different
/// errors. A member that is null counts as absent, because serializers write the members of a class that have no value
/// as null.
package struct JWKMembers {
    let members: [JSONMember]

    package init(members: [JSONMember]) { self.members = members }

    func value(_ name: StaticString, in bytes: Span<UInt8>) -> JSONValue? {
        guard let value = members.first(name, in: bytes), value.kind != .null else { return nil }
        return value
    }

    func has(_ name: StaticString, in bytes: Span<UInt8>) -> Bool { value(name, in: bytes) != nil }

    /// Returns the value of a member that is a list; nil where it is absent or an empty list.
    func filledList(_ name: StaticString, in bytes: Span<UInt8>) -> JSONValue? {
        guard let value = value(name, in: bytes) else { return nil }
        guard value.kind == .array else { return value }
        // The text was parsed: between the brackets of an empty list there is nothing but white space.
        var index = Int(value.start) + 1
        while bytes[index] <= 0x20 { index += 1 }
        return index == Int(value.end) - 1 ? nil : value
    }

    /// Returns whether there is a member of a private or symmetric key, by its name alone: no value is decoded and no
    /// key is made, and the key may be of an unknown kind or invalid. A reader of public keys calls it first. Any value
    /// except null counts and, of `oth`, any except an empty list.
    package func havePrivatePart(in bytes: Span<UInt8>) -> Bool {
        // RFC 7518, 6.2.2, 6.3.2 and 6.4.1; RFC 8037, 2; `priv` is that of RFC 9964, 3.
        for name in ["d", "k", "priv"] as [StaticString] where has(name, in: bytes) { return true }
        guard value("kty", in: bytes)?.equals("RSA", in: bytes) == true else { return false }
        for name in ["p", "q", "dp", "dq", "qi"] as [StaticString] where has(name, in: bytes) { return true }
        return filledList("oth", in: bytes) != nil
    }

    /// Returns the value of a string member, or nil where it is absent.
    func string(_ name: StaticString, in bytes: Span<UInt8>) throws(JOSEError) -> String? {
        guard let value = value(name, in: bytes) else { return nil }
        guard let text = value.string(in: bytes) else { throw .member(name, KeyMemberFault(value, required: .string)) }
        return text
    }

    /// Returns a public value, decoded from base64url.
    ///
    /// - Parameter count: The number of octets that the value must have; nil if it may have any.
    func octets(_ name: StaticString, count: Int? = nil, in bytes: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        let value = try needed(name, in: bytes)
        let octets: [UInt8]?
        if let range = value.plainText {
            octets = Base64URL.decode(bytes.extracting(range))
        } else {
            octets = value.stringBytes(in: bytes).flatMap { Base64URL.decode($0.span) }
        }
        guard let octets else {
            let text = value.stringBytes(in: bytes) ?? []
            throw .member(name, KeyMemberFault(notBase64URL: text.span))
        }
        if let count { try Self.check(octets.count, count, name) }
        return octets
    }

    /// Returns a public unsigned integer, which must have the fewest octets (RFC 7518, 2).
    func unsigned(_ name: StaticString, in bytes: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        let octets = try octets(name, in: bytes)
        guard let first = octets.first else { throw .member(name, .empty) }
        guard first != 0 else { throw .member(name, .leadingZero) }
        return octets
    }

    /// Returns a secret value, decoded from base64url in constant time into memory that is wiped.
    ///
    /// - Parameter count: The number of octets that the value must have; nil if it may have any.
    func secret(_ name: StaticString, count: Int? = nil, in bytes: Span<UInt8>) throws(JOSEError) -> SecretBytes {
        let value = try needed(name, in: bytes)
        let octets = try text(value, in: bytes) { (text) throws(JOSEError) -> SecretBytes in
            guard let octets = SecretBase64URL.decodeBytes(text) else {
                throw .member(name, KeyMemberFault(notSecretBase64URL: text))
            }
            return octets
        }
        if let count { try Self.check(octets.count, count, name) }
        return octets
    }

    /// Returns a secret value, decoded from base64url in constant time into guarded memory.
    func guarded(_ name: StaticString, in bytes: Span<UInt8>) throws(JOSEError) -> GuardedBytes {
        let value = try needed(name, in: bytes)
        return try text(value, in: bytes) { (text) throws(JOSEError) -> GuardedBytes in
            guard text.count <= Base64URL.encodedCount(SecretKey.maximumBytes) else {
                let count = Base64URL.decodedCount(text.count) ?? text.count / 4 * 3
                throw .member(name, .tooLong(count, maximum: SecretKey.maximumBytes))
            }
            guard let octets = SecretBase64URL.decode(text) else {
                throw .member(name, KeyMemberFault(notSecretBase64URL: text))
            }
            return octets
        }
    }

    private static func check(_ found: Int, _ required: Int, _ name: StaticString) throws(JOSEError) {
        guard found == required else { throw .member(name, .length(found, required: required)) }
    }

    private func needed(_ name: StaticString, in bytes: Span<UInt8>) throws(JOSEError) -> JSONValue {
        guard let value = value(name, in: bytes) else { throw .member(name, .missing) }
        guard value.kind == .string else { throw .member(name, KeyMemberFault(value, required: .string)) }
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
        // The value is a string, so that there are bytes.
        var copy = value.stringBytes(in: bytes) ?? []
        defer { wipe(&copy) }
        return try body(copy.span)
    }
}

extension JOSEError {
    /// Returns the error for a member of a JWK, by its registered name.
    static func member(_ name: StaticString, _ fault: KeyMemberFault) -> JOSEError {
        .keyInvalid(.member("\(name)", fault))
    }
}
