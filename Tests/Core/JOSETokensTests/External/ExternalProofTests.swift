import JOSE
import JOSETokens
import TestSupport
import Testing

/// DPoP proofs and SD-JWTs that are signed by keys outside the process.
@Suite("Proofs and SD-JWTs with external keys") struct ExternalProofTests {
    private func thrown(_ body: () async throws -> Void) async -> TokenError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? TokenError
        }
    }

    @Test("an external key signs DPoP proofs like those of a key in the process (RFC 9449, 4.2)")
    func proofs() async throws {
        let key = try PrivateKey.generate(.p256, keyID: "mine")
        let service = RemoteService()
        let clock = WallClock.fixed(ProfileFixture.now)
        let prover = try DPoPProver(externalKey: RemoteSigner(key, service), algorithm: .es256, clock: clock)
        let local = try DPoPProver(key: key, algorithm: .es256, clock: clock)
        #expect(prover.key == local.key)
        let url = "https://rs.example/a?b=c#d"
        let verifier = try DPoPVerifier(algorithms: [.es256], replayStore: nil) { $0.claims.clock = clock }
        let bound = KeyConfirmation(keyThumbprint: try key.publicKey.thumbprint())
        var request = DPoPRequest(method: "GET", url: url, accessToken: "t", confirmation: bound)
        request.nonces = ["n"]
        let proof = try await prover.proof(method: "GET", url: url, accessToken: "t", nonce: "n", timeout: .ample)
        let external = try verifier.verify(proof, for: request)
        let inProcess = try verifier.verify(
            local.proof(method: "GET", url: url, accessToken: "t", nonce: "n"), for: request)
        // No member of the header differs, and there is no kid.
        #expect(external.token.header.bytes == inProcess.token.header.bytes && external.key == inProcess.key)
        #expect(external.token.header.keyID == nil)
        #expect(external.token.claims.string("ath") == inProcess.token.claims.string("ath"))
        #expect(external.token.claims.tokenID != inProcess.token.claims.tokenID)

        // What is not valid in a proof is not sent to the key.
        let calls = await service.calls
        #expect(
            await thrown { _ = try await prover.proof(method: "", url: url, timeout: .ample) }
                == .claim(.invalid("htm")))
        #expect(
            await thrown { _ = try await prover.proof(method: "GET", url: "/a", timeout: .ample) }
                == .claim(.invalid("htu")))
        #expect(await service.calls == calls)
        await service.set(.lying { signature in signature.map { $0 ^ 1 } })
        #expect(
            await thrown { _ = try await prover.proof(method: "GET", url: url, timeout: .ample) }
                == .jose(.externalKey(.signatureInvalid), layer: .signature))
        #expect(throws: TokenError.self) {
            try DPoPProver(externalKey: RemoteSigner(key), algorithm: .rs256, clock: clock)
        }
    }

    @Test("an external key issues SD-JWTs, and an external holder's key binds them (RFC 9901, 4.2 and 4.3)")
    func disclosures() async throws {
        let (key, holder) = (try PrivateKey.generate(.p256, keyID: "i"), try PrivateKey.generate(.p256, keyID: "h"))
        let service = RemoteService()
        let issuer = try SDJWTIssuer(
            externalKey: RemoteSigner(key, service), algorithm: .es256, type: "dc+sd-jwt", hash: .sha384, decoys: 200)
        #expect(issuer.decoys == 100 && issuer.hash == .sha384)
        let claims: ClaimsBuilder = ["iss": "https://id.example", "exp": 4_000_000_000, "sub": "u", "name": "Ann"]
        let token = try await issuer.issue(claims, hiding: ["name"], holder: holder.publicKey, timeout: .ample)
        var policy = ClaimPolicy(issuer: "https://id.example", audience: .anyAudienceUnchecked)
        policy.clock = .fixed(1_795_000_000)
        func verify(_ token: SDJWT, _ binding: KeyBindingPolicy?) throws -> VerifiedSDJWT {
            var signature = SignaturePolicy(algorithms: [.es256])
            signature.type = .exactly("dc+sd-jwt")
            return try SDJWTVerifier(signature, claims: policy, verificationKeys: KeySet(key.publicKey))
                .verify(token.text, keyBinding: binding)
        }
        let verified = try verify(token, nil)
        #expect(verified.claims.string("name") == "Ann" && token.disclosures.count == 1)

        let clock = WallClock.fixed(1_795_000_000)
        let presented = try await token.bound(
            by: RemoteSigner(holder), algorithm: .es256, audience: "v", nonce: "n", clock: clock, timeout: .ample)
        let binding = KeyBindingPolicy(algorithms: [.es256], audience: "v", nonce: "n")
        #expect(try verify(presented, binding).claims.string("name") == "Ann")
        let stranger = try await token.bound(
            by: RemoteSigner(try .generate(.p256)), algorithm: .es256, audience: "v", nonce: "n", clock: clock,
            timeout: .ample)
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .keyBinding)) {
            _ = try verify(stranger, binding)
        }

        let calls = await service.calls
        #expect(
            await thrown { _ = try await issuer.issue(claims, hiding: ["exp"], timeout: .ample) } == .disclosure(.path))
        #expect(
            await thrown { _ = try await issuer.issue(claims, hiding: ["absent"], timeout: .ample) }
                == .disclosure(.path))
        #expect(await service.calls == calls)
        await service.set(.failing(RemoteService.Fault.offline))
        #expect(
            await thrown { _ = try await issuer.issue(claims, hiding: ["name"], timeout: .ample) }
                == .jose(.externalKey(.failed(ExternalCause(RemoteService.Fault.offline))), layer: .signature))
        await service.set(.slow(.ample))
        let before = await service.calls
        let waiting = Task { try await issuer.issue(claims, hiding: ["name"], timeout: .ample) }
        while await service.calls == before { await Task.yield() }
        waiting.cancel()
        await #expect(throws: TokenError.cancelled) { try await waiting.value }
    }

    @Test("a prover and an SD-JWT issuer with an external key must be awaited, and their timeout ends its call")
    func awaitRequired() async throws {
        let key = try PrivateKey.generate(.p256)
        let service = RemoteService()
        let prover = try DPoPProver(externalKey: RemoteSigner(key, service), algorithm: .es256)
        let issuer = try SDJWTIssuer(externalKey: RemoteSigner(key, service), algorithm: .es256, type: "dc+sd-jwt")
        let url = "https://rs.example/a"
        let claims: ClaimsBuilder = ["iss": "https://id.example", "name": "Ann"]
        #expect(throws: TokenError.awaitRequired) { try prover.proof(method: "GET", url: url) }
        #expect(throws: TokenError.awaitRequired) { try issuer.issue(claims, hiding: ["name"]) }
        #expect(await service.calls == 0)
        _ = try await prover.proof(method: "GET", url: url, timeout: .ample)
        let token = try await issuer.issue(claims, hiding: ["name"], timeout: .ample)

        await service.set(.deaf)
        let late = JOSEError.externalKey(.timedOut)
        let time = Duration.milliseconds(50)
        #expect(
            await thrown { _ = try await prover.proof(method: "GET", url: url, timeout: time) }
                == .jose(late, layer: .signature))
        #expect(
            await thrown { _ = try await issuer.issue(claims, hiding: ["name"], timeout: time) }
                == .jose(late, layer: .signature))
        #expect(
            await thrown {
                _ = try await token.bound(
                    by: RemoteSigner(key, service), algorithm: .es256, audience: "v", nonce: "n", timeout: time)
            } == .jose(late, layer: .keyBinding))
        await service.release()

        // Keys in the process sign at once.
        let local = try DPoPProver(key: key, algorithm: .es256)
        #expect(try await local.proof(method: "GET", url: url, timeout: .zero).isEmpty == false)
        let disclosing = try SDJWTIssuer(key: key, algorithm: .es256, type: "dc+sd-jwt")
        #expect(try await disclosing.issue(claims, hiding: ["name"], timeout: .zero).disclosures.count == 1)
    }
}
