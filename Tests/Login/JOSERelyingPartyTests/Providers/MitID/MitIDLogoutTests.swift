import Foundation
import JOSE
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("MitID: logout") struct MitIDLogoutTests {
    private func token(
        _ desk: MitIDDesk, key: PrivateKey = TestKeys.provider, _ more: String = #""events":{"\#(event)":{}}"#,
        jti: String
    ) throws -> String {
        let header = #"{"alg":"RS256","kid":"\#(key.keyID ?? "")"}"#
        let claims =
            #"{"iss":"\#(MitIDDesk.issuer)","aud":"partner-code","iat":1700000000,"exp":1700000120,"sid":"S1","jti":"\#(jti)",\#(more)}"#
        return try Forge.signed(header: header, payload: claims, with: .privateKey(key), .rs256)
    }

    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    @Test("a logout token has its event, no nonce, a key of logins, and works once, R24") func tokens()
        async throws
    {
        let desk = try MitIDDesk()
        let authority = try MitIDAuthority.made.get()
        desk.provider.script.published.append(try #require(try authority.jwk().publicKey))
        let good = try token(desk, jti: "1")
        let notice = try await desk.party.acceptLogout(token: good)
        #expect(notice.sessionID == "S1" && notice.issuer == MitIDDesk.issuer && notice.subject == nil)
        try await desk.party.confirmLogout(notice)
        func failure(_ token: String) async throws -> RelyingPartyFailure? {
            try await refusal { try await desk.party.acceptLogout(token: token) }?.failure
        }
        #expect(try await failure(good) == .replayed)
        let withNonce = try token(desk, #""events":{"\#(Self.event)":{}},"nonce":"n""#, jti: "2")
        #expect(try await failure(withNonce) == .claimUnexpected("nonce"))
        #expect(try await failure(token(desk, #""events":{}"#, jti: "3")) == .claimType("events"))
        var attesting = try authority.key.privateKeyOfTests
        attesting.keyID = try authority.jwk().keyID
        #expect(try await failure(token(desk, key: attesting, jti: "4")) == .keyUnsuitable)
        #expect(try await failure(token(desk, jti: "5")) == nil)
    }

    /// A clock that a test moves on by a thousand seconds.
    private final class SteppingClock: Sendable {
        private let state = Mutex(false)
        /// Whether a thousand seconds have passed.
        var isLate: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }

        var tokenClock: TokenClock { .custom { [self] in isLate ? 1_700_001_000 : 1_700_000_000 } }
    }

    @Test("T76 a logout token that expires before its confirmation is rejected from then on, and is not marked as used")
    func expiresBeforeItsMark() async throws {
        let desk = try MitIDDesk()
        let clock = SteppingClock()
        let party = try RelyingParty(
            .mitID(MitIDDesk.settings), in: .sandbox(issuer: MitIDDesk.issuer), client: desk.desk.client,
            transport: desk.provider, store: desk.desk.store, clock: clock.tokenClock, keySets: nil, observer: nil,
            surroundings: LoginDesk.surroundings(desk.clock))
        let late = try token(desk, jti: "1")
        let notice = try await party.acceptLogout(token: late)
        clock.isLate = true
        try await party.confirmLogout(notice)
        #expect(desk.desk.store.count == 0)
        #expect(
            try await refusal { try await party.acceptLogout(token: late) }
                == RelyingPartyError(.expired, in: .logoutToken))
        // The positive control: a token that is confirmed in time is marked.
        clock.isLate = false
        try await party.confirmLogout(try await party.acceptLogout(token: late))
        #expect(desk.desk.store.count == 1)
        #expect(try await refusal { try await party.acceptLogout(token: late) }?.failure == .replayed)
    }

    @Test("the end of the broker's session needs the ID token, or the way back would be ignored") func endSession()
        async throws
    {
        let desk = try MitIDDesk()
        let user = try await desk.login()
        let idToken = try #require(user.tokens.idToken)
        let form = try await desk.party.logoutForm(idToken: idToken, returnTo: "https://service.test/out", state: "s")
        #expect(form.url == MitIDDesk.issuer + "/endsession")
        let fields = Dictionary(form.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(fields["id_token_hint"] == idToken)
        #expect(fields["post_logout_redirect_uri"] == "https://service.test/out")
    }
}
