public import JOSE
internal import JOSEBytes

/// Who the service is to its provider.
public struct RelyingPartyClient: Sendable {
    /// `client_id`, as the provider gave it.
    public let id: String
    /// Where the provider may send users back to, byte for byte as it was registered (threat R07). The first is used where a login names none.
    public let redirectURIs: [String]
    /// What proves to the provider that it is the service.
    public internal(set) var credentials: ClientCredentials
    /// Among those of the profile; nil: its first that the credentials fit.
    public var authentication: ClientAuthentication?

    /// Of a service with one redirect URI.
    public init(id: String, redirectURI: String, credentials: ClientCredentials) {
        self.init(id: id, redirectURIs: [redirectURI], credentials: credentials)
    }

    /// Of a service with several.
    public init(id: String, redirectURIs: [String], credentials: ClientCredentials) {
        self.id = id
        self.redirectURIs = redirectURIs
        self.credentials = credentials
    }
}

/// How a client proves that it is itself (OpenID Connect Core, 9).
@nonexhaustive public enum ClientAuthentication: Sendable, Equatable {
    /// `private_key_jwt`: an assertion that is signed (RFC 7523, 2.2).
    case privateKeyJWT
    /// The same, then encrypted to the provider.
    case privateKeyJWTEncrypted
    /// An assertion under HMAC with the secret.
    case clientSecretJWT
    /// `client_secret_basic`. `isFormEncoded`: identifier and secret are encoded before base64, as RFC 6749, 2.3.1 has it and
    /// not every provider does.
    case clientSecretBasic(isFormEncoded: Bool)
    /// `client_secret_post`.
    case clientSecretPost
    /// `tls_client_auth` (RFC 8705, 2.1): the form has nothing but `client_id`; the certificate is the transport's, such as
    /// `clientCertificate` among the options of `CurlTransport`.
    case tlsClientAuth

    func isServed(by credentials: ClientCredentials) -> Bool {
        switch self {
        case .privateKeyJWT, .privateKeyJWTEncrypted: credentials.signing != nil
        case .clientSecretJWT, .clientSecretBasic, .clientSecretPost: credentials.secret != nil
        case .tlsClientAuth: true
        }
    }

    /// Whether `client_id` stands in the form because of it.
    var namesClient: Bool { self == .clientSecretPost || self == .tlsClientAuth }
}

/// A client's keys or its secret; prints neither.
public struct ClientCredentials: Sendable {
    enum Signing: Sendable {
        case key(PrivateKey)
        case source(any SigningKeySource)
    }
    let signing: Signing?
    let secret: SecretKey?
    let decryption: any KeySource
    /// Whether a signing key whose private half is published signs nothing.
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

    /// One key that signs, and the keys to which the provider encrypts. Each has its `kid`, as it was published.
    public static func keys(signing: PrivateKey, decryption: any KeySource = KeySet.empty) -> ClientCredentials {
        ClientCredentials(.key(signing), nil, decryption)
    }

    /// Keys that rotate, such as those of `SigningKeyRotation` and `DecryptionKeyRotation`, whose `KeySetDocument` the provider fetches.
    public static func keys(
        signing: any SigningKeySource, decryption: any KeySource = KeySet.empty
    ) -> ClientCredentials {
        ClientCredentials(.source(signing), nil, decryption)
    }

    /// The secret that the provider gave, as text. Throws `configurationError` for an empty one.
    public static func secret(_ secret: String) throws(RelyingPartyError) -> ClientCredentials {
        var bytes = Array(secret.utf8)
        defer { wipe(&bytes) }
        do throws(JOSEError) {
            return ClientCredentials(nil, try SecretKey(bytes: bytes), KeySet.empty)
        } catch {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
    }

    /// With keys to which the provider encrypts.
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
    public var description: String { secret == nil ? "ClientCredentials(keys)" : "ClientCredentials(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
