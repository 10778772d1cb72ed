import JOSE
import JOSEKeySets
import JOSETesting
import Synchronization
import Testing

@testable import JOSERelyingParty
@testable import JOSETokens

/// One token is given to `IDTokenProfile` and to a login, and both must reject it, or both accept it.
@Suite("ID tokens: the rules of IDTokenProfile and of a login") struct IDTokenComparisonTests {
    private static let accessToken = "access-0"

    /// A login with a provider of OpenID Connect Core, and the profile with the same settings.
    private struct Comparison {
        let fixture: LoginFixture
        private let isNested: Bool

        init(isNested: Bool = false) throws {
            self.isNested = isNested
            var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
            (manner.idToken, manner.userInfo, manner.acr) = (.signed, .json, "gold")
            var options = OpenIDOptions()
            if isNested {
                manner.idToken = nestedLayers
                options.keyManagement = [.rsaOAEP]
            }
            var request = LoginRequest()
            request.acrValues = ["gold"]
            request.maximumAge = .seconds(3600)
            fixture = try LoginFixture(
                .openID(issuer: LoginFixture.issuer, options: options), manner: manner, request: request)
        }

        private func profile(nonce: String, code: String) -> IDTokenProfile {
            var profile = IDTokenProfile(
                issuer: LoginFixture.issuer, clientID: fixture.client.id, nonce: nonce, algorithms: [.rs256])
            profile.claims.clock = fixture.clock.wallClock
            profile.claims.acceptedACR = ["gold"]
            profile.claims.maximumAuthenticationAge = .seconds(3600)
            (profile.accessToken, profile.code) = (accessToken, code)
            if isNested {
                profile.encryption = EncryptionPolicy(
                    keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256, .a256gcm])
            }
            return profile
        }

        /// Returns the errors of both for one token; nil where it is accepted.
        ///
        /// - Parameters:
        ///   - type: The `typ` of the signature layer.
        ///   - outer: Members of the header of the encryption layer, with a comma before them.
        ///   - change: The change of the claims.
        func errors(
            type: String? = "JWT", outer: String = "",
            _ change: @escaping @Sendable (inout ClaimsBuilder, IDTokenRow.Values) -> Void = { _, _ in }
        ) async throws -> (core: TokenError?, login: RelyingPartyError?) {
            let provider = fixture.provider
            let made = Mutex<(token: String, nonce: String, code: String)?>(nil)
            let now = Int64(fixture.clock.now.secondsSince1970)
            let layers = provider.manner.idToken
            let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"e1","cty":"JWT"\#(outer)}"#
            let login = try await fixture.failure { script in
                script.type = type
                script.tokenResponse = { $0.replacing(/access-\d+/, with: accessToken) }
                script.idToken = { claims in
                    var claims = claims
                    guard case .string(let nonce)? = claims["nonce"] else { throw JOSEError.keyNotFound }
                    let code = provider.lastForm(.token)["code"] ?? ""
                    change(
                        &claims,
                        IDTokenRow.Values(
                            now: now, client: provider.manner.clientID, code: code, accessToken: accessToken))
                    let token = try provider.wrap(try provider.sign(claims), layers, header: header)
                    made.withLock { $0 = (token, nonce, code) }
                    return token
                }
            }
            let (token, nonce, code) = try #require(made.withLock { $0 })
            let verifier = try TokenVerifier(
                profile(nonce: nonce, code: code), verificationKeys: KeySet(TestKeys.provider.publicKey),
                decryptionKeys: KeySet(TestKeys.clientEncryption))
            do {
                _ = try verifier.verify(token)
                return (nil, login)
            } catch {
                return (error, login)
            }
        }
    }

    @Test("R44 every rule for a claim of an ID token rejects the same tokens in IDTokenProfile and in a login")
    func claims() async throws {
        let comparison = try Comparison()
        let unchanged = try await comparison.errors()
        #expect(unchanged.core == nil && unchanged.login == nil)
        for row in IDTokenRow.all {
            let (core, login) = try await comparison.errors(row.change)
            #expect(core == row.core.map { .claim($0) }, "\(row.claim), \(row.fault)")
            #expect(login == row.login.map { .idToken($0) }, "\(row.claim), \(row.fault)")
        }
    }

    @Test("the table has a row for every claim that IDTokenProfile or the claims engine checks")
    func complete() {
        let policy = IDTokenProfile(issuer: "i", clientID: "c", nonce: "n", algorithms: [.rs256]).policy.claims
        let rejecting = Set(IDTokenRow.all.filter { $0.login != nil }.map(\.claim))
        let listed = (policy.required + policy.forbidden).map(\.description)
        let checked = RegisteredClaim.allCases.map(\.name.description) + listed
        #expect(rejecting == Set(checked))
    }

    @Test("R43 a typ of another kind of token is rejected by IDTokenProfile and by a login (RFC 8725, 3.11)")
    func types() async throws {
        for isNested in [false, true] {
            let comparison = try Comparison(isNested: isNested)
            for type in [nil, "JWT", "jwt", "application/jwt"] {
                let (core, login) = try await comparison.errors(type: type)
                #expect(core == nil && login == nil, "\(type ?? "absent")")
            }
            for type in TokenKind.allCases.map(\.rawValue) + ["application/logout+jwt", "AT+JWT", "unknown+jwt", ""] {
                let (core, login) = try await comparison.errors(type: type)
                #expect(core == .jose(.headerInvalid(.type), layer: .signature), "\(type)")
                #expect(login == .idToken(.contentTypeMismatch), "\(type)")
            }
        }
    }

    @Test("R48 claims that the outer header repeats must equal those of the ID token, in a login too (RFC 7519, 5.3)")
    func copies() async throws {
        let comparison = try Comparison(isNested: true)
        let (issuer, client) = (LoginFixture.issuer, comparison.fixture.client.id)
        let right = #","iss":"\#(issuer)","sub":"user-1","aud":["\#(client)"]"#
        for (outer, core, login) in [
            ("", nil, nil), (right, nil, nil),
            (#","iss":"https://other.test""#, .headerCopyDiffers("iss"), .issuerMismatch),
            (#","sub":"user-2""#, .headerCopyDiffers("sub"), .claimUnexpected("sub")),
            (#","aud":"other""#, .headerCopyDiffers("aud"), .audienceMismatch),
            (#","aud":["\#(client)","other"]"#, .headerCopyDiffers("aud"), .audienceMismatch),
        ] as [(String, ClaimFailure?, RelyingPartyError.Reason?)] {
            let found = try await comparison.errors(outer: outer)
            #expect(found.core == core.map { .claim($0) }, "\(outer)")
            #expect(found.login == login.map { .idToken($0) }, "\(outer)")
        }
    }
}
