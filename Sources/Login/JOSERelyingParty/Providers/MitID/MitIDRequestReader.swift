package import JOSE
internal import JOSEBytes
package import JOSETokens

/// A parser of request objects for a simulator of the broker. With `readsSamples` it also accepts the deviations of the
/// broker's published samples: a JSON string in place of an object, times as strings, `kid: null`, and an encryption
/// algorithm by its XML Encryption URI.
package struct MitIDRequestReader: Sendable {
    /// The URI of RSA-OAEP with SHA-1 in XML Encryption.
    package static let alias: StaticString = "http://www.w3.org/2001/04/xmlenc#rsa-oaep"

    private let clientKeys: KeySet
    private let ownKeys: KeySet
    private let algorithms: [SignatureAlgorithm]
    private let clientID: String
    private let authority: String
    private let clock: WallClock
    private let readsSamples: Bool

    package init(
        clientKeys: KeySet, ownKeys: KeySet = .empty, algorithms: [SignatureAlgorithm], clientID: String,
        authority: String, clock: WallClock = .system, readsSamples: Bool = false
    ) {
        self.clientKeys = clientKeys
        self.ownKeys = ownKeys
        self.algorithms = algorithms
        self.clientID = clientID
        self.authority = authority
        self.clock = clock
        self.readsSamples = readsSamples
    }

    /// Verifies a signed request object and returns its claims.
    package func read(signed text: String) throws(RelyingPartyError.Reason) -> Claims {
        try read(text, within: nil)
    }

    /// Decrypts a request object, verifies the signed request object within it, and returns its claims.
    package func read(encrypted text: String) throws(RelyingPartyError.Reason) -> Claims {
        var outer = EncryptionPolicy(
            keyManagement: [.rsaOAEP256, .rsaOAEP384, .rsaOAEP512],
            contentEncryption: [.a128cbcHS256, .a256gcm, .a128gcm, .a256cbcHS512])
        if readsSamples {
            outer.keyManagement.append(.rsaOAEP)
            outer.alias = (Self.alias, .rsaOAEP)
        }
        return try read(text, within: outer)
    }

    private func read(_ text: String, within outer: EncryptionPolicy?) throws(RelyingPartyError.Reason) -> Claims {
        var claims = ClaimPolicy(issuer: .exactly(clientID), audience: .exactly(authority))
        claims.clock = clock
        claims.required = ["client_id", "exp"]
        let inner = SignaturePolicy(algorithms: algorithms)
        let policy: TokenPolicy =
            outer.map { .layers(outer: $0, inner: inner, claims: claims) } ?? .signed(inner, claims: claims)
        let decryptionKeys = outer == nil ? KeySet.empty : ownKeys
        do throws(TokenError) {
            let layers = try LayersVerifier(
                policy.form, contentType: readsSamples ? .absentOr("JWT") : .exactly("JWT"),
                verificationKeys: clientKeys, decryptionKeys: decryptionKeys)
            let opened = try layers.verify(text.utf8.span).claims
            if readsSamples { return opened }
            let verifier = try TokenVerifier(
                policy, verificationKeys: clientKeys, decryptionKeys: decryptionKeys)
            return try verifier.verify(text).claims
        } catch {
            throw RelyingPartyError.Reason(error, isNested: outer != nil)
        }
    }
}
