import JOSEKeySets
import JOSETokens

/// The verifiers of access tokens (RFC 9068): signed ones, and signed ones that are encrypted as well.
///
/// They are made once, and shared by all requests.
public struct AccessTokens: Sendable {
    private let signed: TokenVerifier
    private let nested: TokenVerifier

    /// Creates the verifiers.
    ///
    /// - Parameters:
    ///   - keys: The keys of the issuer.
    ///   - decryptionKey: The key with which the service decrypts.
    ///   - observer: The observer of the verifications.
    /// - Throws: `JOSEError`, if no token could be accepted with these keys.
    public init(
        keys: some KeySource, decryptionKey: PrivateKey, observer: (any VerificationObserver)? = nil
    ) throws {
        // Sample: verifiers for routes
        var profile = AccessTokenProfile(
            issuer: "https://id.example.com", resource: "https://api.example.com", algorithms: [.es256])
        signed = try TokenVerifier(profile, verificationKeys: keys, observer: observer)
        profile.encryption = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        nested = try TokenVerifier(profile, verificationKeys: keys, decryptionKeys: decryptionKey, observer: observer)
        // Sample: end
    }

    // Sample: a bearer token from a request
    /// Verifies the token of a request.
    ///
    /// - Parameter fields: The values of all header fields `Authorization` of the request.
    public func verify(_ fields: [String]) async throws(BearerRejection) -> VerifiedToken {
        // Another scheme is no attempt with a bearer token.
        guard let field = fields.first.map({ AuthorizationField($0) }), field.scheme == "bearer" else { throw .noToken }
        guard fields.count == 1, let token = field.token else { throw .malformed }
        // An encrypted token has five parts, and a signed one three (RFC 7516, 9).
        let isEncrypted = token.count { $0 == UInt8(ascii: ".") } == 4
        do throws(TokenError) {
            return try await (isEncrypted ? nested : signed).verify(token, timeout: .seconds(1))
        } catch {
            throw error.isRetryable ? .unavailable : .rejected(error.code)
        }
    }
    // Sample: end
}

// Sample: a scope that a route requires
extension VerifiedToken {
    /// Returns if the token has a scope (RFC 6749, 3.3).
    public func require(scope: String) throws(BearerRejection) {
        let scopes = claims.scopes() ?? []
        guard scopes.contains(where: { $0.utf8.elementsEqual(scope.utf8) }) else { throw .scope(scope) }
    }
}
// Sample: end
