import JOSEKeySets
import JOSETesting
import JOSETokens
import Testing

@testable import JOSERelyingParty
@testable import JOSEZenKey

@Suite("ZenKey: devices without a SIM") struct ZenKeyDeviceTests {
    private func visit(_ start: ZenKeyStart) throws -> ZenKeyDiscoveryVisit {
        guard case .page(let visit) = start else {
            Issue.record("no visit")
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        return visit
    }
    private func login(_ start: ZenKeyStart) throws -> AuthorizationRequest {
        guard case .login(let login) = start else {
            Issue.record("no login")
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        return login
    }
    private func back(_ visit: ZenKeyDiscoveryVisit, _ more: String) throws -> AuthorizationCallback {
        .query("state=\(try #require(FormFields(ofURL: visit.url)["state"]))&\(more)")
    }

    @Test("the page returns a network and a hint, which is sent to the carrier unchanged")
    func secondaryDevice() async throws {
        let fixture = try ZenKeyFixture()
        let request = LoginRequest.zenKey([.email])
        let visit = try visit(await fixture.party.beginZenKey(request, from: .page))
        #expect(fixture.web.calls == 0)
        let fields = FormFields(ofURL: visit.url)
        #expect(visit.url.hasPrefix("https://discoveryui.myzenkey.com/ui/discovery-ui?"))
        #expect(fields["client_id"] == "ccid-SP0001" && fields["redirect_uri"] == ZenKeyFixture.redirectURI)
        let hint = "eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d%2B%20+"
        let start = try login(
            await fixture.party.continueZenKey(
                request, callback: try back(visit, "mccmnc=310010&login_hint_token=\(FormFields.encoded(hint))"),
                binding: visit.binding))
        #expect(FormFields(ofURL: start.url)["login_hint_token"] == hint)
        #expect(FormFields(ofURL: start.url)["state"] != fields["state"])
        #expect(try await fixture.finish(start).zenKey?.network?.digits == "310010")
        #expect(fixture.store.count == 0)
    }

    @Test("the page's callback must be this browser's, is accepted once, and names a network and no URL")
    func returns() async throws {
        let fixture = try ZenKeyFixture()
        let request = LoginRequest.zenKey()
        let visit = try visit(await fixture.party.beginZenKey(request, from: .page))
        let other = try self.visit(await fixture.party.beginZenKey(request, from: .page))
        let callback = try back(visit, "mccmnc=310010")
        let missing = try await refusal {
            try await fixture.party.continueZenKey(request, callback: callback, binding: nil)
        }
        #expect(missing == RelyingPartyError(.bindingMismatch, in: .callback))
        // The callback is not that of a login either.
        let mixed = try await refusal {
            try await fixture.party.completeLogin(callback: try back(visit, "code=x"), binding: visit.binding)
        }
        #expect(mixed == RelyingPartyError(.stateMismatch, in: .callback))
        let foreign = try await refusal {
            try await fixture.party.continueZenKey(request, callback: callback, binding: other.binding)
        }
        #expect(foreign == RelyingPartyError(.bindingMismatch, in: .callback))
        let wrong: [(String, RelyingPartyError.Reason)] = [
            ("login_hint_token=x", .missingParameter("mccmnc")), ("mccmnc=31001", .invalidParameter("mccmnc")),
            ("mccmnc=https://evil.example", .invalidParameter("mccmnc")),
            ("mccmnc=310010&mccmnc=310260", .duplicateParameter("mccmnc")),
        ]
        for (query, failure) in wrong {
            let visit = try self.visit(await fixture.party.beginZenKey(request, from: .page))
            let error = try await refusal {
                try await fixture.party.continueZenKey(
                    request, callback: try back(visit, query), binding: visit.binding)
            }
            #expect(error == RelyingPartyError(failure, in: .callback), "\(query)")
        }
        #expect(fixture.web.calls == 0)
        let right = try back(other, "mccmnc=310010")
        _ = try login(await fixture.party.continueZenKey(request, callback: right, binding: other.binding))
        let twice = try await refusal {
            try await fixture.party.continueZenKey(request, callback: right, binding: other.binding)
        }
        #expect(twice == RelyingPartyError(.stateMismatch, in: .callback))
    }

    @Test("an error after the page's callback is never retryable, because the callback is used up")
    func usedUp() async throws {
        let fixture = try ZenKeyFixture()
        let request = LoginRequest.zenKey()
        let code = try #require(ProviderErrorCode("temporarily_unavailable"))
        var visit = try visit(await fixture.party.beginZenKey(request, from: .page))
        let callback = try back(visit, "error=temporarily_unavailable")
        let fromPage = try await refusal {
            try await fixture.party.continueZenKey(request, callback: callback, binding: visit.binding)
        }
        #expect(fromPage == RelyingPartyError(.providerError(code), in: .callback))
        #expect(fromPage?.action == .restart && fromPage?.isRetryable == false)
        // While no callback is used up, a failure of discovery is retryable.
        let network = try #require(MobileNetwork("310010"))
        let carrier = fixture.web.verizon
        let before = carrier.script
        carrier.script.answers[.discovery] = { _ in TransportResponse(status: 503) }
        let early = try await refusal { try await fixture.party.beginZenKey(request, from: .network(network)) }
        #expect(early == RelyingPartyError(.unexpectedStatus(503), in: .discovery) && early?.isRetryable == true)
        visit = try self.visit(await fixture.party.beginZenKey(request, from: .page))
        let late = try await refusal {
            try await fixture.party.continueZenKey(
                request, callback: try back(visit, "mccmnc=310010"), binding: visit.binding)
        }
        #expect(late == RelyingPartyError(.unexpectedStatus(503), in: .discovery))
        #expect(late?.action == .restart && late?.isRetryable == false)
        carrier.script = before
        visit = try self.visit(await fixture.party.beginZenKey(request, from: .page))
        let start = try login(
            await fixture.party.continueZenKey(
                request, callback: try back(visit, "mccmnc=310010"), binding: visit.binding))
        _ = try await fixture.finish(start)
    }

    @Test("the discovery after the page's callback ends by the time limit of the call")
    func timeLimit() async throws {
        for latency in [4, 8, 16] {
            let fixture = try ZenKeyFixture()
            let request = LoginRequest.zenKey()
            let visit = try visit(await fixture.party.beginZenKey(request, from: .page))
            fixture.carrier.script.latency = .seconds(latency)
            let error = try await refusal {
                try await fixture.party.continueZenKey(
                    request, callback: try back(visit, "mccmnc=310010"), binding: visit.binding)
            }
            let isLate = latency > ProviderProfile.zenKey.timeLimit.components.seconds
            #expect(error == (isLate ? RelyingPartyError(.unreachable, in: .discovery) : nil), "\(latency)")
            #expect(error?.action == (isLate ? .restart : nil), "\(latency)")
        }
    }

    @Test("the carrier of a network is found once without a login, and nil is returned where the user must select it")
    func carrierAlone() async throws {
        let fixture = try ZenKeyFixture()
        let network = try #require(MobileNetwork("310010"))
        let carrier = try await fixture.party.zenKeyCarrier(network: network)
        #expect(carrier?.issuer == CarrierWeb.verizon && carrier?.network == network)
        let calls = fixture.web.calls
        #expect(try await fixture.party.zenKeyCarrier(network: network)?.issuer == CarrierWeb.verizon)
        #expect(fixture.web.calls == calls)
        #expect(try await fixture.party.zenKeyCarrier(network: MobileNetwork("310999"))?.issuer == nil)
        _ = try await fixture.party.zenKeyCarrier(network: network, subject: "user-1", ipAddress: "192.0.2.7")
        let url = try #require(fixture.web.requests.last?.url)
        #expect(url.contains("sub=user-1") && url.contains("ip=192.0.2.7"))
        #expect(!url.contains("sdk_version=") && !url.contains("prompt="))
        for prompt in [true, false] {
            _ = try await fixture.party.zenKeyCarrier(network: network, sdkVersion: "7", prompt: prompt)
            let url = try #require(fixture.web.requests.last?.url)
            #expect(url.contains("sdk_version=7") && url.contains("prompt=\(prompt)"))
        }
        let other = try LoginFixture.itsmeV2()
        #expect(
            try await refusal { try await other.party.zenKeyCarrier(network: network) }
                == RelyingPartyError(.configurationError, in: .configuration))
    }

    @Test("an unknown network leads to the page, and after the page to redirectLoop")
    func loops() async throws {
        let fixture = try ZenKeyFixture()
        let request = LoginRequest.zenKey()
        let network = try #require(MobileNetwork("310999"))
        let visit = try visit(await fixture.party.beginZenKey(request, from: .network(network)))
        let loop = try await refusal {
            try await fixture.party.continueZenKey(
                request, callback: try back(visit, "mccmnc=310999"), binding: visit.binding)
        }
        #expect(loop == RelyingPartyError(.redirectLoop, in: .discovery))
        let again = try self.visit(await fixture.party.beginZenKey(request, from: .network(network)))
        let start = try login(
            await fixture.party.continueZenKey(
                request, callback: try back(again, "mccmnc=310010"), binding: again.binding))
        _ = try await fixture.finish(start)
        // `beginLogin` never sends the user to the page: an unknown network is an error.
        var named = request
        named.provider = "310999"
        let code = try #require(ProviderErrorCode("provider_not_found"))
        #expect(
            try await refusal { try await fixture.party.beginLogin(named) }
                == RelyingPartyError(.providerError(code), in: .discovery))
        #expect(
            try await refusal { try await fixture.party.beginLogin(request) }
                == RelyingPartyError(.missingParameter("mccmnc"), in: .request))
    }

    @Test("a stored number of visits to the page is read if a login can have it: two at most") func storedVisits() {
        for kept: UInt8 in [0, 1, 2, 0x81, 0x82] { #expect(ZenKeyDiscoveryVisits(kept: kept)?.kept == kept) }
        for kept: UInt8 in [3, 4, 0x7F, 0x83, 0xFF] { #expect(ZenKeyDiscoveryVisits(kept: kept) == nil, "\(kept)") }
    }

    @Test("after user_not_found the user is sent to the page once more, and not a third time")
    func unknownUsers() async throws {
        let fixture = try ZenKeyFixture()
        let request = LoginRequest.zenKey()
        let code = try #require(ProviderErrorCode("user_not_found"))
        func refuse(_ start: AuthorizationRequest) async throws -> RelyingPartyError? {
            let state = try #require(FormFields(ofURL: start.url)["state"])
            return try await refusal {
                try await fixture.party.completeLogin(
                    callback: .query("state=\(state)&error=user_not_found"), binding: start.binding)
            }
        }
        let first = try await refuse(try await fixture.begin())
        #expect(first == RelyingPartyError(.providerError(code), in: .callback) && first?.action == .restart)
        let before = fixture.web.discoveries
        _ = try await fixture.begin()
        #expect(fixture.web.discoveries == before + 1)
        let visit = try visit(await fixture.party.beginZenKey(request, from: .pageAgain))
        #expect(FormFields(ofURL: visit.url)["prompt"] == "true")
        let start = try login(
            await fixture.party.continueZenKey(
                request, callback: try back(visit, "mccmnc=310260"), binding: visit.binding))
        #expect(start.url.hasPrefix(ZenKeyWeb.tmobile))
        let second = try await refuse(start)
        #expect(second == RelyingPartyError(.redirectLoop, in: .callback) && second?.action == .tellUser)
        // An error of another type does not forget the carrier.
        let known = fixture.web.discoveries
        let denied = try await fixture.begin()
        let state = try #require(FormFields(ofURL: denied.url)["state"])
        _ = try await refusal {
            try await fixture.party.completeLogin(
                callback: .query("state=\(state)&error=access_denied"), binding: denied.binding)
        }
        _ = try await fixture.login()
        #expect(fixture.web.discoveries == known)
    }
}
