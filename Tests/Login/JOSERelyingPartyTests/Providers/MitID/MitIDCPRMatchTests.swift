import Foundation
import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("MitID: comparison of civil registration numbers") struct MitIDCPRMatchTests {
    private static let number = "2902881234"
    private static let exceeded = "Cpr Match exceeded. Only 3 tries is allowed within a session."

    private static func answer(_ text: String, status: Int = 200) -> @Sendable (TransportRequest) -> TransportResponse {
        { _ in .json(text, status: status) }
    }

    /// Returns a fixture whose broker gives an answer, and the ticket of a login there.
    private func logged(
        _ answer: @escaping @Sendable (TransportRequest) -> TransportResponse
    ) async throws -> (MitIDFixture, MitIDCPRTicket) {
        let fixture = try MitIDFixture()
        fixture.provider.script.answers[.cprMatch] = answer
        return (fixture, try #require(try await fixture.login().mitIDCPRTicket))
    }

    private func calls(_ fixture: MitIDFixture) -> Int { fixture.provider.calls(.cprMatch) }

    private static func code(_ text: String) throws -> RelyingPartyError.Reason {
        .providerError(try #require(ProviderErrorCode(text)))
    }

    @Test("MitID case 40: a match is true or false, as a Boolean or a text; ten digits are sent, and a hyphen is not")
    func matches() async throws {
        for (text, expected) in [
            ("true", true), ("false", false), (#""true""#, true), (#""false""#, false),
        ] {
            let (fixture, ticket) = try await logged(Self.answer(#"{"cprNumberMatch":\#(text)}"#))
            #expect(try await fixture.party.matchMitIDCPR("290288-1234", ticket) == expected)
            let sent = try #require(fixture.provider.last(.cprMatch))
            #expect(sent.method == .post && String(decoding: sent.body, as: UTF8.self) == #"{"cpr":"2902881234"}"#)
            #expect(sent.headers.first { $0.name == "Authorization" }?.value == "Bearer \(ticket.accessToken)")
            for wrong in ["29028-81234", "290288 1234", "290288123", "29028812345", "", "290288123\u{0664}"] {
                let error = try await refusal { try await fixture.party.matchMitIDCPR(wrong, ticket) }
                #expect(error == .request(.invalidParameter("cpr")), "\(wrong)")
            }
            // Numbers that are not sent use no try. This one fails the check by modulus 11.
            #expect(calls(fixture) == 1)
            #expect(try await fixture.party.matchMitIDCPR("0101900000", ticket) == expected)
            #expect(try await fixture.party.matchMitIDCPR(Self.number, ticket) == expected)
        }
    }

    @Test("MitID case 40: the fourth number of a login is not sent, in whatever process it is entered")
    func tries() async throws {
        let (fixture, ticket) = try await logged(Self.answer(#"{"cprNumberMatch":false}"#))
        let party = fixture.party
        let outcomes = try await withThrowingTaskGroup(of: RelyingPartyError?.self) { group in
            for _ in 0..<8 {
                group.addTask { try await refusal { try await party.matchMitIDCPR(Self.number, ticket) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 3 && calls(fixture) == 3)
        let fourth = outcomes.compactMap { $0 }
        #expect(
            fourth.allSatisfy {
                $0 == RelyingPartyError((try? Self.code("cpr_match_exceeded")) ?? .malformed, in: .request)
            })
        #expect(fourth.allSatisfy { $0.action == .tellUser })
        // Another login has tries of its own.
        let other = try #require(try await fixture.login().mitIDCPRTicket)
        #expect(try await party.matchMitIDCPR(Self.number, other) == false)
    }

    @Test("MitID case 40: the broker's count, a rejected access token and any other response are errors")
    func refusals() async throws {
        let bearer: @Sendable (TransportRequest) -> TransportResponse = { _ in
            TransportResponse(status: 401, headers: [TransportHeaderField("WWW-Authenticate", "Bearer")])
        }
        let page: @Sendable (TransportRequest) -> TransportResponse = { _ in
            TransportResponse(
                status: 200, headers: [TransportHeaderField("Content-Type", "text/html")], body: Array("true".utf8))
        }
        let down: @Sendable (TransportRequest) -> TransportResponse = { _ in TransportResponse(status: 503) }
        let exceeded = #"{"errorMessage":"\#(Self.exceeded)"}"#
        let name: ParameterName = "cprNumberMatch"
        for (answer, expected) in [
            (Self.answer(exceeded), try Self.code("cpr_match_exceeded")),
            (Self.answer(exceeded, status: 400), try Self.code("cpr_match_exceeded")),
            (Self.answer(#"{"errorMessage":"Missing Cpr parameter"}"#), try Self.code("cpr_match_rejected")),
            (bearer, .expired), (page, .contentTypeMismatch), (Self.answer("[]"), .malformed),
            (Self.answer("{}"), .missingParameter(name)),
            (Self.answer(#"{"cprNumberMatch":1}"#), .invalidParameter(name)),
            (Self.answer(#"{"cprNumberMatch":"True"}"#), .invalidParameter(name)),
            (Self.answer(#"{"cprNumberMatch":true}"#, status: 500), .unexpectedStatus(500)),
            (down, .unexpectedStatus(503)),
        ] as [(@Sendable (TransportRequest) -> TransportResponse, RelyingPartyError.Reason)] {
            let (fixture, ticket) = try await logged(answer)
            let error = try await refusal { try await fixture.party.matchMitIDCPR(Self.number, ticket) }
            #expect(error == RelyingPartyError(expected, in: .userInfo), "\(expected)")
            #expect(!"\(error as Any)".contains("Only"))
            fixture.provider.script.answers[.cprMatch] = Self.answer(#"{"cprNumberMatch":true}"#)
            #expect(try await fixture.party.matchMitIDCPR(Self.number, ticket))
        }
    }

    @Test("numbers are compared for 15 minutes after a login with MitID, at its issuer")
    func bounds() async throws {
        let (fixture, ticket) = try await logged(Self.answer(#"{"cprNumberMatch":true}"#))
        fixture.clock.advance(by: .seconds(899))
        #expect(try await fixture.party.matchMitIDCPR(Self.number, ticket))
        fixture.clock.advance(by: .seconds(1))
        let late = try await refusal { try await fixture.party.matchMitIDCPR(Self.number, ticket) }
        #expect(late == .request(.expired))
        let foreign = MitIDCPRTicket(
            accessToken: ticket.accessToken, issuer: "https://other.test", issuedAt: fixture.clock.now)
        let elsewhere = try await refusal { try await fixture.party.matchMitIDCPR(Self.number, foreign) }
        #expect(elsewhere == .request(.issuerMismatch) && calls(fixture) == 1)
        let openID = try PollingFixture()
        let other = try await refusal { try await openID.party.matchMitIDCPR(Self.number, ticket) }
        #expect(other == .request(.configurationError))
    }

    @Test("the store and printed values contain neither the number nor the access token")
    func secrets() async throws {
        let fixture = try MitIDFixture()
        fixture.provider.script.answers[.cprMatch] = Self.answer(#"{"cprNumberMatch":true}"#)
        let store = SteppedLoginStore()
        let party = try RelyingParty(
            .mitID(MitIDFixture.settings), in: .sandbox(issuer: MitIDFixture.issuer), client: fixture.fixture.client,
            transport: fixture.provider, store: store, clock: fixture.clock.wallClock, keySets: nil, observer: nil,
            fetching: LoginFixture.environment(fixture.clock))
        let ticket = try #require(try await fixture.login().mitIDCPRTicket)
        #expect(try await party.matchMitIDCPR(Self.number, ticket))
        #expect(store.values == [[]])
        var printed = "\(ticket) \(String(reflecting: ticket))"
        dump(ticket, to: &printed)
        #expect(printed.contains("MitIDCPRTicket") && !printed.contains(ticket.accessToken))
        // A store that fails lets no number out.
        store.steps.arm(at: 1)
        let failed = try await refusal { try await party.matchMitIDCPR(Self.number, ticket) }
        #expect(failed?.reason == .storeUnavailable && calls(fixture) == 1)
    }
}
