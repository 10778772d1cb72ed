import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import JOSEZenKey
import Testing

@Suite("ZenKey: discovery") struct ZenKeyDiscoveryTests {
    private let web = CarrierWeb()
    private let clock = TestClock()
    private var discovery: ZenKeyCarrierDiscovery {
        ZenKeyCarrierDiscovery(clientID: CarrierWeb.clientID, transport: web, clock: clock.wallClock)
    }
    private func query(_ digits: String) throws -> ZenKeyCarrierQuery {
        let network = try #require(MobileNetwork(digits))
        return ZenKeyCarrierQuery(network: network)
    }
    private func carrier(_ answer: ZenKeyCarrierAnswer) throws -> ZenKeyCarrier {
        guard case .carrier(let carrier) = answer else {
            Issue.record("no carrier")
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        return carrier
    }
    private func page(_ answer: ZenKeyCarrierAnswer) throws -> ZenKeyDiscoveryPage {
        guard case .ask(let page) = answer else {
            Issue.record("no page")
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        return page
    }
    private static func asked(_ digits: String) -> String {
        CarrierWeb.discovery + "?client_id=ccid-SP0001&mccmnc=" + digits
    }

    @Test("ZenKey case 1: pads an integer mccmnc to six digits")
    func integers() async throws {
        #expect(try carrier(await discovery.ask(try query("310010"))).network.digits == "310010")
        #expect(try carrier(await discovery.ask(try query("001001"))).network.digits == "001001")
        #expect(web.urls == [Self.asked("310010"), Self.asked("001001")])
        for text in ["31010", "3100100", "31001x", "+31001", "３１００１０", ""] { #expect(MobileNetwork(text) == nil) }
        for number in ["-1", "1000000", "310010.0", "3.1001e5", #""310010""#, "null", "[310010]"] {
            web[Self.asked("310010")] = CarrierWeb.json(CarrierWeb.configuration(CarrierWeb.verizon, mccmnc: number))
            let refusal = await failure { () async throws(RelyingPartyError) in
                try await discovery.ask(ZenKeyCarrierQuery(network: MobileNetwork("310010")))
            }
            #expect(refusal == .discoveryMismatch, "\(number)")
        }
    }

    @Test("ZenKey case 2: provider_not_found leads to the discovery page once, and then to redirectLoop")
    func pages() async throws {
        web[Self.asked("310999")] = CarrierWeb.json(
            #"{"error":"provider_not_found","redirect_uri":"https://discoveryui.myzenkey.com/ui/discovery-ui"}"#)
        let page = try page(await discovery.ask(try query("310999")))
        var visits = ZenKeyDiscoveryVisits()
        let url = try page.url(redirectURI: "https://service.test/cb?a=b", state: "st/1", visits: &visits)
        #expect(
            url == "https://discoveryui.myzenkey.com/ui/discovery-ui?client_id=ccid-SP0001"
                + "&redirect_uri=https%3A%2F%2Fservice.test%2Fcb%3Fa%3Db&state=st%2F1")
        #expect(throws: RelyingPartyError(.redirectLoop, in: .discovery)) {
            try page.url(redirectURI: "https://service.test/cb", state: "st", visits: &visits)
        }
        // `user_not_found` allows a second visit, with a prompt, and no third.
        let isExtended = visits.extend()
        #expect(isExtended)
        let again = try page.url(redirectURI: "https://service.test/cb", state: "st", visits: &visits, prompt: .ask)
        #expect(again.hasSuffix("&prompt=true"))
        #expect(throws: RelyingPartyError(.redirectLoop, in: .discovery)) {
            try page.url(redirectURI: "https://service.test/cb", state: "st", visits: &visits)
        }
        let isExtendedOnceMore = visits.extend()
        #expect(!isExtendedOnceMore)
    }

    @Test("status 404 means provider_not_found, and any other error is reported by its code")
    func errors() async throws {
        web[Self.asked("310999")] = TransportResponse(status: 404)
        var visits = ZenKeyDiscoveryVisits()
        let url = try page(await discovery.ask(try query("310999")))
            .url(redirectURI: "https://service.test/cb", state: "st", visits: &visits)
        #expect(url.hasPrefix("https://discoveryui.myzenkey.com/ui/discovery-ui?client_id=ccid-SP0001&"))
        web[Self.asked("310999")] = CarrierWeb.json(
            #"{"error":"invalid_request","error_description":"who?"}"#, status: 400)
        let code = try #require(ProviderErrorCode("invalid_request"))
        await #expect(throws: RelyingPartyError(.providerError(code), in: .discovery)) {
            try await discovery.ask(try query("310999"))
        }
        web[Self.asked("310999")] = nil
        await #expect(throws: RelyingPartyError(.unexpectedStatus(503), in: .discovery)) {
            try await discovery.ask(try query("310999"))
        }
        web[Self.asked("310999")] = CarrierWeb.json(#"{"issuer":"#)
        await #expect(throws: RelyingPartyError(.malformed, in: .discovery)) {
            try await discovery.ask(try query("310999"))
        }
        #expect(try carrier(await discovery.ask(try query("310010"))).issuer == CarrierWeb.verizon)
    }

    @Test("R28: the discovery page must be on a trusted host")
    func strangersPage() async throws {
        for address in ["https://evil.example/ui", "http://discoveryui.myzenkey.com/ui", "javascript:alert(1)", "//x"] {
            web[Self.asked("310999")] = CarrierWeb.json(
                #"{"error":"provider_not_found","redirect_uri":"\#(address)"}"#)
            await #expect(throws: RelyingPartyError(.untrustedIssuer, in: .discovery), "\(address)") {
                try await discovery.ask(try query("310999"))
            }
        }
        web[Self.asked("310999")] = CarrierWeb.json(
            #"{"error":"provider_not_found","redirect_uri":"https://app.xcijv.com/ui/discovery-ui"}"#)
        _ = try page(await discovery.ask(try query("310999")))
    }

    @Test("ZenKey case 3: rejects a response of discovery for another network")
    func otherNetwork() async throws {
        web[Self.asked("310010")] = CarrierWeb.json(CarrierWeb.configuration(CarrierWeb.verizon, mccmnc: "310260"))
        await #expect(throws: RelyingPartyError(.discoveryMismatch, in: .discovery)) {
            try await discovery.ask(try query("310010"))
        }
        web[Self.asked("310010")] = CarrierWeb.json(CarrierWeb.configuration(CarrierWeb.verizon, mccmnc: "310010"))
        #expect(try carrier(await discovery.ask(try query("310010"))).issuer == CarrierWeb.verizon)
    }

    @Test("ZenKey case 4: the issuer must be on the list of carriers, compared by whole labels (R26)")
    func trustedIssuers() async throws {
        let strangers = [
            "https://evil-att.com", "https://att.com@evil.example", "https://att.com.evil.example",
            "http://oidc.att.com",
            "https://oidc.att.com:8443", "https://user@oidc.att.com", "https://.att.com", "https://oidc.att.com.",
            "https://oidc.att.com#x", "https://oidc.attacom", "https://10.0.0.1", "oidc.att.com", "",
        ]
        for issuer in strangers {
            web[Self.asked("310010")] = CarrierWeb.json(CarrierWeb.configuration(issuer, mccmnc: "310010"))
            await #expect(throws: RelyingPartyError(.untrustedIssuer, in: .discovery), "\(issuer)") {
                try await discovery.ask(try query("310010"))
            }
        }
        for issuer in [CarrierWeb.att, "https://OIDC.ATT.com", "https://a.b.t-mobile.com/x"] {
            let fresh = discovery
            web[Self.asked("310010")] = CarrierWeb.json(CarrierWeb.configuration(issuer, mccmnc: "310010"))
            #expect(try carrier(await fresh.ask(try query("310010"))).issuer == issuer)
        }
        // No request was sent to any of them.
        #expect(web.urls.allSatisfy { $0 == Self.asked("310010") })
    }

    @Test("rejects a trusted carrier's metadata with an endpoint on another host")
    func endpoints() async throws {
        let trusted = CarrierWeb.configuration(CarrierWeb.att, mccmnc: "310010")
        for name in ["authorize", "token", "userinfo", "jwks"] {
            let evil = trusted.replacing(CarrierWeb.att + "/" + name, with: "https://evil.example/" + name)
            web[Self.asked("310010")] = CarrierWeb.json(evil)
            await #expect(throws: RelyingPartyError(.untrustedIssuer, in: .discovery), "\(name)") {
                try await discovery.ask(try query("310010"))
            }
        }
        web[Self.asked("310010")] = CarrierWeb.json(
            CarrierWeb.configuration(CarrierWeb.att, mccmnc: "310010", more: #","branding":"Ours""#))
        #expect(try carrier(await discovery.ask(try query("310010"))).branding == "Ours")
    }

    @Test("an endpoint that a carrier's metadata lack is named, and members that no login needs are not judged")
    func unneededMembers() async throws {
        let trusted = CarrierWeb.configuration(CarrierWeb.att, mccmnc: "310010")
        for (name, member) in [
            ("authorize", .authorizationEndpoint), ("token", .tokenEndpoint), ("userinfo", .userInfoEndpoint),
            ("jwks", .jwksURI),
        ] as [(String, MetadataMember)] {
            for (value, reason) in [
                ("null", .metadataMissing(member)), (#""""#, .metadataInvalid(member)),
                (#""/relative""#, .metadataInvalid(member)),
            ] as [(String, RelyingPartyError.Reason)] {
                let bad = trusted.replacing("\"\(CarrierWeb.att)/\(name)\"", with: value)
                #expect(bad != trusted)
                web[Self.asked("310010")] = CarrierWeb.json(bad)
                await #expect(throws: RelyingPartyError(reason, in: .discovery), "\(name) \(value)") {
                    try await discovery.ask(try query("310010"))
                }
            }
        }
        let odd = #","revocation_endpoint":"","end_session_endpoint":null,"scopes_supported":"openid","error":null"#
        web[Self.asked("310010")] = CarrierWeb.json(
            CarrierWeb.configuration(CarrierWeb.att, mccmnc: "310010", more: odd))
        #expect(try carrier(await discovery.ask(try query("310010"))).issuer == CarrierWeb.att)
    }

    @Test("a carrier is cached for 15 minutes, but not with a prompt or after it is forgotten")
    func memory() async throws {
        let discovery = discovery
        let plain = try query("310010")
        _ = try await discovery.ask(plain)
        clock.advance(by: .seconds(899))
        _ = try await discovery.ask(plain)
        #expect(web.requests.count == 1)
        clock.advance(by: .seconds(1))
        _ = try await discovery.ask(plain)
        #expect(web.requests.count == 2)
        discovery.forget(try #require(plain.network))
        _ = try await discovery.ask(plain)
        #expect(web.requests.count == 3)
        var prompted = plain
        prompted.prompt = .picker
        let asked = Self.asked("310010") + "&prompt=picker"
        web[asked] = CarrierWeb.json(CarrierWeb.configuration(CarrierWeb.att, mccmnc: "310010"))
        #expect(try carrier(await discovery.ask(prompted)).issuer == CarrierWeb.att)
        #expect(try carrier(await discovery.ask(prompted)).issuer == CarrierWeb.att)
        #expect(web.urls.suffix(2) == [asked, asked])
        // The answer to a query with a prompt is not cached.
        #expect(try carrier(await discovery.ask(plain)).issuer == CarrierWeb.verizon)
        #expect(web.requests.count == 5)
    }

    @Test("the number of cached carriers is limited")
    func bound() async throws {
        let discovery = discovery
        for number in 0..<300 {
            let digits = String(String(1_000_000 + number).dropFirst())
            web[Self.asked(digits)] = CarrierWeb.json(
                CarrierWeb.configuration(CarrierWeb.att, mccmnc: String(number)))
            _ = try await discovery.ask(try query(digits))
            clock.advance(by: .milliseconds(1))
        }
        #expect(web.requests.count == 300)
        _ = try await discovery.ask(try query("000299"))
        #expect(web.requests.count == 300)
        _ = try await discovery.ask(try query("000000"))
        #expect(web.requests.count == 301)
    }

    @Test("discovery of an unknown network is repeated once a minute, and evicts no cached carrier")
    func absences() async throws {
        let discovery = discovery
        func asked(_ digits: String) -> Int { web.urls.count { $0 == Self.asked(digits) } }
        web[Self.asked("310999")] = TransportResponse(status: 404)
        for _ in 0..<5 { _ = try page(await discovery.ask(try query("310999"))) }
        clock.advance(by: .milliseconds(59_900))
        _ = try page(await discovery.ask(try query("310999")))
        #expect(asked("310999") == 1)
        clock.advance(by: .milliseconds(100))
        _ = try page(await discovery.ask(try query("310999")))
        #expect(asked("310999") == 2)
        // A carrier is found once its absence was forgotten, or once the minute has passed.
        web[Self.asked("310999")] = CarrierWeb.json(CarrierWeb.configuration(CarrierWeb.att, mccmnc: "310999"))
        _ = try page(await discovery.ask(try query("310999")))
        discovery.forget(try #require(MobileNetwork("310999")))
        #expect(try carrier(await discovery.ask(try query("310999"))).issuer == CarrierWeb.att)
        // An outage is not cached.
        for _ in 0..<2 {
            await #expect(throws: RelyingPartyError(.unexpectedStatus(503), in: .discovery)) {
                try await discovery.ask(try query("310998"))
            }
        }
        #expect(asked("310998") == 2)
        // A new absence replaces the oldest one, and no carrier.
        for number in 0..<1_100 {
            let digits = String(String(1_500_000 + number).dropFirst())
            web[Self.asked(digits)] = TransportResponse(status: 404)
            _ = try page(await discovery.ask(try query(digits)))
            clock.advance(by: .milliseconds(1))
        }
        let count = web.requests.count
        _ = try page(await discovery.ask(try query("501099")))
        _ = try carrier(await discovery.ask(try query("310999")))
        #expect(web.requests.count == count)
        _ = try page(await discovery.ask(try query("500000")))
        #expect(web.requests.count == count + 1)
    }

    @Test(
        "concurrent callers for one network share one request, and a cancelled caller ends alone",
        .timeLimit(.minutes(1)))
    func singleFlight() async throws {
        let paused = PausedWeb(web)
        let discovery = ZenKeyCarrierDiscovery(
            clientID: CarrierWeb.clientID, transport: paused, clock: clock.wallClock)
        let query = try query("310010")
        let first = Task { try await discovery.ask(query) }
        await paused.arrival()
        let others = (0..<20).map { _ in Task { try await discovery.ask(query) } }
        // Another network is asked for by a request of its own.
        let other = Task { [query = try self.query("001001")] in try await discovery.ask(query) }
        await paused.arrival()
        first.cancel()
        await #expect(throws: RelyingPartyError(.interrupted, in: .discovery)) { try await first.value }
        paused.release()
        for task in others { #expect(try carrier(await task.value).issuer == CarrierWeb.verizon) }
        #expect(try carrier(await other.value).issuer == CarrierWeb.att)
        #expect(web.urls.sorted() == [Self.asked("001001"), Self.asked("310010")])
    }
}
