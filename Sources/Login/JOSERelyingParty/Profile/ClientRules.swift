public import JOSE
internal import JOSEKeySets

/// The rules for the authentication of the client at the provider's endpoints.
public struct ClientRules: Sendable {
    /// The accepted methods, the preferred one first. By default `private_key_jwt` alone.
    public var authentication: [ClientAuthentication] = [.privateKeyJWT]
    /// The signature algorithms of client assertions. The first one that the client's key can be used with is used.
    public var assertionAlgorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256]
    /// The audience of client assertions.
    public var assertionAudience = AssertionAudience.issuer
    /// The lifetime of a client assertion, at most 300 seconds: 120 seconds by default.
    public var assertionLifetime = Duration.seconds(120)
    /// Whether the header of client assertions contains the SHA-256 thumbprint of the certificate of the client's key
    /// (`x5t#S256`). A key without a certificate is then rejected with `configurationError`.
    public var assertionsNameCertificate = false
    /// The algorithms of client assertions that are encrypted; nil if `privateKeyJWTEncrypted` is not used.
    public var assertionEncryption: EncryptionRules?
    /// Whether the body of a request contains `client_id` besides the client's credentials.
    public var sendsClientID = false
    /// Whether the token request repeats `redirect_uri` (RFC 6749, 4.1.3).
    public var repeatsRedirectURI = true
    /// Returns whether a string is a valid `client_id` of this provider. By default any but the empty string is.
    public var acceptsID: @Sendable (String) -> Bool = { !$0.isEmpty }
    /// Returns whether a string is a redirect URI that the provider accepts for a client. By default any https URL
    /// without a fragment and without user information is.
    public var acceptsRedirectURI: @Sendable (_ uri: String, _ clientID: String) -> Bool = { uri, _ in
        redirectURL(uri) != nil
    }

    /// Creates rules with the default values.
    public init() {}

    /// Returns a redirect URI as a URL; nil unless it is an https URL without a fragment and without user information.
    package static func redirectURL(_ uri: String) -> WebURL? {
        guard let url = WebURL(uri), url.scheme == .https, !url.hasFragment, !url.hasUserInformation else { return nil }
        return url
    }
}

/// The rule for the audience of client assertions and request objects. It is a constant of the profile and does not
/// depend on fetched documents, except where the specification requires the URL of the token endpoint.
@nonexhaustive public enum AssertionAudience: Sendable, Equatable {
    /// The issuer.
    case issuer
    /// The issuer, followed by this path.
    case issuerPath(String)
    /// The URL of the token endpoint (OpenID Connect Core, 9).
    case tokenEndpoint

    /// Returns the audience at a provider.
    ///
    /// - Throws: `metadataMissing` or `metadataInvalid` if it is the URL of the token endpoint, which the metadata
    ///   lacks.
    func audience(_ provider: Provider) throws(RelyingPartyError.Reason) -> String {
        switch self {
        case .issuer: return provider.issuer
        case .issuerPath(let path): return provider.issuer + path
        case .tokenEndpoint: return try provider.url(.tokenEndpoint)
        }
    }
}

/// The algorithms for messages that are encrypted to the provider.
public struct EncryptionRules: Sendable {
    /// The key management algorithms. The first one that matches a key of the provider is used.
    package var keyManagement: [KeyManagementAlgorithm]
    /// The content encryption algorithms. The first one is used.
    package var contentEncryption: [ContentEncryption]

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - keyManagement: The key management algorithms. The first one that matches a key of the provider is used.
    ///   - contentEncryption: The content encryption algorithms. The first one is used.
    public init(keyManagement: [KeyManagementAlgorithm], contentEncryption: [ContentEncryption]) {
        self.keyManagement = keyManagement
        self.contentEncryption = contentEncryption
    }
}
