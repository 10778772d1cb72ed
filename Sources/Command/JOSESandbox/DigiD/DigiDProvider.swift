package import JOSE
internal import JOSECrypto
internal import JOSEDigiD
internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETesting
internal import JOSETokens
internal import Synchronization

/// DigiD with OpenID Connect: its web site, its app, for which a page stands, and the host that requires a client
/// certificate.
package final class DigiDProvider: Sendable {
    /// The service, as it is registered at DigiD.
    struct Client: Sendable {
        let id: String
        let redirectURI: String
        /// The client's public keys.
        let keys: KeySet
        /// The client's certificate, in DER.
        let certificate: [UInt8]

        var signing: KeySet { KeySet(keys.keys.filter { $0.publicKey?.use != .encryption }) }
        /// The key for encryption. DigiD uses the first one.
        var encryption: PublicKey? { keys.keys.compactMap(\.publicKey).first { $0.use == .encryption } }
    }

    /// A visit to the page that stands for the app.
    struct Visit: Sendable {
        let parameters: FormFields
        /// The SAML login, or nil for a login by OpenID Connect.
        var login: AppLogin?
        /// The value of the cookie of the browser that got the page.
        var browser: String?
        var wrongPINs = 0
    }

    struct Grant: Sendable {
        let parameters: FormFields
        let person: Person
        let level: DigiDLevel
        let fault: DigiDFault?
    }

    struct State {
        var visits = ExpiringTable<Visit>(lifetime: 900)
        var codes = ExpiringTable<Grant>(lifetime: 180)
        #if SAML
            var webVisits = ExpiringTable<WebVisit>(lifetime: 900)
        #endif
    }

    /// The authorities of the three hosts.
    let web, app, api: String
    package let issuer: String
    let client: Client
    let clock: WallClock
    let key: PrivateKey
    let state = Mutex(State())
    #if SAML
        /// Both generations of the SAML interface.
        let saml: [DigiDSAML]
        /// The requests to the service, or nil for none.
        let calls: DigiDCalls?
    #endif

    /// Creates the provider.
    ///
    /// - Parameters:
    ///   - urls: The URLs of the service for each generation of the SAML interface.
    ///   - certificate: The certificate of the key that the service signs with, in DER.
    ///   - calls: The requests to the service, or nil for none.
    init(
        web: String, app: String, api: String, client: Client, urls: [(isLater: Bool, urls: DigiDURLs)],
        certificate: [UInt8], calls: DigiDCalls?, clock: WallClock, makeKey: RSAKeyMaker
    ) throws {
        #if SAML
            let (own, stranger) = (try DigiDKey(makeKey(2048)), try DigiDKey(makeKey(2048)))
            saml = try urls.map { isLater, urls in
                try DigiDSAML(
                    isLater: isLater, web: web, api: api, service: "https://service.test/saml/metadata", urls: urls,
                    certificate: certificate, key: own, stranger: stranger)
            }
            self.calls = calls
        #endif
        self.web = web
        self.app = app
        self.api = api
        self.client = client
        self.clock = clock
        issuer = "https://" + web + "/openid-connect/v1"
        var key = try makeKey(2048)
        key.keyID = try Self.name(of: key.publicKey)
        key.use = .signature
        self.key = key
    }

    /// The numbers of users with a session at DigiD, in each generation of the SAML interface.
    package var sessionCounts: [Int] {
        #if SAML
            saml.map(\.sessionCount)
        #else
            []
        #endif
    }

    /// The keys that verify `signed_metadata`.
    package var metadataKeys: KeySet { KeySet(key.publicKey) }

    /// Returns the SHA-1 of the SubjectPublicKeyInfo in lower-case hexadecimal digits, which is the key's `kid`.
    private static func name(of key: PublicKey) throws -> String {
        let der = try key.der()
        return try Hash.sha1.digest(der.span).hexadecimal
    }

    /// The time of the sandbox's clock, in seconds since 1970.
    var now: Double { clock.now.secondsSince1970 }

    /// Answers a request, or returns nil if it is for another host.
    func answer(_ request: WebRequest) -> TransportResponse? {
        let path = request.path
        switch request.authority.lowercased() {
        case web:
            #if SAML
                if let answer = answerWeb(request) { return answer }
            #endif
            guard request.isRead else { return .methodNotAllowed("GET") }
            switch path {
            case "/openid-connect/v1/.well-known/openid-configuration": return metadata()
            case "/openid-connect/v1/jwks": return jwks()
            case "/openid-connect/v1/authorization": return authorize(request)
            default: return .notFound()
            }
        case app:
            switch path {
            #if SAML
                case "/digid-app" where request.rawQuery.hasPrefix("app-app="):
                    return request.isRead ? answerAppLink(request) : .methodNotAllowed("GET")
            #endif
            case "/digid-app": return request.isRead ? visit(request) : .methodNotAllowed("GET")
            case "/digid-app/decision": return request.method == "POST" ? decide(request) : .methodNotAllowed("POST")
            default: return .notFound()
            }
        case api:
            #if SAML
                for one in saml {
                    if let answer = one.answer(request, to: client.certificate, now: now) { return answer }
                }
            #endif
            guard path == "/openid-connect/v1/token" else { return .notFound() }
            return request.method == "POST" ? token(request) : .methodNotAllowed("POST")
        default: return nil
        }
    }

    private func metadata() -> TransportResponse {
        var claims: ClaimsBuilder = [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorization"),
            "token_endpoint": .string("https://" + api + "/openid-connect/v1/token"),
            "jwks_uri": .string(issuer + "/jwks"), "response_types_supported": ["code"], "scopes_supported": ["openid"],
            "subject_types_supported": ["public"], "token_endpoint_auth_methods_supported": ["tls_client_auth"],
            "code_challenge_methods_supported": ["S256"], "id_token_signing_alg_values_supported": ["RS256"],
            // DigiD publishes this value, and clients must ignore it.
            "id_token_encryption_alg_values_supported": ["RS256"],
        ]
        guard let signed = try? signed(claims) else { return TransportResponse(status: 500) }
        claims["signed_metadata"] = .string(signed)
        return .json(claims, cache: "public, max-age=300")
    }

    private func jwks() -> TransportResponse {
        .json(Array("{\"keys\":[\(key.publicKey.jwk())]}".utf8), cache: "public, max-age=300")
    }

    func signed(_ claims: ClaimsBuilder, by other: PrivateKey? = nil) throws -> String {
        try Forge.signed(
            header: #"{"alg":"RS256","kid":"\#(key.keyID ?? "")"}"#,
            payload: String(decoding: claims.json(), as: UTF8.self), with: .privateKey(other ?? key), .rs256)
    }
}
