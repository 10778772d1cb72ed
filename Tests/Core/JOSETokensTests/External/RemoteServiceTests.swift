import JOSE
import JOSETokens
import TestSupport
import Testing

/// A service that is slow, fails now and then, or is given up on, under the load of many tokens.
@Suite("External keys in a slow key service") struct RemoteServiceTests {
    private struct TimedOut: Error {}
    private struct Party: Sendable {
        let signers: RemoteService
        let unwrappers: RemoteService
        let issuer: TokenIssuer
        let verifier: TokenVerifier

        init(_ mood: RemoteService.Mood) throws {
            signers = RemoteService(mood)
            unwrappers = RemoteService(mood)
            let policy = TokenPolicy.nested(
                outer: EncryptionPolicy(keyManagement: [.ecdhESA128KW], contentEncryption: [.a128gcm]),
                inner: SignaturePolicy(algorithms: [.ed25519]),
                claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
            let signing = try PrivateKey.generate(.ed25519)
            let receiving = try PrivateKey.generate(.x25519)
            issuer = try TokenIssuer(
                policy, externalKey: RemoteSigner(signing, signers), encryptionKey: receiving.publicKey)
            verifier = try TokenVerifier(
                policy, verificationKeys: KeySet(signing.publicKey),
                externalKeys: [.agreement(RemoteAgreement(receiving, unwrappers))])
        }

        func roundTrip(_ subject: String) async throws -> String? {
            let token = try await issuer.issue(["sub": .string(subject)], timeout: .ample)
            return try await verifier.verify(token, timeout: .ample).claims.subject
        }
    }

    private func within<R: Sendable>(
        _ time: Duration, _ body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: R.self) { group in
            group.addTask(operation: body)
            group.addTask {
                try await Task.sleep(for: time)
                throw TimedOut()
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw TimedOut() }
            return first
        }
    }

    @Test("a hundred concurrent calls to a key service overlap, and each gets its own result")
    func together() async throws {
        let party = try Party(.slow(.milliseconds(50)))
        let subjects = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            for number in 0..<100 { group.addTask { (number, try await party.roundTrip("\(number)")) } }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        #expect(subjects.count == 100 && subjects.allSatisfy { $0.value == "\($0.key)" })
        #expect(await party.signers.maximumAtOnce > 1)
        #expect(await party.unwrappers.maximumAtOnce > 1)
        #expect(await party.signers.calls == 100)
    }

    @Test("a caller's deadline cancels the call to the key service too, and the next call succeeds")
    func deadlines() async throws {
        let party = try Party(.well)
        let token = try await party.issuer.issue(["sub": "a"], timeout: .ample)
        for service in [party.signers, party.unwrappers] { await service.set(.slow(.ample)) }
        await #expect(throws: TimedOut.self) {
            try await within(.milliseconds(30)) { try await party.issuer.issue(timeout: .ample) }
        }
        await #expect(throws: TimedOut.self) {
            try await within(.milliseconds(30)) {
                try await party.verifier.verify(token, timeout: .ample).claims.subject
            }
        }
        for service in [party.signers, party.unwrappers] {
            while await service.cancelled == 0 { await Task.yield() }
        }
        for service in [party.signers, party.unwrappers] { await service.set(.well) }
        #expect(try await party.roundTrip("b") == "b")
        #expect(
            try await within(.ample) {
                try await party.verifier.verify(token, timeout: .ample).claims.subject
            } == "a")
    }

    @Test("a failed call to the key service affects no other, and its error keeps the cause")
    func failures() async throws {
        let party = try Party(.well)
        for number in 0..<30 {
            let fails = number % 3 == 0
            await party.signers.set(fails ? .failing(RemoteService.Fault.throttled(number)) : .well)
            do {
                let subject = try await party.roundTrip("\(number)")
                #expect(!fails && subject == "\(number)")
            } catch {
                let cause = ExternalCause(RemoteService.Fault.throttled(number))
                #expect(fails && error as? TokenError == .jose(.externalKey(.failed(cause)), layer: .signature))
            }
        }
    }
}
