public import JOSE
internal import JOSEBytes

/// A service as a client of its provider.
public struct RelyingPartyClient: Sendable {
    /// The client identifier (`client_id`), as the provider issued it.
    public let id: String
    /// The URIs to which the provider may redirect users, byte for byte as they are registered (threat R07). The first one is the
    /// default.
    public let redirectURIs: [String]
    /// The credentials by which the service authenticates to the provider.
    public internal(set) var credentials: ClientCredentials
    /// The method of authentication, one of the profile's; nil for its first one that the credentials support.
    public var authentication: ClientAuthentication?

    /// Creates a client with one redirect URI.
    ///
    /// - Parameters:
    ///   - id: The client identifier (`client_id`).
    ///   - redirectURI: The redirect URI, as it is registered.
    ///   - credentials: The keys or the secret of the client.
    public init(id: String, redirectURI: String, credentials: ClientCredentials) {
        self.init(id: id, redirectURIs: [redirectURI], credentials: credentials)
    }

    /// Creates a client with several redirect URIs.
    ///
    /// - Parameters:
    ///   - id: The client identifier (`client_id`).
    ///   - redirectURIs: The redirect URIs, as they are registered. The first one is the default.
    ///   - credentials: The keys or the secret of the client.
    public init(id: String, redirectURIs: [String], credentials: ClientCredentials) {
        self.id = id
        self.redirectURIs = redirectURIs
        self.credentials = credentials
    }
}

/// A method by which a client authenticates (OpenID Connect Core, 9).
@nonexhaustive public enum ClientAuthentication: Sendable, Equatable {
    /// A signed assertion (`private_key_jwt`; RFC 7523, 2.2).
    case privateKeyJWT
    /// A signed assertion that is then encrypted to the provider.
    case privateKeyJWTEncrypted
    /// An assertion with an HMAC under the secret (`client_secret_jwt`).
    case clientSecretJWT
    /// The secret in the `Authorization` header (`client_secret_basic`). `isFormEncoded` tells whether identifier and secret are
    /// form-encoded before base64, as RFC 6749, 2.3.1 requires and not every provider does.
    case clientSecretBasic(isFormEncoded: Bool)
    /// The secret in the body of the request (`client_secret_post`).
    case clientSecretPost
    /// A certificate of the TLS connection (`tls_client_auth`; RFC 8705, 2.1). The body contains only `client_id`; the transport
    /// sends the certificate, such as `CurlTransport` with its option `clientCertificate`.
    case tlsClientAuth

    func isServed(by credentials: ClientCredentials) -> Bool {
        switch self {
        case .privateKeyJWT, .privateKeyJWTEncrypted: credentials.signing != nil
        case .clientSecretJWT, .clientSecretBasic, .clientSecretPost: credentials.secret != nil
        case .tlsClientAuth: true
        }
    }

    /// Whether this method adds `client_id` to the body.
    var namesClient: Bool { self == .clientSecretPost || self == .tlsClientAuth }
}

/// The keys or the secret of a client. Its descriptions contain neither.
public struct ClientCredentials: Sendable {
    enum Signing: Sendable {
        case key(PrivateKey)
        case source(any SigningKeySource)
    }
    let signing: Signing?
    let secret: SecretKey?
    let decryption: any KeySource
    /// Whether a signing key is rejected if its private key is publicly known.
    let rejectsCompromisedKeys: Bool

    private init(
        _ signing: Signing?, _ secret: SecretKey?, _ decryption: any KeySource, rejectsCompromisedKeys: Bool = false
    ) {
        self.signing = signing
        self.secret = secret
        self.decryption = decryption
        self.rejectsCompromisedKeys = rejectsCompromisedKeys
    }

    func rejectingCompromisedKeys() -> ClientCredentials {
        ClientCredentials(signing, secret, UnpublishedKeys(decryption), rejectsCompromisedKeys: true)
    }

    /// Returns credentials with one signing key.
    ///
    /// - Parameters:
    ///   - signing: The signing key, with the `kid` under which it is published.
    ///   - decryption: The keys to which the provider encrypts, each with its `kid`.
    public static func keys(signing: PrivateKey, decryption: any KeySource = KeySet.empty) -> ClientCredentials {
        ClientCredentials(.key(signing), nil, decryption)
    }

    /// Returns credentials whose signing key rotates, such as those of `SigningKeyRotation` and `DecryptionKeyRotation`. The
    /// provider fetches the public keys as their `KeySetDocument`.
    ///
    /// - Parameters:
    ///   - signing: The source of the signing key.
    ///   - decryption: The source of the keys to which the provider encrypts.
    public static func keys(
        signing: any SigningKeySource, decryption: any KeySource = KeySet.empty
    ) -> ClientCredentials {
        ClientCredentials(.source(signing), nil, decryption)
    }

    /// Returns credentials with the secret that the provider issued.
    ///
    /// - Parameter secret: The secret, as text.
    /// - Throws: `configurationError` if the secret is empty.
    public static func secret(_ secret: String) throws(RelyingPartyError) -> ClientCredentials {
        var bytes = Array(secret.utf8)
        defer { wipe(&bytes) }
        do throws(JOSEError) {
            return ClientCredentials(nil, try SecretKey(bytes: bytes), KeySet.empty)
        } catch {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
    }

    /// Returns these credentials with keys to which the provider encrypts.
    ///
    /// - Parameter keys: The source of the keys.
    public func decrypting(with keys: any KeySource) -> ClientCredentials { ClientCredentials(signing, secret, keys) }

    func signingKey() throws(JOSEError) -> PrivateKey? {
        switch signing {
        case .key(let key): key
        case .source(let source): try source.signingKey()
        case nil: nil
        }
    }
}

extension ClientCredentials: CustomStringConvertible, CustomReflectable {
    /// The kind of the credentials, without the keys or the secret.
    public var description: String { secret == nil ? "ClientCredentials(keys)" : "ClientCredentials(secret)" }
    /// An empty mirror: the credentials are secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
