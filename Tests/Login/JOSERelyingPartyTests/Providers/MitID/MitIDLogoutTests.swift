import Foundation
import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("MitID: logout") struct MitIDLogoutTests {
    private func token(
        _ fixture: MitIDFixture, key: PrivateKey = TestKeys.provider, _ more: String = #""events":{"\#(event)":{}}"#,
        jti: String
    ) throws -> String {
        let header = #"{"alg":"RS256","kid":"\#(key.keyID ?? "")"}"#
        let claims =
            #"{"iss":"\#(MitIDFixture.issuer)","aud":"partner-code","iat":1700000000,"exp":1700000120,"sid":"S1","jti":"\#(jti)",\#(more)}"#
        return try Forge.signed(header: header, payload: claims, with: .privateKey(key), .rs256)
    }

    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    @Test("a logout token must have its event, no nonce and a login key, and works once (R24)") func tokens()
        async throws
    {
        let fixture = try MitIDFixture()
        let authority = try MitIDAuthority.made.get()
        fixture.provider.script.published.append(try #require(try authority.jwk().publicKey))
        let good = try token(fixture, jti: "1")
        let notice = try await fixture.party.acceptLogout(token: good)
        #expect(notice.sessionID == "S1" && notice.issuer == MitIDFixture.issuer && notice.subject == nil)
        try await fixture.party.confirmLogout(notice)
        func failure(_ token: String) async throws -> RelyingPartyError.Reason? {
            try await refusal { try await fixture.party.acceptLogout(token: token) }?.reason
        }
        #expect(try await failure(good) == .replayed)
        let withNonce = try token(fixture, #""events":{"\#(Self.event)":{}},"nonce":"n""#, jti: "2")
        #expect(try await failure(withNonce) == .claimUnexpected("nonce"))
        #expect(try await failure(token(fixture, #""events":{}"#, jti: "3")) == .claimType("events"))
        var attesting = try authority.key.privateKeyOfTests
        attesting.keyID = try authority.jwk().keyID
        #expect(try await failure(token(fixture, key: attesting, jti: "4")) == .keyUnsuitable)
        #expect(try await failure(token(fixture, jti: "5")) == nil)
    }

    /// A clock that a test advances by a thousand seconds.
    private final class SteppingClock: Sendable {
        private let state = Mutex(false)
        /// Whether a thousand seconds have passed.
        var isLate: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }

        var wallClock: WallClock { .custom { [self] in isLate ? 1_700_001_000 : 1_700_000_000 } }
    }

    @Test("T76 a logout token that expires before its confirmation is rejected from then on, and is not marked as used")
    func expiresBeforeItsMark() async throws {
        let fixture = try MitIDFixture()
        let clock = SteppingClock()
        let party = try RelyingParty(
            .mitID(MitIDFixture.settings), in: .sandbox(issuer: MitIDFixture.issuer), client: fixture.fixture.client,
            transport: fixture.provider, store: fixture.fixture.store, clock: clock.wallClock, keySets: nil,
            observer: nil,
            fetching: LoginFixture.environment(fixture.clock))
        let late = try token(fixture, jti: "1")
        let notice = try await party.acceptLogout(token: late)
        clock.isLate = true
        try await party.confirmLogout(notice)
        #expect(fixture.fixture.store.count == 0)
        #expect(
            try await refusal { try await party.acceptLogout(token: late) }
                == RelyingPartyError(.expired, in: .logoutToken))
        // The positive control: a token that is confirmed in time is marked.
        clock.isLate = false
        try await party.confirmLogout(try await party.acceptLogout(token: late))
        #expect(fixture.fixture.store.count == 1)
        #expect(try await refusal { try await party.acceptLogout(token: late) }?.reason == .replayed)
    }

    @Test("ending the broker's session requires the ID token, without which the return URL would be ignored")
    func endSession()
        async throws
    {
        let fixture = try MitIDFixture()
        let user = try await fixture.login()
        let idToken = try #require(user.tokens.idToken)
        let form = try await fixture.party.logoutForm(
            idToken: idToken, returnTo: "https://service.test/out", state: "s")
        #expect(form.url == MitIDFixture.issuer + "/endsession")
        let fields = Dictionary(form.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(fields["id_token_hint"] == idToken)
        #expect(fields["post_logout_redirect_uri"] == "https://service.test/out")
    }
}
