import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Encrypted tokens of several issuers, decrypted by external keys") struct MultiIssuerExternalTests: IssuerFixture
{
    let keys: TwoIssuersKeys
    init() throws { keys = try TwoIssuersKeys() }

    private let limit = Duration.ample

    @Test("a token that the shared external key decrypts is rejected if it names an issuer with another decryption key")
    func ownKey() async throws {
        let own = try PrivateKey.generate(.p256, keyID: "own")
        let service = RemoteService()
        let verifier = try TokenVerifier(
            issuers: [
                TrustedIssuer(Self.nested(Self.a), keys: KeySet(keyOfA.publicKey)),
                TrustedIssuer(Self.nested(Self.b), keys: KeySet(keyOfB.publicKey), decryptionKeys: KeySet(own)),
            ], externalKeys: [.agreement(RemoteAgreement(mine, service))])
        #expect(try await verifier.verify(sealed(token(Self.a, keyOfA)), timeout: limit).claims.issuer == Self.a)
        #expect(await service.calls == 1)
        // The token of the other issuer is signed with the right key, and encrypted for the shared one.
        let crossed = try sealed(token(Self.b, keyOfB))
        await #expect(throws: TokenError.jose(.keyNotFound, layer: .encryption)) {
            try await verifier.verify(crossed, timeout: limit)
        }
        #expect(await service.calls == 2)
        var header = HeaderParameters(contentType: "JWT")
        header.set("iss", json: Array("\"\(Self.b)\"".utf8))
        let rightly = try JWEEncrypter(
            key: own.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm, header: header
        ).encrypt(token(Self.b, keyOfB))
        #expect(try await verifier.verify(rightly, timeout: limit).claims.issuer == Self.b)
        #expect(await service.calls == 2)
    }

    @Test("a token that names an issuer with an external key of its own is decrypted with that key too")
    func ownExternalKey() async throws {
        let (shared, ofB) = (RemoteService(), RemoteService())
        func verifier(_ key: PrivateKey) throws -> TokenVerifier {
            try TokenVerifier(
                issuers: [
                    TrustedIssuer(Self.nested(Self.a), keys: KeySet(keyOfA.publicKey)),
                    TrustedIssuer(
                        Self.nested(Self.b), keys: KeySet(keyOfB.publicKey),
                        externalKeys: [.agreement(RemoteAgreement(key, ofB))]),
                ], externalKeys: [.agreement(RemoteAgreement(mine, shared))])
        }
        let text = try sealed(token(Self.b, keyOfB))
        #expect(try await verifier(mine).verify(text, timeout: limit).claims.issuer == Self.b)
        #expect(await shared.calls == 1)
        #expect(await ofB.calls == 1)
        let other = try verifier(.generate(.p256, keyID: "own"))
        await #expect(throws: TokenError.jose(.keyNotFound, layer: .encryption)) {
            try await other.verify(text, timeout: limit)
        }
    }

    @Test("a token that the shared external key decrypted waits for keys of its own issuer", arguments: [false, true])
    func awaitsOwnKeys(isSignature: Bool) async throws {
        let source = ChangingKeys(.empty)
        let service = RemoteService()
        let (signing, decryption): (any KeySource, any KeySource) =
            isSignature ? (source, KeySet(mine)) : (KeySet(keyOfB.publicKey), source)
        let verifier = try TokenVerifier(
            issuers: [
                TrustedIssuer(Self.nested(Self.a), keys: KeySet(keyOfA.publicKey)),
                TrustedIssuer(Self.nested(Self.b), keys: signing, decryptionKeys: decryption),
            ], externalKeys: [.agreement(RemoteAgreement(mine, service))])
        let text = try sealed(token(Self.b, keyOfB))
        await #expect(throws: TokenError.jose(.keyNotFound, layer: isSignature ? .signature : .encryption)) {
            try await verifier.verify(text, timeout: limit)
        }
        let key = isSignature ? KeySet(keyOfB.publicKey) : KeySet(mine)
        source.onRefresh { [weak source] in
            source?.set(key)
            return true
        }
        #expect(try await verifier.verify(text, timeout: limit).claims.issuer == Self.b)
        #expect(await service.calls == 2)
        // Of a batch without a timeout, external keys alone are awaited.
        source.set(.empty)
        let rejected = try await BatchVerifier(verifier).verify([text])
        #expect(throws: TokenError.jose(.keyNotFound, layer: isSignature ? .signature : .encryption)) {
            try rejected[0].get()
        }
    }

    @Test("a token that the shared external key decrypted waits for the limiter of its own issuer")
    func awaitsOwnLimiter() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 1, timeout: .zero)
        let verifier = try TokenVerifier(
            issuers: [
                TrustedIssuer(Self.nested(Self.a), keys: KeySet(keyOfA.publicKey)),
                TrustedIssuer(
                    Self.nested(Self.b) { $0.limiter = limiter }, keys: KeySet(keyOfB.publicKey),
                    decryptionKeys: KeySet(mine)),
            ], externalKeys: [.agreement(RemoteAgreement(mine))])
        let text = try sealed(token(Self.b, keyOfB))
        try limiter.enter()
        await #expect(throws: TokenError.jose(.overloaded(.timedOut), layer: .encryption)) {
            try await verifier.verify(text, timeout: limit)
        }
        limiter.setBounds(maxQueued: 1, timeout: limit)
        let waiting = Task { try await verifier.verify(text, timeout: limit) }
        while limiter.queued == 0 { await Task.yield() }
        limiter.leave()
        #expect(try await waiting.value.claims.issuer == Self.b)
        #expect(limiter.running == 0)
    }

    @Test("the report of a token that names no trusted issuer says so, once an external key has decrypted it")
    func unknownIssuer() async throws {
        let service = RemoteService()
        let verifier = try TokenVerifier(
            issuers: [TrustedIssuer(Self.nested(Self.a), keys: KeySet(keyOfA.publicKey))],
            externalKeys: [.agreement(RemoteAgreement(mine, service))])
        #expect(try await verifier.explain(sealed(token(Self.a, keyOfA)), timeout: limit).isValid)
        let stranger = try await verifier.explain(sealed(token(Self.b, keyOfB)), timeout: limit)
        #expect(stranger.error == .issuerUnknown && stranger.claims == nil)
        #expect(stranger.lines.map(\.check) == ["iss names a trusted issuer"])
        #expect(stranger.lines.first?.outcome == .failed)
        #expect(stranger.lines.first?.remedy == TokenError.issuerUnknown.remedy)
    }

    @Test("a token that an external key decrypted is verified a second time only if a refresh has ended")
    func refresh() async throws {
        let text = try sealed(token(Self.a, keyOfA))
        let policy = Self.nested(Self.a)
        for isSeveral in [false, true] {
            let source = ChangingKeys(.empty)
            let service = RemoteService()
            let external = [ExternalDecryptionKey.agreement(RemoteAgreement(mine, service))]
            let verifier =
                try isSeveral
                ? TokenVerifier(issuers: [TrustedIssuer(policy, keys: source)], externalKeys: external)
                : TokenVerifier(policy, verificationKeys: source, externalKeys: external)
            await #expect(throws: TokenError.jose(.keyNotFound, layer: .signature), "\(isSeveral)") {
                try await verifier.verify(text, timeout: limit)
            }
            #expect(source.asked == 1, "\(isSeveral)")
            let key = keyOfA.publicKey
            source.onRefresh { [weak source] in
                source?.set(KeySet(key))
                return true
            }
            #expect(try await verifier.verify(text, timeout: limit).claims.issuer == Self.a, "\(isSeveral)")
            #expect(source.asked == 3, "\(isSeveral)")
            #expect(await service.calls == 2, "\(isSeveral)")
        }
    }
}
