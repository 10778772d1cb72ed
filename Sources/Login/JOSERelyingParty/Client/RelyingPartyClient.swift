public import JOSE
internal import JOSESupport

/// The registration of a service as a client of a provider, with its credentials.
public struct RelyingPartyClient: Sendable {
    /// The client identifier (`client_id`), as the provider issued it.
    public let id: String
    /// The redirect URIs of the client, byte for byte as they are registered with the provider (threat R07). The first
    /// one is the default.
    public let redirectURIs: [String]
    /// The credentials by which the service authenticates to the provider.
    public internal(set) var credentials: ClientCredentials
    /// The method of client authentication, which the profile must allow; nil for the first method of the profile that
    /// the credentials support.
    public var authentication: ClientAuthentication?

    /// Creates a client with one redirect URI.
    ///
    /// - Parameters:
    ///   - id: The client identifier (`client_id`).
    ///   - redirectURI: The redirect URI, byte for byte as it is registered with the provider.
    ///   - credentials: The private keys or the secret of the client.
    public init(id: String, redirectURI: String, credentials: ClientCredentials) {
        self.init(id: id, redirectURIs: [redirectURI], credentials: credentials)
    }

    /// Creates a client with several redirect URIs.
    ///
    /// - Parameters:
    ///   - id: The client identifier (`client_id`).
    ///   - redirectURIs: The redirect URIs, byte for byte as they are registered with the provider. The first one is
    ///     the default.
    ///   - credentials: The private keys or the secret of the client.
    public init(id: String, redirectURIs: [String], credentials: ClientCredentials) {
        self.id = id
        self.redirectURIs = redirectURIs
        self.credentials = credentials
    }
}

/// A method of client authentication (OpenID Connect Core, 9).
@nonexhaustive public enum ClientAuthentication: Sendable, Equatable {
    /// A JWT assertion that is signed with the client's private key (`private_key_jwt`; RFC 7523, 2.2).
    case privateKeyJWT
    /// A JWT assertion that is signed with the client's private key and then encrypted to the provider.
    case privateKeyJWTEncrypted
    /// A JWT assertion with an HMAC that is keyed with the client secret (`client_secret_jwt`).
    case clientSecretJWT
    /// The client secret in the `Authorization` header (`client_secret_basic`). `isFormEncoded` indicates whether the
    /// client ID and the secret are form-encoded before base64, as RFC 6749, 2.3.1 requires; some providers expect them
    /// without this encoding.
    case clientSecretBasic(isFormEncoded: Bool)
    /// The client secret in the body of the request (`client_secret_post`).
    case clientSecretPost
    /// A client certificate in the TLS handshake (`tls_client_auth`; RFC 8705, 2.1). The body of the request contains
    /// only `client_id`. The transport must be configured with the certificate, such as by the option
    /// `clientCertificate` of `CurlTransport`.
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

/// The private keys or the secret of a client. Descriptions and dumps do not contain them.
public struct ClientCredentials: Sendable {
    enum Signing: Sendable {
        case key(PrivateKey)
        case source(any SigningKeySource)
        case external(any ExternalSigner)
    }
    let signing: Signing?
    let secret: SecretKey?
    let decryption: any KeySource
    /// The publicly known keys that do not sign.
    let rejected: CompromisedKeys

    private init(
        _ signing: Signing?, _ secret: SecretKey?, _ decryption: any KeySource,
        rejecting rejected: CompromisedKeys = .none
    ) {
        self.signing = signing
        self.secret = secret
        self.decryption = decryption
        self.rejected = rejected
    }

    func rejecting(_ keys: CompromisedKeys) -> ClientCredentials {
        ClientCredentials(signing, secret, UnpublishedKeys(decryption, rejecting: keys), rejecting: keys)
    }

    /// Returns credentials with one signing key.
    ///
    /// - Parameters:
    ///   - signing: The private signing key, with the `kid` under which its public key is published.
    ///   - decryption: The private keys for tokens that the provider encrypts to the client, each with its `kid`.
    public static func keys(signing: PrivateKey, decryption: any KeySource = KeySet.empty) -> ClientCredentials {
        ClientCredentials(.key(signing), nil, decryption)
    }

    /// Returns credentials whose keys rotate, with key sources such as `SigningKeyRotation` and
    /// `DecryptionKeyRotation`. The provider fetches the public keys from a JWKS URL of the service, where the service
    /// serves their `KeySetDocument`.
    ///
    /// - Parameters:
    ///   - signing: The source of the signing key.
    ///   - decryption: The source of the private keys for tokens that the provider encrypts to the client.
    public static func keys(
        signing: any SigningKeySource, decryption: any KeySource = KeySet.empty
    ) -> ClientCredentials {
        ClientCredentials(.source(signing), nil, decryption)
    }

    /// Returns credentials with a signing key outside the process, such as one in an HSM or a key management service.
    /// Client assertions and request objects are signed with it.
    ///
    /// - Parameters:
    ///   - signing: The external signing key. Its public key has the `kid` under which it is published.
    ///   - decryption: The private keys for tokens that the provider encrypts to the client, each with its `kid`.
    public static func keys(
        signing: any ExternalSigner, decryption: any KeySource = KeySet.empty
    ) -> ClientCredentials {
        ClientCredentials(.external(signing), nil, decryption)
    }

    /// Returns credentials with the client secret that the provider issued (`client_secret`).
    ///
    /// - Parameter secret: The secret, whose UTF-8 bytes are used.
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

    /// Returns a copy of these credentials with the private keys for tokens that the provider encrypts to the client.
    ///
    /// - Parameter keys: The source of the private keys.
    public func decrypting(with keys: any KeySource) -> ClientCredentials { ClientCredentials(signing, secret, keys) }

    func signer() throws(JOSEError) -> ClientSigner? {
        switch signing {
        case .key(let key): .local(.privateKey(key))
        case .source(let source): .local(.privateKey(try source.signingKey()))
        case .external(let signer): .external(signer)
        case nil: nil
        }
    }
}

extension ClientCredentials: Redacted {}
