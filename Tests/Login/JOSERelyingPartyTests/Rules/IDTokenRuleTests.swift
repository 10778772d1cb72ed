import JOSE
import JOSEKeySets
import JOSETesting
import Testing

@testable import JOSERelyingParty
@testable import JOSETokens

@Suite("ID tokens: the rules of OpenID Connect Core in a login") struct IDTokenRuleTests {
    private static let accessToken = "access-0"

    /// Returns a login that requests the level `gold` and an authentication within the last hour.
    private static func fixture(isNested: Bool = false) throws -> LoginFixture {
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
        return try LoginFixture(
            .openID(issuer: LoginFixture.issuer, options: options), manner: manner, request: request)
    }

    /// Returns the error of a login with a changed ID token; nil if the login succeeds.
    ///
    /// - Parameters:
    ///   - fixture: The login.
    ///   - type: The `typ` of the signature layer.
    ///   - outer: Members of the header of the encryption layer, with a comma before them.
    ///   - change: The change of the claims.
    private static func failure(
        _ fixture: LoginFixture, type: String? = "JWT", outer: String = "",
        _ change: @escaping @Sendable (inout ClaimsBuilder, IDTokenRow.Values) -> Void = { _, _ in }
    ) async throws -> RelyingPartyError? {
        let provider = fixture.provider
        let now = Int64(fixture.clock.now.secondsSince1970)
        let layers = provider.manner.idToken
        let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"e1","cty":"JWT"\#(outer)}"#
        return try await fixture.failure { script in
            script.type = type
            script.tokenResponse = { $0.replacing(/access-\d+/, with: Self.accessToken) }
            script.idToken = { claims in
                var claims = claims
                let code = provider.lastForm(.token)["code"] ?? ""
                change(
                    &claims,
                    IDTokenRow.Values(
                        now: now, client: provider.manner.clientID, code: code, accessToken: Self.accessToken))
                return try provider.wrap(try provider.sign(claims), layers, header: header)
            }
        }
    }

    @Test("R44 every rule for a claim of an ID token rejects a login whose claim violates it (3.1.3.7)")
    func claims() async throws {
        let fixture = try Self.fixture()
        #expect(try await Self.failure(fixture) == nil)
        for row in IDTokenRow.all {
            let error = try await Self.failure(fixture, row.change)
            #expect(error == row.reason.map { .idToken($0) }, "\(row.claim), \(row.fault)")
        }
    }

    @Test("the table has a row for every claim that IDTokenProfile or the module JOSETokens checks")
    func complete() {
        let policy = IDTokenProfile(issuer: "i", clientID: "c", nonce: "n", algorithms: [.rs256]).policy.claims
        let rejecting = Set(IDTokenRow.all.filter { $0.reason != nil }.map(\.claim))
        let listed = (policy.required + policy.forbidden).map(\.description)
        let checked = RegisteredClaim.allCases.map(\.name.description) + listed
        #expect(rejecting == Set(checked))
    }

    @Test("R43 a typ of another kind of token is rejected by a login (RFC 8725, 3.11)")
    func types() async throws {
        for isNested in [false, true] {
            let fixture = try Self.fixture(isNested: isNested)
            for type in [nil, "JWT", "jwt", "application/jwt"] {
                #expect(try await Self.failure(fixture, type: type) == nil, "\(type ?? "absent")")
            }
            for type in TokenKind.allCases.map(\.rawValue) + ["application/logout+jwt", "AT+JWT", "unknown+jwt", ""] {
                let error = try await Self.failure(fixture, type: type)
                #expect(error == .idToken(.contentTypeMismatch), "\(type)")
            }
        }
    }

    @Test("R48 claims that the outer header repeats must equal those of the ID token, in a login too (RFC 7519, 5.3)")
    func copies() async throws {
        let fixture = try Self.fixture(isNested: true)
        let (issuer, client) = (LoginFixture.issuer, fixture.client.id)
        let right = #","iss":"\#(issuer)","sub":"user-1","aud":["\#(client)"]"#
        for (outer, reason) in [
            ("", nil), (right, nil), (#","iss":"https://other.test""#, .issuerMismatch),
            (#","sub":"user-2""#, .claimUnexpected("sub")), (#","aud":"other""#, .audienceMismatch),
            (#","aud":["\#(client)","other"]"#, .audienceMismatch),
        ] as [(String, RelyingPartyError.Reason?)] {
            let error = try await Self.failure(fixture, outer: outer)
            #expect(error == reason.map { .idToken($0) }, "\(outer)")
        }
    }
}
