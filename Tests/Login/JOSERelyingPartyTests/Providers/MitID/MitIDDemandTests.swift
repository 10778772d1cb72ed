import JOSE
import JOSECrypto
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSESupport
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("MitID: the response compared with the request") struct MitIDDemandTests {
    private static let uuid = "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d"
    private static let otherUUID = "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4e"
    private static let cpr = "2902881234"

    private func request(
        scopes: [MitIDScope] = [], _ change: (inout MitIDParameters) -> Void
    ) -> LoginRequest {
        var request = LoginRequest.mitID(scopes: scopes)
        var parameters = MitIDParameters()
        change(&parameters)
        request.mitID = parameters
        return request
    }

    /// Returns the error of a login whose userinfo response has this value; nil removes the claim.
    private func failure(
        _ fixture: MitIDFixture, _ request: LoginRequest, _ name: String, _ value: String?
    ) async throws -> RelyingPartyError? {
        try await fixture.failure(request) { script in
            let before = script.userInfoClaims
            script.userInfoClaims = { claims in
                before(&claims)
                claims[name] = value.map { .string($0) }
            }
        }
    }

    private static func userInfo(_ failure: RelyingPartyError.Reason) -> RelyingPartyError {
        RelyingPartyError(failure, in: .userInfo)
    }

    @Test("R35 a login for payments requires mitid.psd2 true, and neither false nor absent")
    func payments() async throws {
        let fixture = try MitIDFixture()
        let demanding = request { $0.requiresPSD2 = true }
        for (value, expected) in [
            ("true", nil), ("false", .claimUnexpected("mitid.psd2")), (nil, .claimMissing("mitid.psd2")),
            ("True", .claimType("mitid.psd2")),
        ] as [(String?, RelyingPartyError.Reason?)] {
            let error = try await failure(fixture, demanding, "mitid.psd2", value)
            #expect(error == expected.map { Self.userInfo($0) }, "\(value ?? "absent")")
        }
        // The request did not require it.
        for value in ["true", "false", nil] {
            #expect(try await failure(fixture, .mitID(), "mitid.psd2", value) == nil)
        }
    }

    @Test("R35 a login with uuid_hint must be that person's if the response names one, in upper or lower case")
    func persons() async throws {
        let fixture = try MitIDFixture()
        for hint in [Self.uuid, Self.uuid.uppercased()] {
            let hinted = request { $0.uuidHint = hint }
            for (value, isSame) in [
                (Self.uuid, true), (Self.uuid.uppercased(), true), (Self.otherUUID, false), (nil, true),
            ] as [(String?, Bool)] {
                let error = try await failure(fixture, hinted, "mitid.uuid", value)
                #expect(error == (isSame ? nil : Self.userInfo(.subjectMismatch)), "\(value ?? "absent")")
            }
        }
        #expect(try await failure(fixture, .mitID(), "mitid.uuid", Self.otherUUID) == nil)
    }

    @Test("R35 a login with cpr_hint must be that person's if the response has a number, under either of its names")
    func numbers() async throws {
        let fixture = try MitIDFixture(.mitIDPushed(MitIDFixture.settings))
        let hinted = request(scopes: [.ssn]) { $0.cprHint = CPRNumber("290288-1234") }
        for (value, isSame) in [(Self.cpr, true), ("290288-1234", true), ("2902881235", false), (nil, true)]
            as [(String?, Bool)]
        {
            let error = try await failure(fixture, hinted, "dk.cpr", value)
            #expect(error == (isSame ? nil : Self.userInfo(.subjectMismatch)), "\(value ?? "absent")")
        }
        // MitID Erhverv has a name of its own.
        for (value, isSame) in [(Self.cpr, true), ("2902881235", false), (nil, true)] as [(String?, Bool)] {
            let error = try await failure(fixture, hinted, "nemlogin.cpr", value)
            #expect(error == (isSame ? nil : Self.userInfo(.subjectMismatch)), "\(value ?? "absent")")
        }
        let misspelled = try await fixture.failure(hinted) { $0.userInfoClaims = { $0["da.cpr"] = "2902881235" } }
        #expect(misspelled == Self.userInfo(.subjectMismatch))
    }

    /// Returns the error of a login whose userinfo token has further claims, given as JSON members with a leading comma.
    private func failure(
        _ fixture: MitIDFixture, _ request: LoginRequest, token members: String
    ) async throws -> RelyingPartyError? {
        let token = try Forge.signed(
            header: #"{"alg":"RS256","kid":"\#(TestKeys.provider.keyID ?? "")","typ":"at+jwt"}"#,
            payload:
                #"{"iss":"\#(MitIDFixture.issuer)","aud":"partner-code","sub":"user-1","iat":1700000000,"exp":1700000300\#(members)}"#,
            with: .privateKey(TestKeys.provider), .rs256)
        return try await fixture.failure(request) { script in
            let before = script.userInfoClaims
            script.userInfoClaims = { claims in
                before(&claims)
                claims["mitid.psd2"] = "true"
            }
            script.tokenResponse = { $0.dropLast() + #","userinfo_token":"\#(token)"}"# }
        }
    }

    /// Returns a request for a userinfo token, with all three requirements.
    private var demanding: LoginRequest {
        request(scopes: [.userInfoToken, .ssn]) {
            ($0.uuidHint, $0.cprHint, $0.requiresPSD2) = (Self.uuid, CPRNumber(Self.cpr), true)
        }
    }

    @Test("R35 the userinfo token is compared with the request, as far as it has the claims")
    func tokens() async throws {
        let fixture = try MitIDFixture(.mitIDPushed(MitIDFixture.settings))
        for (claims, expected) in [
            ("", nil), (#","mitid.uuid":"\#(Self.uuid)","dk.cpr":"\#(Self.cpr)","mitid.psd2":"true""#, nil),
            (#","mitid.uuid":"\#(Self.otherUUID)""#, .subjectMismatch), (#","dk.cpr":"2902881235""#, .subjectMismatch),
            (#","da.cpr":"2902881235""#, .subjectMismatch), (#","mitid.psd2":"false""#, .claimUnexpected("mitid.psd2")),
        ] as [(String, RelyingPartyError.Reason?)] {
            let error = try await failure(fixture, demanding, token: claims)
            #expect(error == expected.map { Self.userInfo($0) }, "\(claims)")
        }
    }

    @Test("R35 a claim of the userinfo token is read only if the request restricts it")
    func undemanded() async throws {
        let fixture = try MitIDFixture(.mitIDPushed(MitIDFixture.settings))
        let plain = LoginRequest.mitID(scopes: [.userInfoToken, .ssn])
        for (claim, name) in [
            (#","mitid.psd2":true"#, "mitid.psd2"), (#","mitid.uuid":7"#, "mitid.uuid"), (#","dk.cpr":"12""#, "dk.cpr"),
            (#","dk.cpr":7"#, "dk.cpr"), (#","da.cpr":"12""#, "da.cpr"),
        ] as [(String, ClaimName)] {
            #expect(try await failure(fixture, plain, token: claim) == nil, "\(claim)")
            #expect(try await failure(fixture, demanding, token: claim) == Self.userInfo(.claimType(name)), "\(claim)")
        }
        // With one requirement alone, the claims of the others are not read either.
        let persons = request(scopes: [.userInfoToken]) { $0.uuidHint = Self.uuid }
        #expect(try await failure(fixture, persons, token: #","mitid.psd2":true,"dk.cpr":"12""#) == nil)
        #expect(
            try await failure(fixture, persons, token: #","mitid.uuid":"\#(Self.otherUUID)""#)
                == Self.userInfo(.subjectMismatch))
    }

    @Test("R35 a login that the back end begins is compared with its hints as well")
    func backChannel() async throws {
        for (hint, isSame) in [(Self.uuid, true), (Self.otherUUID, false)] {
            let fixture = try BackChannelFixture()
            fixture.broker.state.withLock { $0.answers = [] }
            let answer = try fixture.tokens()
            fixture.broker.state.withLock { $0.answers = [answer] }
            let login = try await fixture.resumed(request { $0.uuidHint = hint })
            fixture.clock.advance(by: login.interval)
            let error = try await refusal { try await fixture.poll(login) }
            #expect(error == (isSame ? nil : Self.userInfo(.subjectMismatch)))
        }
    }

    @Test("R35 the store contains neither the hints nor a hash of them that could be guessed")
    func stored() async throws {
        let fixture = try MitIDFixture(.mitIDPushed(MitIDFixture.settings))
        let store = SteppedLoginStore()
        let party = try RelyingParty(
            .mitIDPushed(MitIDFixture.settings), in: .sandbox(issuer: MitIDFixture.issuer),
            client: fixture.fixture.client,
            transport: fixture.provider, store: store, clock: fixture.clock.wallClock, keySets: nil, observer: nil,
            fetching: LoginFixture.environment(fixture.clock))
        let start = try await party.beginLogin(
            request { ($0.uuidHint, $0.cprHint) = (Self.uuid, CPRNumber(Self.cpr)) })
        let kept = String(decoding: try #require(store.values.last), as: UTF8.self)
        #expect(kept.contains(#""uuid_hint":""#) && kept.contains(#""cpr_hint":""#))
        for secret in [Self.uuid, Self.cpr] {
            let digest = try Hash.sha256.digest(Array(secret.utf8).span)
            #expect(!kept.contains(secret))
            #expect(!kept.contains(String(decoding: Base64URL.encode(digest.span), as: UTF8.self)))
        }
        // The store does not contain the binding either, which keys the comparison.
        #expect(!kept.contains(start.binding))
        let user = try await party.completeLogin(
            callback: MitIDFixture.callback(fixture.form(start.url)), binding: start.binding)
        #expect(user.mitID?.uuid == Self.uuid)
    }
}
