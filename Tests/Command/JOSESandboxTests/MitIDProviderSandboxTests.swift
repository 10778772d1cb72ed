import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSESandbox
import Testing

@Suite("Sandbox: MitID's other identity providers") struct MitIDProviderSandboxTests {
    private let bench: Bench
    private let party: RelyingParty

    init() async throws {
        bench = try await Bench.shared.value
        party = try Self.party(bench)
    }

    /// Returns a process of the service, with a store of its own.
    private static func party(_ bench: Bench) throws -> RelyingParty {
        let client = try bench.client("mitid")
        let sandbox = bench.sandbox
        return try RelyingParty(
            .mitID().limited(to: busyTimeLimit), in: .sandbox(issuer: client.issuer),
            client: RelyingPartyClient(
                id: client.clientID, redirectURI: client.redirectURI, credentials: .secret(try #require(client.secret))),
            transport: Wire { sandbox.answer($0) }, store: MemoryLoginStore())
    }

    private func login(_ request: LoginRequest, _ misbehaviour: String = "") async throws -> LoggedInUser {
        var request = request
        request.delivery = .query
        let start = try await party.beginLogin(request)
        var surfer = Surfer(bench)
        surfer.keepsAwayFromService = true
        await surfer.get(start.url)
        await surfer.submit(["person": "anna", "misbehaviour": misbehaviour, "decision": "approve"])
        let names = ["code", "state", "iss"]
        let form = names.compactMap { name in surfer.hidden(name).map { "\(name)=\(FormFields.encoded($0))" } }
        let callback = AuthorizationCallback.form(
            Array(form.joined(separator: "&").utf8), contentType: "application/x-www-form-urlencoded")
        return try await party.completeLogin(callback: callback, binding: start.binding)
    }

    @Test("MitID Erhverv answers with a professional identity, and MitID with an age or the register's name")
    func providers() async throws {
        let member = try await login(.mitIDErhverv())
        #expect(member.mitIDProvider == .mitIDErhverv && member.mitIDIdentityType == .professional)
        #expect(member.mitIDBusinessUser?.organizationName == "Sandbox" && member.mitIDLevel == .substantial)
        #expect(member.mitIDAuthenticators == [.codeApp] && member.mitIDIdentityProofing == .extended)
        let age = try await login(.mitIDAge(atLeast: 67))
        #expect(age.mitIDAge?.reached == [67: false] && !age.mitIDSubjectLasts)
        #expect(try await login(.mitIDAge(atLeast: 67)).subject != age.subject)
        let person = try await login(.mitID(scopes: [.nameDetails]))
        #expect(person.mitID?.civilDetails?.givenName == "Anna" && person.mitIDProvider == .mitID)
        #expect(try await login(.mitID()).subject == person.subject)
        for (fault, name) in [("other-idp", "idp"), ("age-proof", "idtoken_type")] as [(String, ClaimName)] {
            await #expect(throws: RelyingPartyError(.claimUnexpected(name), in: .idToken)) {
                try await login(.mitID(), fault)
            }
        }
    }

    @Test("the broker compares three civil registration numbers for each login, and rejects a foreign access token")
    func numbers() async throws {
        let ticket = try #require(try await login(.mitID()).mitIDCPRTicket)
        #expect(try await party.matchMitIDCPR("300785-9933", ticket))
        #expect(try await !party.matchMitIDCPR("3007859934", ticket))
        #expect(try await party.matchMitIDCPR("3007859933", ticket))
        // A service whose store lost the count receives the broker's error.
        let forgetful = try Self.party(bench)
        let code = try #require(ProviderErrorCode("cpr_match_exceeded"))
        await #expect(throws: RelyingPartyError(.providerError(code), in: .userInfo)) {
            try await forgetful.matchMitIDCPR("3007859933", ticket)
        }
        let foreign = MitIDCPRTicket(accessToken: "foreign", issuer: ticket.issuer, issuedAt: ticket.issuedAt)
        await #expect(throws: RelyingPartyError(.expired, in: .userInfo)) {
            try await party.matchMitIDCPR("3007859933", foreign)
        }
    }

    @Test("the service compares three numbers on its page, for the session that logged in with MitID")
    func numbersOnPage() async throws {
        var surfer = try await bench.login("mitid")
        let secret = try #require(surfer.hidden("secret"))
        #expect(surfer.text.contains("action=\"/cpr\""))
        func compare(_ number: String, _ secret: String) async -> String? {
            await surfer.post(Bench.origin + "/cpr", [("secret", secret), ("cpr", number)])
            return surfer.item("match") ?? surfer.item("failure")
        }
        #expect(await compare("3007859933", "another") == nil && surfer.response.status == 404)
        #expect(await compare("", secret) == "invalid_parameter(cpr)")
        for (number, answer) in [
            ("300785-9934", "no"), ("300785-9933", "yes"), ("3007859947", "no"),
            ("3007859933", "provider_error(cpr_match_exceeded)"),
        ] {
            #expect(await compare(number, secret) == answer, "\(number)")
        }
        // A login with MitID Erhverv has no such number.
        var member = try await bench.login("mitid-business")
        #expect(member.text.contains("<dt>Organization</dt><dd>Sandbox</dd>"))
        #expect(!member.text.contains("action=\"/cpr\"") && member.title == "You are signed in")
        let own = try #require(member.hidden("secret"))
        await member.post(Bench.origin + "/cpr", [("secret", own), ("cpr", "3007859933")])
        #expect(member.response.status == 404)
    }

    @Test("an age alone signs nobody in, at any level, and each fault ends with its own code")
    func age() async throws {
        #expect(try await bench.login("mitid", person: "bo").text.contains("O&#39;Hara"))
        for (id, name) in [("bo", "O&#39;Hara"), ("low", "Level")] {
            let years = try #require(Bench.years(of: id))
            for (client, item, answer) in [("mitid-age", "age-18", "yes"), ("mitid-years", "years", years)] {
                var proof = try await bench.login(client, person: id)
                #expect(proof.title == "Your age was proven" && proof.item(item) == answer, "\(client), \(id)")
                #expect(!proof.text.contains(name))
                await proof.get(Bench.origin + "/account")
                #expect(proof.title == "A service")
            }
        }
        #expect(try await bench.login("mitid-age", decision: "refuse").item("remedy") == "tellUser")
        for (client, claim) in [("mitid-age", "idbrokerdk_age_verified"), ("mitid-years", "idbrokerdk_age")] {
            let faults = Misbehaviour.all(for: try bench.registration(client))
            #expect(faults.contains(.twoAges) && faults.contains(.tampered) && !faults.contains(.lowLevel))
            for fault in faults {
                let surfer = try await bench.login(client, fault)
                #expect(surfer.tells(of: fault), "\(client), \(fault): \(surfer.item("failure") ?? "")")
                // The table has the codes of other clients for these as well.
                if fault == .missingAge { #expect(surfer.item("failure") == "claim_missing(\(claim))") }
                if fault == .twoAges { #expect(surfer.item("failure") == "claim_unexpected(age)") }
            }
        }
    }
}
