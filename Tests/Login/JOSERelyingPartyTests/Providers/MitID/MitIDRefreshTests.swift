import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("MitID: refreshed logins") struct MitIDRefreshTests {
    @Test("R23: auth_time is compared in both spellings of the broker, and is never before 1970") func times()
        async throws
    {
        let fixture = try MitIDFixture(request: .mitID(scopes: [.offlineAccess]))
        let first = Int64(fixture.clock.now.secondsSince1970) - 10
        let spellings: [@Sendable (Int64) -> ClaimValue] = [{ .integer($0) }, { .string("\($0)") }]
        func says(_ time: ClaimValue) {
            fixture.provider.script.tokenResponse = {
                $0.replacing("{\"access", with: "{\"refresh_token\":\"r\",\"access")
            }
            fixture.provider.script.idTokenClaims = { claims in
                MitIDFixture.broker(&claims)
                claims["auth_time"] = time
            }
        }
        for login in spellings {
            says(login(first))
            let ticket = try #require(try await fixture.login().refreshTicket)
            #expect(ticket.authenticationTime == NumericDate(secondsSince1970: Double(first)))
            for refreshed in spellings {
                says(refreshed(first))
                #expect(try await refusal { try await fixture.party.refresh(ticket) } == nil)
                says(refreshed(first + 1))
                #expect(
                    try await refusal { try await fixture.party.refresh(ticket) }
                        == .idToken(.claimUnexpected("auth_time")))
                says(refreshed(-1))
                #expect(
                    try await refusal { try await fixture.party.refresh(ticket) } == .idToken(.claimType("auth_time")))
                // A login judges the time only if max_age was requested.
                #expect(try await fixture.failure() == nil)
                says(refreshed(0))
                #expect(try await fixture.failure() == nil)
            }
        }
    }
}
