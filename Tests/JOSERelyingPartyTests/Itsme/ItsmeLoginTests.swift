import JOSERelyingParty
import JOSETokens
import Testing

@Suite("itsme: a login from the button to the user") struct ItsmeLoginTests {
    @Test("itsme case 1: v2, RSA-OAEP and A128CBC-HS256 around RS256, gives the claims") func secondGeneration()
        async throws
    {
        let desk = try LoginDesk.itsmeV2()
        let user = try await desk.login()
        #expect(user.issuer == LoginDesk.issuer)
        #expect(user.subject == "user-1")
        #expect(user.string("given_name") == "Jan")
        #expect(desk.provider.calls(.token) == 1)
        #expect(desk.store.count == 0)
    }

    @Test("R06: a callback in a browser that began no login, or another, reaches nobody") func bindings() async throws {
        let desk = try LoginDesk.itsmeV2()
        let attacker = try await desk.party.beginLogin(desk.request)
        let victim = try await desk.party.beginLogin(desk.request)
        let query = desk.provider.authorize(attacker.url)
        let calls = desk.provider.calls
        for binding in [nil, "", victim.binding] {
            let error = try await refusal {
                try await desk.party.completeLogin(callback: .query(query), binding: binding)
            }
            #expect(error == RelyingPartyError(.bindingMismatch, in: .callback))
        }
        #expect(desk.provider.calls == calls)
        #expect(try await desk.finish(victim).subject == "user-1")
    }
}
