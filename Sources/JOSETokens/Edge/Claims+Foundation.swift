#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Claims {
    /// Decodes the verified payload. The text has passed the strict scanner, which is what makes `JSONDecoder` safe here.
    /// Throws `TokenError.notDecodable`.
    public func decode<T: Decodable>(as type: T.Type) throws(TokenError) -> T {
        do {
            return try JSONDecoder().decode(type, from: Data(payload))
        } catch {
            throw .notDecodable
        }
    }
}

extension TokenVerifier {
    /// Verifies, and only then decodes the claims into a type of the caller's.
    public func verify<T: Decodable>(_ token: String, as type: T.Type) throws(TokenError) -> T {
        try verify(token).claims.decode(as: type)
    }

    /// The same of bytes in an array.
    public func verify<T: Decodable>(_ token: [UInt8], as type: T.Type) throws(TokenError) -> T {
        try verify(token).claims.decode(as: type)
    }
}

extension TokenIssuer {
    /// Encodes a value of the caller's as claims; `iss`, `aud` and times are added where it has none.
    public func issue<T: Encodable>(encoding value: T) throws(TokenError) -> String {
        let json: Data
        do {
            json = try JSONEncoder().encode(value)
        } catch {
            throw .notDecodable
        }
        return try issue(json: [UInt8](json))
    }
}
