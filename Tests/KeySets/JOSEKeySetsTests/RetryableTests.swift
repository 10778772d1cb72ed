import JOSE
import JOSEKeySets
import JOSETokens
import TestSupport
import Testing

@Suite("Retryable errors") struct RetryableTests {
    private let a = Issuer.key("a")
    private let b = Issuer.key("b")
    private let incomplete = TokenError.jose(.keysUnavailable(.refreshIncomplete), layer: .signature)
    private let missing = TokenError.jose(.keyNotFound, layer: .signature)

    private func token(_ key: PrivateKey) throws -> String {
        try JWSSigner(key: key, algorithm: .es256).sign(#"{"iss":"i","aud":"a","exp":4000000000}"#)
    }

    private func verifier(_ source: RemoteKeySet) throws -> TokenVerifier {
        try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.es256]), claims: ClaimPolicy(issuer: "i", audience: "a")),
            verificationKeys: source)
    }

    @Test("T81 a missing key is retryable while a refresh runs or has failed, and not once a fetched set lacks it")
    func missingKey() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a], TransportHeaderField("Cache-Control", "max-age=86400")) {
            ($0.retries, $0.bypasses) = (0, 0)
        }
        let verifier = try verifier(source)
        let (held, unknown) = (try token(a), try token(b))
        // The set has just been fetched.
        #expect(verifier.error(unknown) == missing)
        await issuer.clock.advance(by: 31)

        // A fetch is in progress.
        let latch = Latch()
        issuer.server.answer { [a] _ in await latch.wait() ? .success(Issuer.answer([a])) : .failure(.cancelled) }
        #expect(verifier.error(unknown) == incomplete && incomplete.isRetryable)
        #expect(verifier.error(held) == nil)
        latch.open()
        #expect(await eventually { !source.health.isFetching })
        // The fetch ended, and its set lacks the key.
        #expect(verifier.error(unknown) == missing && !missing.isRetryable)

        // The fetch failed: a name that the last set is known to lack stays missing; for another name that is unknown.
        issuer.server.fail(.connectFailed)
        await issuer.clock.advance(by: 31)
        var other = b
        other.keyID = "c"
        let another = try token(other)
        #expect(verifier.error(another) == incomplete)
        #expect(await eventually { source.health.failures == 1 && !source.health.isFetching })
        for _ in 0..<3 { #expect(verifier.error(another) == incomplete) }
        #expect(verifier.error(held) == nil)
        await #expect(throws: incomplete) { try await verifier.verify(another, timeout: .seconds(1)) }

        // The server responds again: the key arrives, and a name that it does not publish is final.
        issuer.server.answer(Issuer.answer([a, b]))
        try await source.refresh()
        #expect(verifier.error(unknown) == nil)
        #expect(verifier.error(another) == missing)
        // A token whose key arrived after the verification began is retryable, although no fetch is in progress.
        #expect(source.outage(ofMissing: Array("b".utf8)) == .refreshIncomplete)
        #expect(source.outage(ofMissing: Array("c".utf8)) == nil)
        await source.shutdown()
        #expect(verifier.error(held) == .jose(.keysUnavailable(.closed), layer: .signature))
    }

    @Test(
        "T81 a token without kid that no key fits is rejected, and retryable after a failed fetch if there are no keys"
    )
    func nameless() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [Issuer.key(nil, .p384)]) { $0.retries = 0 }
        let verifier = try verifier(source)
        let key = Issuer.key(nil)
        let unnamed = try token(key)
        let fitting = try self.verifier(await Issuer().source(holding: [key]))
        #expect(fitting.error(unnamed) == nil)
        // A key that is present and does not fit has an error of its own.
        #expect(verifier.error(unnamed) == .jose(.keyUnsuitable(.curve), layer: .signature))
        issuer.server.fail(.connectFailed)
        await #expect(throws: KeySetError.transport(.connectFailed)) { try await source.refresh() }
        #expect(verifier.error(unnamed)?.isRetryable == false)
        #expect(source.outage(ofMissing: nil) == .refreshIncomplete)
    }

    @Test("T81 each error of a fetch states whether it is retryable")
    func fetches() {
        let retryable: [KeySetError] = [
            .transport(.nameNotResolved), .transport(.connectFailed), .transport(.connectDeadlineExceeded),
            .transport(.deadlineExceeded), .transport(.connectionLost), .transport(.cancelled), .transport(.backend),
            .status(408), .status(425), .status(429), .status(500), .status(503), .status(599), .deadlineExceeded,
        ]
        let final: [KeySetError] = [
            .urlInvalid, .transport(.urlInvalid), .transport(.requestInvalid), .transport(.schemeNotAllowed),
            .transport(.addressNotAllowed), .transport(.tls(.untrusted)), .transport(.tls(.expired)),
            .transport(.bodyTooLarge), .transport(.headersTooLarge), .transport(.redirectNotAllowed),
            .transport(.responseInvalid), .transport(.closed), .status(204), .status(304), .status(401), .status(404),
            .status(501), .status(600), .refused(.notKeySet), .refused(.privateKey), .discovery(.issuerMismatch),
            .issuerRepeated, .closed,
        ]
        for error in retryable { #expect(error.isRetryable, "\(error)") }
        for error in final { #expect(!error.isRetryable, "\(error)") }
    }

    @Test("T81 the article on error codes states for each error of a fetch whether it is retryable")
    func documented() throws {
        let transport: [TransportError] = [
            .urlInvalid, .requestInvalid, .schemeNotAllowed, .addressNotAllowed, .nameNotResolved, .connectFailed,
            .connectDeadlineExceeded, .deadlineExceeded, .tls(.untrusted), .tls(.expired), .tls(.nameMismatch),
            .tls(.version), .tls(.clientCertificate), .tls(.handshake), .bodyTooLarge, .headersTooLarge,
            .redirectNotAllowed, .connectionLost, .responseInvalid, .cancelled, .closed, .backend,
        ]
        let rejections: [KeySetRejection] = [
            .empty, .contentType, .malformed(ParseFailure(.token, .parts)), .tooLarge, .notKeySet, .privateKey,
            .noUsableKeys, .duplicateKeyID, .replacedKey, .tooOld,
        ]
        let faults: [DiscoveryFault] = [
            .issuerInvalid, .addressInvalid, .tooLarge, .malformed, .issuerMismatch, .missing(.jwksURI),
            .invalid(.jwksURI), .notSigned, .signatureInvalid(.signatureInvalid), .signedMetadataMismatch,
        ]
        var errors: [KeySetError] = [
            .urlInvalid, .optionInvalid("floor"), .status(404), .status(503), .issuerRepeated, .deadlineExceeded,
            .closed,
        ]
        errors += transport.map { KeySetError.transport($0) }
        errors += rejections.map { KeySetError.refused($0) }
        errors += faults.map { KeySetError.discovery($0) }
        let types: Set = ["KeySetError", "KeySetRejection", "DiscoveryFault", "TransportError", "TLSFault"]
        let samples = errors.map { (code: $0.code, isRetryable: $0.isRetryable) }
        #expect(try ErrorCodeTable().differences(of: types, from: samples) == [])
    }
}
