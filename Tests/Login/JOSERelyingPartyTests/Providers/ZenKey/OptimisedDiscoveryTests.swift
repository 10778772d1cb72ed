import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import Testing

@Suite("ZenKey logins that any of several carriers may answer") struct OptimisedDiscoveryTests {
    private static let verizon = ["310010"]
    private static let both = ["310010", "310260"]
    private static let announcement = "authorization_response_iss_parameter_supported"

    /// Two carriers that name themselves in their answers.
    private func desk(_ profile: ProviderProfile = .zenKeyLate) throws -> ZenKeyDesk {
        let desk = try ZenKeyDesk(profile)
        for carrier in [desk.web.verizon, desk.web.tmobile] { carrier.script.metadata[Self.announcement] = "true" }
        return desk
    }

    private func begin(_ desk: ZenKeyDesk, _ networks: [String] = both) async throws -> LoginStart {
        let entry = ZenKeyEntry.anyOf(networks.compactMap { MobileNetwork($0) })
        guard case .login(let start) = try await desk.party.beginZenKey(.zenKey([.email]), from: entry) else {
            throw RelyingPartyError(.internalFault, in: .request)
        }
        return start
    }

    private func finish(_ desk: ZenKeyDesk, _ start: LoginStart, _ query: String) async throws -> LoggedInUser {
        try await desk.party.completeLogin(callback: .query(query), binding: start.binding)
    }

    /// A carrier's code for this login, with what the answer says besides.
    private func answer(_ carrier: ScriptedProvider, _ start: LoginStart, _ mccmnc: String?, _ issuer: String?)
        -> String
    {
        carrier.authorize(start.url) + (mccmnc.map { "&mccmnc=" + $0 } ?? "")
            + (issuer.map { "&iss=" + FormFields.encoded($0) } ?? "")
    }

    private static func state(_ start: LoginStart) -> String { FormFields(ofURL: start.url)["state"] ?? "" }

    @Test(
        "ZenKey section 2: one request for all, at ZenKey's own address; who answers is the user's carrier, with PKCE and nonce"
    )
    func wholeLogin() async throws {
        let desk = try self.desk()
        for (carrier, mccmnc) in [(desk.web.verizon, "310010"), (desk.web.tmobile, "310260")] {
            let start = try await begin(desk)
            #expect(start.url.hasPrefix("https://auth.myzenkey.com/v1/auth?client_id=ccid-SP0001&"))
            let sent = FormFields(ofURL: start.url)
            #expect(
                sent.names == [
                    "client_id", "response_type", "scope", "redirect_uri", "state", "nonce", "code_challenge",
                    "code_challenge_method",
                ])
            #expect(sent["code_challenge_method"] == "S256" && start.cookie.contains("; SameSite=Lax;"))
            let other = carrier === desk.web.verizon ? desk.web.tmobile : desk.web.verizon
            let calls = other.calls(.token)
            let query = answer(carrier, start, mccmnc, carrier.issuer) + "&correlation_id=abcdefgh"
            let user = try await finish(desk, start, query)
            #expect(user.issuer == carrier.issuer && user.zenKey?.network?.digits == mccmnc)
            #expect(user.zenKey?.correlationID == "abcdefgh")
            #expect(carrier.lastForm(.token)["code_verifier"]?.utf8.count == 43)
            #expect(other.calls(.token) == calls)
            let again = try await refusal { try await finish(desk, start, query) }
            #expect(again == .callback(.stateMismatch))
        }
        #expect(desk.store.count == 0)
    }

    @Test(
        "R01, attack 8: a carrier that sends its user on to another is not given that one's code, nor is anybody asked")
    func mixUp() async throws {
        let desk = try self.desk()
        // T-Mobile sends the victim's browser on to Verizon with the same request, and the code is Verizon's.
        for (mccmnc, issuer, failure) in [
            ("310260", CarrierWeb.verizon, RelyingPartyFailure.issuerMismatch), ("310260", nil, .issuerMismatch),
            ("310010", nil, .issuerMismatch), ("310010", ZenKeyWeb.tmobile, .issuerMismatch),
            ("310010", CarrierWeb.verizon + "/", .issuerMismatch), ("310010", "", .issuerMismatch),
            (nil, CarrierWeb.verizon, .missingParameter("mccmnc")), (nil, nil, .missingParameter("mccmnc")),
            ("310010&mccmnc=310260", CarrierWeb.verizon, .duplicateParameter("mccmnc")),
            ("1001", CarrierWeb.att, .invalidParameter("mccmnc")), ("001001", CarrierWeb.att, .untrustedIssuer),
        ] as [(String?, String?, RelyingPartyFailure)] {
            let start = try await begin(desk)
            let query = answer(desk.web.verizon, start, mccmnc, issuer)
            let calls = desk.web.calls
            let error = try await refusal { try await finish(desk, start, query) }
            #expect(error == .callback(failure), "\(mccmnc ?? "") \(issuer ?? "")")
            #expect(desk.web.calls == calls)
        }
        // The same, and the answer is Verizon's own.
        let start = try await begin(desk)
        let user = try await finish(desk, start, answer(desk.web.verizon, start, "310010", CarrierWeb.verizon))
        #expect(user.issuer == CarrierWeb.verizon)
        #expect(desk.web.tmobile.calls(.token) == 0)
    }

    @Test("R01, R26: a carrier that is trusted, and that this login was not begun for, answers it in vain")
    func foreignCarriers() async throws {
        let desk = try self.desk()
        for (networks, expected) in [(Self.verizon, RelyingPartyError.callback(.untrustedIssuer)), (Self.both, nil)] {
            let start = try await begin(desk, networks)
            let query = answer(desk.web.tmobile, start, "310260", ZenKeyWeb.tmobile)
            let calls = desk.web.calls
            #expect(try await refusal { try await finish(desk, start, query) } == expected)
            #expect((desk.web.calls == calls) == (expected != nil))
        }
        // Of a login that began with one carrier the answer does not choose another.
        let start = try await desk.begin()
        let query = desk.carrier.authorize(start.url) + "&mccmnc=310260&iss=" + FormFields.encoded(CarrierWeb.verizon)
        #expect(try await finish(desk, start, query).issuer == CarrierWeb.verizon)
    }

    @Test(
        "R01: what discovery says after the login began makes no other carrier out of a network, and no name unneeded")
    func changes() async throws {
        let desk = try self.desk()
        let start = try await begin(desk)
        desk.clock.advance(by: 500)
        let late = try await begin(desk)
        desk.web.serve("310260", by: desk.web.verizon)
        desk.clock.advance(by: 500)
        let token = desk.web.tmobile.calls(.token) + desk.web.verizon.calls(.token)
        let moved = try await refusal {
            try await finish(desk, late, answer(desk.web.tmobile, late, "310260", ZenKeyWeb.tmobile))
        }
        #expect(moved == .callback(.issuerMismatch))
        #expect(desk.web.tmobile.calls(.token) + desk.web.verizon.calls(.token) == token)
        let old = try await refusal {
            try await finish(desk, start, answer(desk.web.verizon, start, "310010", CarrierWeb.verizon))
        }
        #expect(old == .callback(.stateMismatch))
        desk.clock.advance(by: 500)
        let nameless = try await begin(desk)
        desk.web.verizon.script.metadata[Self.announcement] = "false"
        desk.clock.advance(by: 500)
        let unnamed = try await refusal {
            try await finish(desk, nameless, answer(desk.web.verizon, nameless, "310010", nil))
        }
        #expect(unnamed == .callback(.issuerMismatch))
        desk.web.verizon.script.metadata[Self.announcement] = "true"
        desk.clock.advance(by: 901)
        let next = try await begin(desk)
        _ = try await finish(desk, next, answer(desk.web.verizon, next, "310010", CarrierWeb.verizon))
    }

    @Test(
        "R01, RFC 9207: where one carrier does not announce its name, or ZenKey has no such address, nothing is begun")
    func beginnings() async throws {
        for value in [nil, "false", "\"true\""] {
            let desk = try self.desk()
            desk.web.tmobile.script.metadata[Self.announcement] = value
            let error = try await refusal { try await begin(desk) }
            #expect(error == RelyingPartyError(.discoveryMismatch, in: .discovery))
            #expect(desk.store.count == 0)
            _ = try await begin(desk, Self.verizon)
        }
        let fault = RelyingPartyError(.configurationError, in: .configuration)
        #expect(try await refusal { try await begin(try self.desk(.zenKeySeed)) } == fault)
        func elsewhere(_ address: String?) -> ProviderProfile {
            .zenKeyLate.at(
                ZenKeyEnvironment(
                    discoveryURL: CarrierWeb.discovery,
                    discoveryUIURL: "https://discoveryui.myzenkey.com/ui/discovery-ui",
                    authorizationURL: address))
        }
        for address in [nil, "https://auth.myzenkey.com.evil.example/v1/auth", "http://auth.myzenkey.com/v1/auth"] {
            #expect(
                try await refusal { try await begin(try self.desk(elsewhere(address))) } == fault, "\(address ?? "")")
        }
        _ = try await begin(try self.desk(elsewhere("https://auth.myzenkey.com/v1/auth")))
        let desk = try self.desk()
        let calls = desk.web.calls
        for networks in [[], [String](repeating: "310010", count: 65)] {
            let error = try await refusal { try await begin(desk, networks) }
            #expect(error == .request(.invalidParameter("mccmnc")))
        }
        #expect(desk.web.calls == calls)
        let code = try #require(ProviderErrorCode("provider_not_found"))
        let unknown = try await refusal { try await begin(desk, ["999999"]) }
        #expect(unknown == RelyingPartyError(.providerError(code), in: .discovery))
    }

    @Test(
        "R17: an error is heard from ZenKey's own service, and from a carrier by its name; R06: of this browser alone")
    func errors() async throws {
        let desk = try self.desk()
        let denied = RelyingPartyError.callback(.providerError(try #require(ProviderErrorCode("access_denied"))))
        let verizon = "&iss=" + FormFields.encoded(CarrierWeb.verizon)
        for (query, expected) in [
            ("error=access_denied", denied), ("error=access_denied" + verizon, denied),
            ("error=access_denied&mccmnc=310010" + verizon, denied),
            ("error=access_denied&mccmnc=310010", .callback(.issuerMismatch)),
            ("error=access_denied&mccmnc=310260" + verizon, .callback(.issuerMismatch)),
            ("error=access_denied&iss=https://other.test", .callback(.issuerMismatch)),
            ("error=access%22denied", .callback(.invalidParameter("error"))),
        ] {
            let start = try await begin(desk)
            let error = try await refusal { try await finish(desk, start, query + "&state=" + Self.state(start)) }
            #expect(error == expected, "\(query)")
        }
        #expect(desk.web.verizon.calls(.token) + desk.web.tmobile.calls(.token) == 0)
        let attacker = try await begin(desk)
        let victim = try await begin(desk)
        let query = answer(desk.web.verizon, attacker, "310010", CarrierWeb.verizon)
        let calls = desk.web.calls
        #expect(try await refusal { try await finish(desk, victim, query) } == .callback(.bindingMismatch))
        #expect(desk.web.calls == calls)
        let own = answer(desk.web.verizon, victim, "310010", CarrierWeb.verizon)
        _ = try await finish(desk, victim, own)
    }
}
