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
    ///   - decoder: The decoder to use. By default, each `Date`, at any depth, is read as a NumericDate: a number of
    ///     seconds since 1970 (RFC 7519, 2). A custom decoder uses its own `dateDecodingStrategy`, which can be
    ///     `numericDate` too.
    /// - Throws: `TokenError.notDecodable`, with what is missing or of another type, and the coding path to it.
    public func decode<T: Decodable>(as type: T.Type, using decoder: JSONDecoder? = nil) throws(TokenError) -> T {
        do {
            return try (decoder ?? ClaimsCoders.decoder).decode(type, from: Data(payload))
        } catch {
            throw .notDecodable(CodingFailure(error))
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

    /// Verifies the token as `verify(_:timeout:client:)` does, and only then decodes its claims as a value of the given
    /// type.
    ///
    /// - Parameters:
    ///   - token: The compact serialization.
    ///   - type: The type of the value.
    ///   - limit: The longest time to wait, for the key, the limiter and external keys together.
    ///   - client: The client that sent the token, as the service knows it; nil if it is not known.
    ///   - decoder: The decoder to use. By default, each `Date` is read as a NumericDate (RFC 7519, 2).
    /// - Throws: The errors of `verify(_:timeout:client:)`, and `TokenError.notDecodable`.
    public func verify<T: Decodable>(
        _ token: String, as type: T.Type, timeout limit: Duration, client: String? = nil,
        using decoder: JSONDecoder? = nil
    ) async throws(TokenError) -> T {
        try await verify(token, timeout: limit, client: client).claims.decode(as: type, using: decoder)
    }
}

extension TokenIssuer {
    /// Issues a token whose claims are the encoded value. `iss`, `aud`, `iat` and `exp` are added if the value lacks
    /// them.
    ///
    /// - Parameters:
    ///   - value: The claims. They must encode as a JSON object.
    ///   - options: What differs for this token, such as header parameters or an `nbf` in the future.
    ///   - encoder: The encoder to use. By default, each `Date`, at any depth, is written as a NumericDate in whole
    ///     seconds since 1970, rounded down (RFC 7519, 2). A custom encoder writes it by its `dateEncodingStrategy`,
    ///     which can be `numericDate` too.
    /// - Throws: `TokenError.notEncodable`, and the errors of `issue(json:)`.
    public func issue<T: Encodable>(
        encoding value: T, options: TokenOptions = TokenOptions(), using encoder: JSONEncoder? = nil
    ) throws(TokenError) -> String {
        try issue(json: ClaimsCoders.json(value, encoder), options: options)
    }

    /// Issues a token whose claims are the encoded value, as `issue(encoding:options:using:)` does, and waits for a key
    /// outside the process.
    ///
    /// - Parameters:
    ///   - value: The claims. They must encode as a JSON object.
    ///   - options: What differs for this token, such as header parameters or an `nbf` in the future.
    ///   - limit: The longest time to wait for the key.
    ///   - encoder: The encoder to use. By default, each `Date`, at any depth, is written as a NumericDate in whole
    ///     seconds since 1970, rounded down (RFC 7519, 2).
    /// - Throws: `TokenError.notEncodable`, and the errors of `issue(json:options:timeout:)`.
    public func issue<T: Encodable>(
        encoding value: T, options: TokenOptions = TokenOptions(), timeout limit: Duration,
        using encoder: JSONEncoder? = nil
    ) async throws(TokenError) -> String {
        try await issue(json: ClaimsCoders.json(value, encoder), options: options, timeout: limit)
    }

    /// Names the method that encodes a value, for calls that leave out its label.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "issue(encoding:) encodes a value, also a dictionary in a variable; issue(_:) takes a literal whose values are ClaimValueConvertible"
    )
    public func issue<T: Encodable>(_ value: T, options: TokenOptions = TokenOptions()) throws(TokenError) -> String {
        try issue(encoding: value, options: options)
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
            throw .notEncodable(CodingFailure(error))
        }
    }
}
