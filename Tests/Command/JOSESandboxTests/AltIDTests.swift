import JOSEKeySets
import JOSESandbox
import JOSESupport
import TestSupport
import Testing

/// Tests of age proofs with the wallet AltID, over the whole flow. A login with AltID is among those of `MisbehaviourTests`.
@Suite("Sandbox: age proofs with AltID") struct AltIDTests {
    /// The login that the service begins.
    private static let name = "altid-age-ciba"

    @Test("a proof shows each age that was asked about and signs nobody in, and each fault ends with its own code")
    func ages() async throws {
        let bench = try await Bench.shared.value
        let proof = try await bench.login("altid-age")
        #expect(proof.title == "Your age was proven", "\(proof.item("failure") ?? "")")
        #expect(proof.item("age-18") == "yes" && proof.item("age-67") == "no")
        #expect(!proof.text.contains("Anna"))
        for surfer in [proof, try await bench.login("altid-age", decision: "refuse")] {
            var copy = surfer
            await copy.get(Bench.origin + "/account")
            #expect(copy.title == "A service")
        }
        #expect(try await bench.login("altid-age", decision: "refuse").item("remedy") == "tellUser")
        #expect(try await bench.login("altid-age", forgetsCookies: true).item("failure") == "binding_mismatch")
        for fault in Misbehaviour.all(for: try bench.registration("altid-age")) {
            let surfer = try await bench.login("altid-age", fault)
            #expect(surfer.tells(of: fault), "\(fault): \(surfer.item("failure") ?? "")")
        }
    }

    /// Proves an age from the button to the last page: in the wallet, the user opens the link that is in the code on the page.
    private func proof(
        _ bench: Bench, person: String = "anna", decision: String = "approve", _ fault: Misbehaviour? = nil
    ) async throws -> Surfer {
        var service = Surfer(bench)
        await service.post(Bench.origin + "/login/\(Self.name)", [])
        #expect(service.title == "Open the wallet", "\(service.item("failure") ?? "")")
        let link = try #require(service.codeLink)
        #expect(service.text.contains("<a id=\"wallet\" href=\"\(link)\" "))
        await service.submit([:])
        #expect(service.title == "Open the wallet" && service.codeLink == link)
        var wallet = Surfer(bench)
        await wallet.get(link)
        await wallet.submit(["person": person, "misbehaviour": fault?.name ?? "", "decision": decision])
        #expect(wallet.title == "AltID (sandbox): done")
        var other = Surfer(bench)
        await other.post(Bench.origin + "/continue/\(Self.name)", [])
        #expect(other.response.status == 404)
        await service.submit([:])
        return service
    }

    @Test(
        "a proof that the service begins shows each age to the browser that began it, and each fault ends with its own code (MitID case 43)"
    )
    func begunByService() async throws {
        let bench = try Bench.withoutPauses()
        let proof = try await proof(bench, person: "bo")
        #expect(proof.title == "Your age was proven", "\(proof.item("failure") ?? "")")
        #expect(proof.item("age-18") == "yes" && proof.item("age-67") == "no")
        #expect(!proof.text.contains("O&#39;Hara"))
        #expect(try await bench.login("altid", person: "bo").text.contains("O&#39;Hara"))
        var account = proof
        await account.get(Bench.origin + "/account")
        #expect(account.title == "A service")
        let refused = try await self.proof(bench, decision: "refuse")
        #expect(refused.item("remedy") == "tellUser" && refused.title == "You are not signed in")
        let faults = Misbehaviour.all(for: try bench.registration(Self.name))
        #expect(faults.contains(.loginToken) && faults.contains(.tampered) && !faults.contains(.wrongNonce))
        for fault in faults {
            let surfer = try await self.proof(bench, fault)
            #expect(surfer.tells(of: fault), "\(fault): \(surfer.item("failure") ?? "")")
        }
    }

    @Test("a request for an age proof names the wallet and the way to show it, and no user (MitID case 43)")
    func messages() async throws {
        let login = try await RawLogin(Self.name)
        let secret = try #require(login.client.secret)
        func ask(_ change: (inout [(String, String)]) -> Void = { _ in }) throws -> TransportResponse {
            var fields = [
                ("client_id", login.client.clientID), ("client_secret", secret), ("scope", "openid age_over:18"),
                ("idp_values", "euav"), ("flow_type", "authentication_uri"), ("qr_code_response", "png"),
            ]
            change(&fields)
            return login.post(login.provider.issuer + "/connect/ciba", fields)
        }
        let answer = try JSON(try ask().body)
        #expect(
            Set(answer.members) == ["auth_req_id", "expires_in", "interval", "authentication_uri", "qr_b64"])
        let image = try #require(answer["qr_b64"]?.string.flatMap { Base64.decode(Array($0.utf8)) })
        #expect(CodeImage.link(in: image) == answer["authentication_uri"]?.string)
        let plain = try JSON(try ask { $0.removeLast() }.body)
        #expect(Set(plain.members) == ["auth_req_id", "expires_in", "interval", "authentication_uri"])
        for (index, value) in [(3, "euid"), (4, "iframe"), (4, "broker_oidc"), (5, "svg")] {
            #expect(try ask { $0[index].1 = value }.status == 400, "\(value)")
        }
        #expect(try ask { $0.append(("login_hint_token", "x")) }.status == 400)
        // The client of proofs that begin in a browser begins none here.
        let other = try login.bench.client("altid-age")
        let refused = try ask { ($0[0].1, $0[1].1) = (other.clientID, other.secret ?? "") }
        #expect(try login.error(refused) == "unauthorized_client")
    }
}
