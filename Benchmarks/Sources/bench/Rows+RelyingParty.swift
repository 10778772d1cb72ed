internal import Dispatch
internal import JOSE
internal import JOSEItsme
internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSETokens
internal import Synchronization

/// A provider in the process: every page is available before it is requested.
private final class ProviderAtHand: HTTPTransport {
    private let pages = Mutex<[String: TransportResponse]>([:])

    func serve(_ url: String, _ body: String, type: String = "application/json") {
        let headers = [
            TransportHeaderField("Content-Type", type), TransportHeaderField("Cache-Control", "max-age=86400"),
        ]
        pages.withLock { $0[url] = TransportResponse(status: 200, headers: headers, body: Array(body.utf8)) }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        pages.withLock { $0[request.url] } ?? TransportResponse(status: 404)
    }
}

/// A store that returns the last transaction any number of times, so that one login is completed repeatedly.
private final class LoginAtHand: LoginStore {
    private let held = Mutex<[UInt8]?>(nil)

    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
        held.withLock { $0 = value }
        return true
    }

    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? { held.withLock { $0 } }

    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? { held.withLock { $0 } }
}

/// A value that is written by a task that ends before it is read.
private final class Box<Value>: @unchecked Sendable {
    var value: Value?
}

/// A service and its provider, with the provider's documents fetched.
private struct LoginBench: Sendable {
    static let issuer = "https://op.example.com/v2"
    let provider = ProviderAtHand()
    let party: RelyingParty

    init(_ profile: ProviderProfile, _ fixtures: Fixtures, credentials: ClientCredentials) throws {
        let issuer = Self.issuer
        provider.serve(
            issuer + "/.well-known/openid-configuration",
            """
            {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorization","token_endpoint":"\(issuer)/token",\
            "userinfo_endpoint":"\(issuer)/userinfo","jwks_uri":"\(issuer)/jwks"}
            """)
        var encryption = fixtures.rsaForEncryption.publicKey
        encryption.use = .encryption
        provider.serve(
            issuer + "/jwks", KeySet([.publicKey(fixtures.rsa.publicKey), .publicKey(encryption)]).jwks())
        party = try RelyingParty(
            profile, in: .sandbox(issuer: issuer),
            client: RelyingPartyClient(
                id: Fixtures.audience, redirectURI: "https://service.example/callback", credentials: credentials),
            transport: provider, store: LoginAtHand())
    }

    func begin(_ request: LoginRequest) throws -> AuthorizationRequest {
        let made = Box<AuthorizationRequest>()
        let ended = DispatchSemaphore(value: 0)
        let party = party
        Task.detached {
            made.value = try? await party.beginLogin(request)
            ended.signal()
        }
        ended.wait()
        guard let start = made.value else { throw Options.Fault(description: "no login begins") }
        return start
    }

    /// Returns the work of beginning a login, on this thread, because nothing in it waits.
    func beginning(_ request: LoginRequest) throws -> Work {
        _ = try begin(request)
        let party = party
        return { count in
            let made = Box<Int>()
            Task.immediate {
                var good = 0
                for _ in 0..<count where (try? await party.beginLogin(request)) != nil { good += 1 }
                made.value = good
            }
            return made.value ?? 0
        }
    }

    /// Returns the work of completing a login, with an ID token that is signed once.
    func completing(_ fixtures: Fixtures) throws -> Work {
        let start = try begin(LoginRequest())
        let parameters = start.url.split(separator: "?").last?.split(separator: "&").map(String.init) ?? []
        func value(_ name: String) -> String {
            String(parameters.first { $0.hasPrefix(name + "=") }?.dropFirst(name.utf8.count + 1) ?? "")
        }
        let about = #""iss":"\#(Self.issuer)","sub":"248289761001-5c1b9e40f2","aud":"\#(Fixtures.audience)""#
        let claims = """
            {\(about),"exp":\(fixtures.now + 10 * 365 * 86_400),"iat":\(fixtures.now - 60),\
            "auth_time":\(fixtures.now - 75),"nonce":"\(value("nonce"))"}
            """
        let token = try fixtures.signing(.rs256).signer(.rs256, type: "JWT").sign(Array(claims.utf8))
        provider.serve(
            Self.issuer + "/token",
            #"{"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"Bearer","expires_in":3600,"id_token":"\#(token)"}"#
        )
        provider.serve(
            Self.issuer + "/userinfo", #"{\#(about),"name":"Jane Doe","email":"jane@example.com","locale":"nl-BE"}"#)
        let callback = AuthorizationCallback.query("code=SplxlOBeZQQYbYS6WxSbIA&state=" + value("state"))
        let (party, binding) = (party, start.binding)
        return { count in
            let made = Box<Int>()
            Task.immediate {
                var good = 0
                for _ in 0..<count
                where (try? await party.completeLogin(callback: callback, binding: binding)) != nil {
                    good += 1
                }
                made.value = good
            }
            return made.value ?? 0
        }
    }
}

extension Fixtures {
    /// Returns rows of logins with a transport that answers at once, compared with the cryptography that a login requires.
    func relyingPartyRows() throws -> [Row] {
        let signed = try SignedCase(self, .rs256)
        func party(_ userInfo: OpenIDOptions.UserInfo) throws -> LoginBench {
            var options = OpenIDOptions()
            options.userInfo = userInfo
            // The client has no key of its own: the raw call is the ID token's signature.
            options.authentication = [.clientSecretBasic(isFormEncoded: true)]
            return try LoginBench(
                .openID(issuer: LoginBench.issuer, options: options), self,
                credentials: .secret("a secret of thirty-two bytes, and of some more"))
        }
        let itsme = try LoginBench(
            .itsmeV2, self, credentials: .keys(signing: rsa, decryption: KeySet(rsaForEncryption)))
        var object = LoginRequest.itsme(service: "SHOP", level: .basic, scopes: [.profile])
        object.delivery = .object
        let cases = try nestedCases()
        guard let nested = cases.first else { throw JOSEError.keyNotFound }
        return [
            Row("login", "begin", try party(.none).beginning(LoginRequest())),
            Row(
                "login", "begin, nested object", try itsme.beginning(object), raw: nested.rawIssue,
                goals: [.nanosecondsBeyond(150_000)]),
            Row(
                "login", "complete RS256", try party(.none).completing(self), raw: { signed.rawVerify() },
                goals: [.nanosecondsBeyond(150_000)]),
            Row(
                "login", "complete RS256, userinfo", try party(.json).completing(self), raw: { signed.rawVerify() },
                goals: [.nanosecondsBeyond(150_000)]),
        ]
    }
}
