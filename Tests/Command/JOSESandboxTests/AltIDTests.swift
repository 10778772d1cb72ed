import JOSESandbox
import Testing

/// Tests of age proofs with the wallet AltID, over the whole flow. A login with AltID is among those of `MisbehaviourTests`.
@Suite("Sandbox: age proofs with AltID") struct AltIDTests {
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
            let expected = fault.row.failure.split(separator: "|").map(String.init)
            let failure = surfer.item("failure") ?? ""
            let isExpected = expected.contains(failure)
            #expect(isExpected && surfer.title == "You are not signed in", "\(fault): \(failure)")
        }
    }
}
