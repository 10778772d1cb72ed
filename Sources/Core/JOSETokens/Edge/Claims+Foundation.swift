#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Claims {
    /// Decodes the verified claims as a value of the given type.
    ///
    /// The JSON was parsed strictly when the token was verified, which rejects what `JSONDecoder` would tolerate:
    /// duplicate names, invalid UTF-8 and unbounded nesting.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder to use. By default, each `Date`, at any depth, is read as a NumericDate: a number of seconds
    ///     since 1970 (RFC 7519, 2). A custom decoder uses its own `dateDecodingStrategy`, which can be `numericDate` too.
    /// - Throws: `TokenError.notDecodable`.
    public func decode<T: Decodable>(as type: T.Type, using decoder: JSONDecoder? = nil) throws(TokenError) -> T {
        do {
            return try (decoder ?? ClaimsCoders.decoder).decode(type, from: Data(payload))
        } catch {
            throw .notDecodable
        }
    }
}

extension TokenVerifier {
    /// Verifies the token, and only then decodes its claims as a value of the given type.
    ///
    /// - Parameters:
    ///   - token: The compact serialization.
    ///   - type: The type of the value.
    ///   - decoder: The decoder to use. By default, each `Date` is read as a NumericDate (RFC 7519, 2).
    /// - Throws: The errors of `verify(_:)`, and `TokenError.notDecodable`.
    public func verify<T: Decodable>(
        _ token: String, as type: T.Type, using decoder: JSONDecoder? = nil
    ) throws(TokenError) -> T {
        try verify(token).claims.decode(as: type, using: decoder)
    }

    /// Verifies the token, given as bytes, and only then decodes its claims as a value of the given type.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, in ASCII.
    ///   - type: The type of the value.
    ///   - decoder: The decoder to use. By default, each `Date` is read as a NumericDate (RFC 7519, 2).
    /// - Throws: The errors of `verify(_:)`, and `TokenError.notDecodable`.
    public func verify<T: Decodable>(
        _ token: [UInt8], as type: T.Type, using decoder: JSONDecoder? = nil
    ) throws(TokenError) -> T {
        try verify(token).claims.decode(as: type, using: decoder)
    }
}

extension TokenIssuer {
    /// Issues a token whose claims are the encoded value. `iss`, `aud`, `iat` and `exp` are added if the value lacks
    /// them.
    ///
    /// - Parameters:
    ///   - value: The claims. They must encode as a JSON object.
    ///   - encoder: The encoder to use. By default, each `Date`, at any depth, is written as a NumericDate in whole seconds since
    ///     1970, rounded down (RFC 7519, 2). A custom encoder writes it by its `dateEncodingStrategy`, which can be
    ///     `numericDate` too.
    /// - Throws: `TokenError.notEncodable`, and the errors of `issue(json:)`.
    public func issue<T: Encodable>(encoding value: T, using encoder: JSONEncoder? = nil) throws(TokenError) -> String {
        try issue(json: ClaimsCoders.json(value, encoder))
    }
}

extension ExternalKeyTokenIssuer {
    /// Issues a token whose claims are the encoded value. `iss`, `aud`, `iat` and `exp` are added if the value lacks
    /// them.
    ///
    /// - Parameters:
    ///   - value: The claims. They must encode as a JSON object.
    ///   - encoder: The encoder to use. By default, each `Date`, at any depth, is written as a NumericDate in whole seconds since
    ///     1970, rounded down (RFC 7519, 2).
    /// - Throws: `TokenError.notEncodable`, and the errors of `issue(json:)`.
    public func issue<T: Encodable>(encoding value: T, using encoder: JSONEncoder? = nil) async throws -> String {
        try await issue(json: ClaimsCoders.json(value, encoder))
    }
}

/// The coders that are used if the caller gives none. Each is created once, and callers cannot change it.
private enum ClaimsCoders {
    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .numericDate
        return decoder
    }()

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .numericDate
        return encoder
    }()

    static func json(_ value: some Encodable, _ encoder: JSONEncoder?) throws(TokenError) -> [UInt8] {
        do {
            return [UInt8](try (encoder ?? Self.encoder).encode(value))
        } catch {
            throw .notEncodable
        }
    }
}
