import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import Testing

/// A service that asks the wallet AltID for ages, and the issuer of the answers.
struct AltIDFixture: Sendable {
    let fixture: MitIDFixture
    /// The issuer with its endpoint for proofs that the back end begins.
    let server: PolledProvider
    let party: RelyingParty

    static let session = PollingFixture.session

    init() throws {
        let issuer = LoginFixture.issuer
        var settings = MitIDFixture.settings
        settings.ageAuthority = issuer
        fixture = try MitIDFixture(
            .altIDAge(settings), request: .altIDAge(atLeast: [18]), environment: .sandbox(issuer: issuer),
            issuer: issuer
        ) { manner in
            manner.authentication = .assertion(audience: issuer, isEncrypted: false)
        }
        fixture.provider.script.metadata["backchannel_authentication_endpoint"] = "\"\(issuer)/bc-authorize\""
        fixture.provider.script.idTokenClaims = Self.answer
        // The endpoint would be called if the profile had one.
        fixture.provider.script.answers[.userInfo] = { _ in TransportResponse(status: 500) }
        server = PolledProvider(fixture.provider)
        party = try RelyingParty(
            .altIDAge(settings), in: .sandbox(issuer: issuer), client: fixture.fixture.client, transport: server,
            store: fixture.fixture.store, clock: fixture.clock.wallClock, keySets: nil, observer: nil,
            fetching: LoginFixture.environment(fixture.clock))
    }

    /// Sets the claims of an answer: neither `identity_type` nor a level.
    static let answer: @Sendable (inout ClaimsBuilder) -> Void = { claims in
        claims["idp"] = "euav"
        claims["idtoken_type"] = "av"
        claims["age_over_18"] = true
    }

    /// Performs an age proof in a browser.
    func prove(
        _ request: LoginRequest = .altIDAge(atLeast: [18]),
        _ change: @escaping @Sendable (inout ClaimsBuilder) -> Void = { _ in }
    ) async throws -> MitIDAge {
        let before = fixture.provider.script
        defer { fixture.provider.script = before }
        fixture.provider.script.idTokenClaims = { claims in
            Self.answer(&claims)
            change(&claims)
        }
        let party = fixture.party
        let start = try await party.beginAltIDAgeProof(request)
        let form = fixture.form(start.url, issuer: LoginFixture.issuer)
        return try await party.completeAltIDAgeProof(callback: MitIDFixture.callback(form), binding: start.binding)
    }

    /// Returns the error of an age proof; nil if it succeeds.
    func refused(
        _ request: LoginRequest = .altIDAge(atLeast: [18]),
        _ change: @escaping @Sendable (inout ClaimsBuilder) -> Void = { _ in }
    ) async throws -> RelyingPartyError? {
        try await refusal { try await prove(request, change) }
    }

    /// Sets the acknowledgement of a proof that the back end begins, with these members.
    func acknowledge(_ members: String) {
        server.state.withLock { state in
            state.acknowledgement = .json(
                #"{"auth_req_id":"proof-\#(state.count + 1)","expires_in":300,"interval":3\#(members)}"#)
        }
    }

    /// Sets the response of the token endpoint.
    func answerPolls(_ change: (inout ClaimsBuilder) -> Void = { _ in }) throws {
        var claims = fixture.provider.commonClaims()
        claims["iat"] = .integer(Int64(fixture.clock.now.secondsSince1970))
        claims["exp"] = .integer(Int64(fixture.clock.now.secondsSince1970) + 300)
        Self.answer(&claims)
        change(&claims)
        let token = try fixture.provider.sign(claims)
        let answer = TransportResponse.json(
            #"{"access_token":"access-1","token_type":"Bearer","id_token":"\#(token)"}"#)
        server.state.withLock { $0.answers = [answer] }
    }
}
