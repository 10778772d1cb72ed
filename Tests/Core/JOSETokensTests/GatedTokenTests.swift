import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Tokens at the gate for private-key work") struct GatedTokenTests {
    private let signing: PrivateKey
    private let recipient: PrivateKey
    private let gate = DecryptionGate(concurrent: 1, queued: 2, patience: .seconds(60))
    private let busy = TokenError.jose(.overloaded(.busy), layer: .encryption)

    init() throws {
        signing = try PrivateKey.generate(.p256, keyID: "theirs")
        recipient = try PrivateKey.generate(.p256, keyID: "mine")
    }

    private func policy(_ issuer: String = "https://id.example", gated: Bool = true) -> TokenPolicy {
        var outer = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        if gated { outer.gate = gate }
        return .nested(
            outer: outer, inner: SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: .exactly(issuer), audience: "shop"))
    }

    private func token(_ policy: TokenPolicy) throws -> String {
        try TokenIssuer(
            policy, signingKey: .privateKey(signing), encryptionKey: .publicKey(recipient.publicKey)
        ).issue(["sub": "u"])
    }

    private func verifier(_ policy: TokenPolicy) throws -> TokenVerifier {
        try TokenVerifier(policy, verificationKeys: KeySet(signing.publicKey), decryptionKeys: KeySet(recipient))
    }

    @Test(
        "one gate bounds all verifiers that share it, and leaves alone those that do not and tokens without encryption")
    func shared() throws {
        let (first, second) = (policy(), policy("https://other.example"))
        let (one, other) = (try verifier(first), try verifier(second))
        let tokens = (try token(first), try token(second))
        let apart = try verifier(policy(gated: false))
        let rules = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        let signedPolicy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: rules)
        let signed = try TokenIssuer(signedPolicy, signingKey: .privateKey(signing)).issue(["sub": "u"])
        let plain = try TokenVerifier(signedPolicy, verificationKeys: KeySet(signing.publicKey))
        try gate.enter()
        #expect(throws: busy) { try one.verify(tokens.0) }
        #expect(throws: busy) { try other.verify(tokens.1) }
        #expect(try apart.verify(tokens.0).claims.subject == "u")
        #expect(try plain.verify(signed).claims.subject == "u")
        gate.leave()
        #expect(try one.verify(tokens.0).claims.subject == "u")
        #expect(try other.verify(tokens.1).claims.subject == "u")
    }

    @Test("with a time to wait a token takes its turn, and a queue that is full or a time that is over says which")
    func waiting() async throws {
        let policy = policy()
        let (verifier, token) = (try verifier(policy), try token(policy))
        try gate.enter()
        let first = Task { try await verifier.verify(token, waiting: .seconds(60)) }
        try await until { gate.waiting == 1 }
        await #expect(throws: TokenError.jose(.overloaded(.timedOut), layer: .encryption)) {
            try await verifier.verify(token, waiting: .milliseconds(5))
        }
        let second = Task { try await verifier.verify(token, waiting: .seconds(60)) }
        try await until { gate.waiting == 2 }
        await #expect(throws: TokenError.jose(.overloaded(.queueFull), layer: .encryption)) {
            try await verifier.verify(token, waiting: .seconds(60))
        }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.leave()
        #expect(try await first.value.claims.subject == "u")
        #expect(gate.running == 0 && gate.waiting == 0)
        #expect(gate.refused == 2, "not who waited and came in, nor who left")
    }

    @Test("a token that waited at the gate still waits for a key that is not there, and takes its turn again")
    func both() async throws {
        let policy = policy()
        let token = try token(policy)
        let source = ChangingKeys(KeySet.empty)
        let keys = KeySet(signing.publicKey)
        source.onRefresh { [weak source, gate] in
            source?.set(keys)
            try gate.enter()
            return true
        }
        let verifier = try TokenVerifier(policy, verificationKeys: source, decryptionKeys: KeySet(recipient))
        try gate.enter()
        let waiter = Task { try await verifier.verify(token, waiting: .seconds(60)) }
        try await until { gate.waiting == 1 }
        gate.leave()
        try await until { source.missing.count == 1 && gate.waiting == 1 }
        gate.leave()
        #expect(try await waiter.value.key?.keyID == "theirs")
        #expect(gate.running == 0 && gate.waiting == 0)
    }

    @Test("several issuers' tokens take their turn at the same gate, named outside or not, RFC 7519, 5.3")
    func issuers() async throws {
        let policies = ["https://a.example", "https://b.example"].map { policy($0) }
        let verifier = try MultiIssuerVerifier(
            policies.map { TrustedIssuer($0, keys: KeySet(signing.publicKey)) }, decryptionKeys: KeySet(recipient))
        for policy in policies {
            let token = try token(policy)
            try gate.enter()
            #expect(throws: busy) { try verifier.verify(token) }
            let waiter = Task { try await verifier.verify(token, waiting: .seconds(60)) }
            try await until { gate.waiting == 1 }
            gate.leave()
            #expect(try await waiter.value.claims.subject == "u")
            #expect(gate.running == 0)
        }
    }

    @Test("keys outside the process are asked within the bound as well")
    func external() async throws {
        let policy = policy()
        let token = try token(policy)
        let verifier = try AsyncTokenVerifier(
            policy, verificationKeys: KeySet(signing.publicKey), decryptionKeys: KeySet(recipient), external: [])
        try gate.enter()
        await #expect(throws: TokenError.jose(.overloaded(.timedOut), layer: .encryption)) {
            try await verifier.verify(Array(token.utf8), waiting: .milliseconds(5))
        }
        let waiter = Task { try await verifier.verify(token) }
        try await until { gate.waiting == 1 }
        gate.leave()
        #expect(try await waiter.value.claims.subject == "u")
        #expect(gate.running == 0)
    }

    @Test("an explanation says that there was a crowd, and what to do")
    func explained() throws {
        let policy = policy()
        let (verifier, token) = (try verifier(policy), try token(policy))
        try gate.enter()
        let explanation = verifier.explain(token)
        let line = explanation.lines.first { $0.outcome == .failed }
        #expect(explanation.error == busy && line?.layer == .encryption)
        #expect(line?.failure == "overloaded: as many decryptions run as may" && line?.remedy != nil)
        gate.leave()
        #expect(verifier.explain(token).isValid)
    }
}
