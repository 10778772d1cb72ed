import JOSE
import TestSupport
import Testing

/// Published keys, and ways to make them invalid.
enum Fixture {
    static func vector(_ path: String, _ id: String) throws -> Vector {
        let vectors = try VectorFile(path).vectors
        return try #require(vectors.first { $0.id == id })
    }

    static func members(_ path: String, _ id: String) throws -> [String: JSON] {
        guard case .object(let members) = try vector(path, id).jwk else { return [:] }
        return members
    }

    static func rsaPrivate() throws -> [String: JSON] { try members("rfc7520/keys", "7520-3.4") }
    static func rsaPublic() throws -> [String: JSON] { try members("rfc7520/keys", "7520-3.3") }
    static func p521Private() throws -> [String: JSON] { try members("rfc7520/keys", "7520-3.2") }
    static func ed25519Private() throws -> [String: JSON] { try members("rfc8037/keys", "8037-A.1") }
    static func x25519Public() throws -> [String: JSON] { try members("rfc8037/keys", "8037-A.6") }
    static func octets() throws -> [String: JSON] { try members("rfc7520/keys", "7520-3.5") }

    /// The keys of RFC 7517, A.2.
    static var p256Private: [String: JSON] {
        [
            "kty": .string("EC"), "crv": .string("P-256"),
            "x": .string("MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"),
            "y": .string("4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"),
            "d": .string("870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"),
        ]
    }
    static var p256Public: [String: JSON] { p256Private.without("d") }

    static func generated() throws -> [PrivateKey] {
        let kinds: [KeyKind] = [
            .rsa(bits: 2048), .p256, .p384, .p521, .ed25519, .x25519, .secp256k1, .ed448, .x448,
        ]
        return try kinds.map { try PrivateKey.generate($0) }
    }
}

extension [String: JSON] {
    var text: String { JSON.object(self).text }

    func with(_ name: String, _ value: JSON) -> Self {
        var changed = self
        changed[name] = value
        return changed
    }
    func with(_ name: String, _ text: String) -> Self { with(name, .string(text)) }
    /// Returns the octets in base64url.
    func with(_ name: String, octets: [UInt8]) -> Self { with(name, .string(base64URL(octets))) }

    func without(_ names: String...) -> Self { filter { !names.contains($0.key) } }

    func octets(_ name: String) throws -> [UInt8] {
        let text = try #require(self[name]?.string)
        return try #require(bytes(base64URL: text))
    }
}

extension JOSEError {
    /// The member of a JWK that the error names; nil if it names none.
    var member: String? {
        guard case .keyInvalid(let fault) = self, case .member(let name, _) = fault.condition else { return nil }
        return name
    }
}

/// Returns the error of reading a text as a key, or nil where it is one.
func refusal(_ text: String, checks: KeyChecks = []) -> JOSEError? {
    do throws(JOSEError) {
        _ = try JWK(parsing: text, checks: checks)
        return nil
    } catch {
        return error
    }
}

func refusal(_ members: [String: JSON], checks: KeyChecks = []) -> JOSEError? {
    refusal(members.text, checks: checks)
}

/// Returns the error that the closure throws, or nil where it throws none.
func refusal<R>(of body: () throws(JOSEError) -> R) -> JOSEError? {
    do throws(JOSEError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
